"""Open simulators by name.

Names are `envwright:pong`, `gymnasium:ID`, `gymnax:ID`, `python:module:attr` and
`command:program args`. Options follow a question mark: `gymnasium:FrozenLake-v1?is_slippery=false`.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from envwright.core.registry import is_native, make
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name
from envwright.sim.simulator import Simulator

SCHEMES = "envwright:NAME, gymnasium:ID, gymnax:ID, python:module:attribute or command:PROGRAM"


def open_simulator(name: str) -> Simulator:
    """Open a simulator by name. Raises `EnvwrightError` with one sentence if that fails."""
    with opening(name):
        return _opened_simulator(name)


@contextmanager
def opening(name: str) -> Generator[None]:
    """Raise an `EnvwrightError` for whatever making an environment raises."""
    try:
        yield
    except EnvwrightError:
        raise
    except Exception as error:
        if name.startswith("envwright:") and "?" not in name:
            raise  # a defect of ours
        reason = " ".join(str(error).split())
        raise EnvwrightError(
            f"{name} could not be made: {type(error).__name__}: {reason}"
        ) from error


def _opened_simulator(name: str) -> Simulator:
    parsed = parse_name(name)
    scheme, target = parsed.scheme, parsed.target
    if not target:
        raise EnvwrightError(f"{name!r} does not name a simulator; write {SCHEMES}")
    if scheme == "command":
        from envwright.sim.command import CommandSimulator

        return CommandSimulator(target)
    options = parsed.options
    if scheme == "gymnasium":
        from envwright.sim.gymnasium_env import open_gymnasium

        return open_gymnasium(target, **options)
    if scheme == "envwright" and is_native(target, options.get("backend")):
        from envwright.sim.native import open_native

        return open_native(name, target, **options)
    if scheme == "envwright":
        from envwright.sim.functional import EnvwrightSimulator

        x64 = options.get("dtype") == "float64"
        return EnvwrightSimulator(make(target, **options), name, x64=x64)
    if scheme == "gymnax":
        from envwright.sim.functional import open_gymnax

        return open_gymnax(target, **options)
    if scheme == "python":
        return as_simulator(load_attribute(target), name, **options)
    raise EnvwrightError(f"unknown kind of simulator {scheme!r}; write {SCHEMES}")


def as_simulator(thing: Any, name: str | None = None, **options: Any) -> Simulator:
    """Make a simulator from a name, an Env, a Gymnasium environment, or a factory of these."""
    import gymnasium

    if isinstance(thing, str):
        return open_simulator(thing)
    label = name or f"python:{getattr(thing, '__qualname__', type(thing).__qualname__)}"
    if isinstance(thing, gymnasium.Env):
        from envwright.sim.gymnasium_env import GymnasiumSimulator

        return GymnasiumSimulator(thing, label)
    if isinstance(thing, Simulator):
        return thing
    if _is_env(thing):
        from envwright.sim.functional import EnvwrightSimulator

        return EnvwrightSimulator(thing, label)
    if callable(thing):
        with opening(label):
            made: Any = thing(**options)
        if _is_env(made):
            from envwright.sim.functional import EnvwrightSimulator

            return EnvwrightSimulator(made, label, x64=options.get("dtype") == "float64")
        return as_simulator(made, label)
    raise EnvwrightError(
        f"{label} is not a simulator; give a Gymnasium environment, an envwright Env or a Simulator"
    )


def _is_env(thing: Any) -> bool:
    from envwright.core.env import Env

    return isinstance(thing, Env)
