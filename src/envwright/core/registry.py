"""Environments by id. Nothing is imported until an environment is made."""

from __future__ import annotations

import difflib
import inspect
import re
from typing import TYPE_CHECKING, Any, Literal, overload

from envwright.core.room import Room, load_attribute
from envwright.errors import EnvwrightError, UnknownEnvironment

if TYPE_CHECKING:
    from envwright.core.env import Env
    from envwright.core.native import NativeVectorEnv

_ROOMS: dict[str, Room] = {}


def register(room: Room) -> Room:
    """Add an environment; an id and version can be taken only once."""
    if room.name in _ROOMS:
        raise EnvwrightError(f"{room.name} is registered already; raise its version instead")
    if not room.backends:
        raise EnvwrightError(f"{room.name} needs at least one backend")
    _ROOMS[room.name] = room
    return room


def rooms() -> list[Room]:
    """All environments, by id and version."""
    return sorted(_ROOMS.values(), key=lambda room: (room.id, room.version))


def find(name: str) -> Room:
    """The room of `cartpole` (newest version), `cartpole-v1` or `envwright/CartPole-v1`."""
    wanted = name.lower().removeprefix("envwright/")
    for room in rooms():
        # A title may differ from the id by more than capitals.
        if wanted in (room.name, room.gymnasium_id.lower().removeprefix("envwright/")):
            return room
    versions = [s for s in rooms() if s.id == wanted]
    if versions:
        return versions[-1]
    stem = re.sub(r"-v\d+$", "", wanted)
    others = [s.name for s in rooms() if s.id == stem]
    if others:
        raise UnknownEnvironment(f"no version {name!r}; there is {', '.join(others)}")
    ids = sorted({s.id for s in rooms()})
    near = difflib.get_close_matches(stem, ids, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(ids)}"
    raise UnknownEnvironment(f"unknown environment {name!r}; {hint}")


@overload
def make(name: str, backend: Literal["rust"], **options: Any) -> NativeVectorEnv: ...
@overload
def make(  # pyright: ignore[reportOverlappingOverload]  # `num_envs` decides
    name: str, backend: Literal["rust"] | None = None, *, num_envs: int, **options: Any
) -> NativeVectorEnv: ...
@overload
def make(name: str, backend: Literal["jax"] | None = None, **options: Any) -> Env[Any, Any]: ...
@overload
def make(name: str, backend: str | None, **options: Any) -> Env[Any, Any] | NativeVectorEnv: ...
def make(name: str, backend: str | None = None, **options: Any) -> Env[Any, Any] | NativeVectorEnv:
    """Make an environment: `make("cartpole")`, `make("pong-v1", backend="rust", num_envs=64)`.

    Other options go to the environment's constructor. A JAX backend returns an `Env`; a Rust
    backend, which takes `num_envs`, returns a `NativeVectorEnv`. If a room has only a Rust
    backend, `make(name)` returns that: pass `num_envs` to state so to a type checker.
    """
    room = find(name)
    constructor = load_attribute(room.backends[room.check_backend(backend)])
    parameters = inspect.signature(constructor).parameters
    unknown = [option for option in options if option not in parameters]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        known = f"use {' or '.join(parameters)}" if parameters else "it has none"
        raise EnvwrightError(f"{room.name} has no option {unknown[0]!r}; {known}")
    env = constructor(**options)
    for name in ("id", "version"):
        if getattr(env, name, getattr(room, name)) != getattr(room, name):
            raise EnvwrightError(
                f"{room.name} is registered for an environment whose {name} is "
                f"{getattr(env, name)!r}; correct one of the two"
            )
    return env


def is_native(name: str, backend: str | None = None) -> bool:
    """Whether a backend is a batch in Rust, rather than one environment in JAX."""
    from envwright.core.native import NativeVectorEnv

    room = find(name)
    path = room.backends.get(backend or room.default_backend)
    constructor = load_attribute(path) if path else None
    return isinstance(constructor, type) and issubclass(constructor, NativeVectorEnv)
