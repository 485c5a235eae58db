"""Open simulators by name.

Names are `envwright:pong`, `gymnasium:ID`, `gymnax:ID`, `pettingzoo:MODULE`,
`dm_env:module:factory`, `gym:ID`, `python:module:attr`, `python:path/to/file.py:attr` and
`command:program args`. Options follow a question mark:
`gymnasium:FrozenLake-v1?is_slippery=false`.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from envwright.core.registry import is_native, make
from envwright.core.room import load_attribute
from envwright.core.text import told
from envwright.errors import EnvwrightError
from envwright.schema.names import UNWRAPPED, missing_options, parse_name
from envwright.sim.simulator import Simulator

SCHEMES = (
    "envwright:NAME, gymnasium:ID, gymnax:ID, pettingzoo:MODULE, dm_env:module:factory, gym:ID, "
    "python:module:attribute or command:PROGRAM"
)


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
        raise EnvwrightError(
            f"{name} could not be made: {told(error)}{missing_options(name, error)}"
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
    if scheme == "pettingzoo":
        from envwright.sim.pettingzoo_env import open_pettingzoo

        return open_pettingzoo(target, **options)
    if scheme == "dm_env":
        from envwright.sim.foreign import open_dm_env

        return open_dm_env(target, **options)
    if scheme == "gym":
        from envwright.sim.foreign import open_gym

        return open_gym(target, **options)
    if scheme == "python":
        return as_simulator(load_attribute(target), name, **options)
    raise EnvwrightError(f"unknown kind of simulator {scheme!r}; write {SCHEMES}")


def as_simulator(thing: Any, name: str | None = None, /, **options: Any) -> Simulator:
    """Make a simulator from a name, an Env, a Gymnasium environment, or a factory of these."""
    import gymnasium

    if isinstance(thing, str):
        return open_simulator(thing)
    label = name or f"python:{getattr(thing, '__qualname__', type(thing).__qualname__)}"
    if isinstance(thing, gymnasium.Env):
        from envwright.sim.gymnasium_env import GymnasiumSimulator

        return GymnasiumSimulator(thing, label, unwrapped=bool(options.get(UNWRAPPED)))
    if isinstance(thing, Simulator):
        return thing
    from envwright.sim.pettingzoo_env import as_table

    table = as_table(thing, label)
    if table is not None:
        return table
    if _is_env(thing):
        from envwright.sim.functional import EnvwrightSimulator

        return EnvwrightSimulator(thing, label)
    if callable(thing):
        given = {k: v for k, v in options.items() if k != UNWRAPPED}
        with opening(label):
            made: Any = thing(**given)
        if _is_env(made):
            from envwright.sim.functional import EnvwrightSimulator

            return EnvwrightSimulator(made, label, x64=options.get("dtype") == "float64")
        return as_simulator(made, label, **{k: v for k, v in options.items() if k == UNWRAPPED})
    raise EnvwrightError(
        f"{label} is not a simulator; give a Gymnasium environment, an envwright Env or a Simulator"
    )


def _is_env(thing: Any) -> bool:
    from envwright.core.env import Env

    return isinstance(thing, Env)
