"""Training targets by name: a JAX environment, or lanes that step on the host."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import gymnasium

from envwright.core.env import Env
from envwright.core.registry import find, is_native, make
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.names import join_options, parse_name, split_options
from envwright.schema.translation import room_translation
from envwright.sim.gymnasium_env import import_registering
from envwright.sim.hosts import GymnasiumLanes, HostLanes, NativeLanes
from envwright.sim.resolve import opening

REFERENCE = "reference"
MakeLanes = Callable[[int], HostLanes]
Target = Env | MakeLanes


def simulator_name(env: str, backend: str | None = None) -> str:
    """Return the simulator behind a backend of a zoo environment; `reference` is one of them.

    Its options are those that the room recommends for training, and those named: `pong` is
    trained with a frame skip of 8, `pong?frame_skip=1` with none.
    """
    name, given = split_options(env)
    room = find(name)
    options = {**training_options(name, given), **given}
    if backend == REFERENCE:
        if not room.reference:
            raise EnvwrightError(
                f"{room.name} names no reference; use {' or '.join(room.backends)}"
            )
        return join_options(room.reference, options)
    if backend is not None and backend not in room.backends:
        known = " or ".join([*room.backends, REFERENCE])
        raise EnvwrightError(f"{room.name} has no backend {backend!r}; use {known}")
    chosen = backend or room.default_backend
    if chosen != room.default_backend:
        options = {"backend": chosen, **options}
    return join_options(f"envwright:{room.id}", options)


def training_options(name: str, given: Collection[str] = ()) -> dict[str, Any]:
    """Return the options that a room recommends for training, unless those given exclude them."""
    translation = room_translation(find(name))
    return translation.training_options(given) if translation else {}


def open_target(name: str) -> Target:
    """Open `envwright:NAME`, `gymnasium:ID` or `python:module:attribute` for training."""
    with opening(name):
        found = _opened_target(name)
    if isinstance(found, Env):
        return found

    def lanes(count: int) -> HostLanes:
        with opening(name):
            return found(count)

    return lanes


def _opened_target(name: str) -> Target:
    parsed = parse_name(name)
    scheme, target, options = parsed.scheme, parsed.target, parsed.options
    if scheme == "envwright" and "num_envs" in options:
        raise EnvwrightError(f"leave num_envs out of {name}; training sets it: --set num_envs=N")
    if scheme == "gymnasium":
        _check_id(target, options)
        return lambda lanes: GymnasiumLanes.of(target, lanes, **options)
    if scheme == "envwright" and is_native(target, options.get("backend")):
        return lambda lanes: _native(make(target, **options, num_envs=lanes))
    if scheme == "envwright":
        return make(target, **options)
    if scheme == "python":
        return as_target(load_attribute(target), name, options)
    raise EnvwrightError(
        f"{name!r} cannot be trained on; write envwright:NAME, gymnasium:ID "
        "or python:module:attribute"
    )


def as_target(thing: Any, name: str, options: dict[str, Any] | None = None) -> Target:
    """Return an Env, or lanes: of a Gymnasium factory or of an object with `lanes(N)`."""
    if isinstance(thing, Env):
        return thing
    if not callable(thing):
        raise EnvwrightError(f"{name} cannot be trained on; give an Env or what makes environments")
    build: Callable[..., Any] = thing
    made = build(**(options or {}))
    if isinstance(made, Env):
        return made
    if isinstance(made, gymnasium.Env):
        made.close()
        return lambda lanes: GymnasiumLanes(lambda: build(**(options or {})), lanes)
    if hasattr(made, "lanes"):
        return made.lanes
    raise EnvwrightError(f"{name} makes a {type(made).__name__}; give an Env or a Gymnasium one")


def spaces_of(target: Target, lanes: int = 1) -> tuple[Any, Any]:
    """Return the spaces of observations and actions."""
    if isinstance(target, Env):
        return target.observation_space(), target.action_space()
    host = target(lanes)
    try:
        return host.obs_space, host.action_space
    finally:
        host.close()


def _native(env: Any) -> NativeLanes:
    """Make lanes of a native room, which declares its own spaces."""
    return NativeLanes(env, env.observation_space, env.action_space)


def _check_id(name: str, options: dict[str, Any]) -> None:
    import_registering(name)
    try:
        gymnasium.make(name, **options).close()
    except (gymnasium.error.Error, TypeError, ImportError) as error:
        raise EnvwrightError(
            f"Gymnasium cannot make {name!r}: {str(error).splitlines()[0]}"
        ) from error
