"""Find and make environments by id. Making one imports it; listing and finding do not."""

from __future__ import annotations

import difflib
import re
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from envwright.core.outside_rooms import installed_rooms, opened_rooms, remember_folder, room_in
from envwright.core.room import Room, load_attribute
from envwright.errors import EnvwrightError, UnknownEnvironment

if TYPE_CHECKING:
    from envwright.core.env import Env
    from envwright.core.native import NativeVectorEnv

_ROOMS: dict[str, Room] = {}


def register(room: Room) -> Room:
    """Add a room and return it. Raises if its id and version are taken."""
    if room.name in _ROOMS:
        raise EnvwrightError(f"{room.name} is registered already; raise its version instead")
    if not room.backends:
        raise EnvwrightError(f"{room.name} needs at least one backend; name it in its Room")
    _ROOMS[room.name] = room
    return room


def open_folder(folder: Path) -> Room:
    """Register the room of a package in a folder, for this process and its children.

    Its code becomes importable; making the environment runs it, opening the folder does not.
    """
    room = room_in(folder)
    if _taken_by(room):
        raise EnvwrightError(
            f"{folder} is called {room.name}, as another environment here is; rename its package"
        )
    remember_folder(folder)
    _ROOMS.setdefault(room.name, room)
    return room


@cache
def _register_others() -> None:
    """Register the rooms of installed packages and of opened folders, when first asked for."""
    for room in (*opened_rooms(), *installed_rooms()):
        if other := _taken_by(room):
            told = f"the environment {room.name} of {room.package} is left out: {other.name} is"
            warnings.warn(f"{told} here already, and answers to its name", stacklevel=2)
        else:
            _ROOMS.setdefault(room.name, room)


def _taken_by(room: Room) -> Room | None:
    """Return another room that one of the names of this one leads to; None if there is none.

    A package may have several versions of its own environment.
    """
    names = _names(room)
    return next(
        (
            other
            for other in _ROOMS.values()
            if not names.isdisjoint(_names(other))
            and (other.name == room.name or other.package != room.package)
            and other != room
        ),
        None,
    )


def _names(room: Room) -> set[str]:
    """Return what `find` takes for this room."""
    return {room.id, room.name, room.gymnasium_id.lower().removeprefix("envwright/")}


def rooms() -> list[Room]:
    """Return all rooms, sorted by id and version."""
    _register_others()
    return sorted(_ROOMS.values(), key=lambda room: (room.id, room.version))


def find(name: str) -> Room:
    """Return the room called `cartpole` (newest version), `cartpole-v1` or `envwright/CartPole-v1`.

    Raises `UnknownEnvironment` with the nearest name.
    """
    wanted = name.lower().removeprefix("envwright/")
    for room in rooms():
        # A title may differ from the id by more than capitals.
        if wanted in (room.name, room.gymnasium_id.lower().removeprefix("envwright/")):
            return room
    versions = [room for room in rooms() if room.id == wanted]
    if versions:
        return versions[-1]
    stem = re.sub(r"-v\d+$", "", wanted)
    others = [room.name for room in rooms() if room.id == stem]
    if others:
        raise UnknownEnvironment(f"unknown version {name!r}; there is {', '.join(others)}")
    ids = sorted({room.id for room in rooms()})
    near = difflib.get_close_matches(stem, ids, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(ids)}"
    raise UnknownEnvironment(f"unknown environment {name!r}; {hint}")


def demo_room() -> Room:
    """Return the room that the demo and commands without a name use."""
    found = [room for room in rooms() if room.demo is not None]
    if not found:
        raise EnvwrightError("no registered room has a demo; name an environment")
    return found[0]


@overload
def make(name: str, /, backend: Literal["rust"], **options: Any) -> NativeVectorEnv: ...
@overload
def make(  # pyright: ignore[reportOverlappingOverload]  # `num_envs` decides
    name: str, /, backend: Literal["rust"] | None = None, *, num_envs: int, **options: Any
) -> NativeVectorEnv: ...
@overload
def make(name: str, /, backend: Literal["jax"] | None = None, **options: Any) -> Env[Any, Any]: ...
@overload
def make(name: str, /, backend: str | None, **options: Any) -> Env[Any, Any] | NativeVectorEnv: ...
def make(
    name: str, /, backend: str | None = None, **options: Any
) -> Env[Any, Any] | NativeVectorEnv:
    """Make an environment: `make("cartpole")`, `make("pong-v1", backend="rust", num_envs=64)`.

    Other options go to the environment's constructor. A JAX backend returns an `Env`; a Rust
    backend, which takes `num_envs`, returns a `NativeVectorEnv`. If a room has only a Rust
    backend, `make(name)` returns that: pass `num_envs` to state so to a type checker.
    Raises `EnvwrightError` for unknown options.
    """
    return find(name).make(backend, **options)


def is_native(name: str, backend: str | None = None) -> bool:
    """Return whether a backend steps a batch in Rust rather than one environment in JAX."""
    from envwright.core.native import NativeVectorEnv

    room = find(name)
    constructor = load_attribute(room.backends[room.check_backend(backend)])
    return isinstance(constructor, type) and issubclass(constructor, NativeVectorEnv)
