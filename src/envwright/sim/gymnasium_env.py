"""Any Gymnasium environment as a simulator.

State access is found, not declared: the attributes of the unwrapped environment that
change while it is played, or that its source writes in a step, are its state, if they are
plain data. Attributes that are None
right after a reset are bookkeeping (`steps_beyond_terminated`, `last_u`) and are put back
to None by `load`; generators and keys are chance, not state.
"""

from __future__ import annotations

import copy
import itertools
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import gymnasium
import numpy as np

from envwright.core.room import import_named
from envwright.errors import EnvwrightError, MissingPackage
from envwright.schema.names import UNWRAPPED, join_options, missing_options, parse_name
from envwright.sim.action_rows import is_compound, row_dtype, unflatten_action
from envwright.sim.records import Fields, as_state, flatten, outcome
from envwright.sim.simulator import Simulator, table_of_starts
from envwright.sim.tape import Draw, RecordingGenerator, recording_seeds
from envwright.sim.texts import Texts
from envwright.sim.written import written_in_steps

UNWATCHED = ("rng", "prng_key", "key")  # generators that are not Gymnasium's own
BARE = ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")  # wrappers that change no rule
CHANCE = (*UNWATCHED, "np_random", "_np_random", "_np_random_seed")
IGNORED = ("render_state", "screen", "surf", "clock", "isopen", "last_rgb", "spec")
TIME = "time"


class GymnasiumSimulator(Simulator):
    """A Gymnasium environment, with state access where its attributes allow it."""

    records_draws = True

    def __init__(self, env: gymnasium.Env[Any, Any], name: str, *, unwrapped: bool = False) -> None:
        self.outside = tuple(wrappers_of(env)) if unwrapped else ()
        self.name, self._env = name, _inside(env) if self.outside else env
        self.action_space = self._env.action_space
        self._texts = Texts(self._env.observation_space, name)
        self.observation_space, self.dropped = self._texts.space, self._texts.dropped
        self._limit = _time_limit(self._env)
        self.time_limit = None if self._limit is None else self._limit._max_episode_steps
        self._fresh, self._names, self._dtypes = self._find_state()
        self.loads = bool(self._names)
        self.draws_unseen = any(n in self._env.unwrapped.__dict__ for n in UNWATCHED)

    # --- playing ----------------------------------------------------------------------

    def reset(self, seed: int) -> Fields:
        with recording_seeds():
            obs, self.info = self._env.reset(seed=seed)
        return self._start(obs)

    def step(self, action: Any) -> Fields:
        self.draws()  # forget earlier ones
        obs, reward, terminated, truncated, self.info = self._env.step(self._legal(action))
        state = self.state() if self.loads else None
        return outcome(self._seen(obs), plain(reward), terminated, truncated, state)

    def draws(self) -> tuple[Draw, ...]:
        generator = getattr(self._env.unwrapped, "np_random", None)
        return generator.take() if isinstance(generator, RecordingGenerator) else ()

    def starts(self, seed: int, count: int) -> Fields:
        seeds = [seed] + [None] * (count - 1)
        return table_of_starts([self._start(self._env.reset(seed=s)[0]) for s in seeds])

    def close(self) -> None:
        self._env.close()

    def _seen(self, obs: Any) -> Any:
        return plain(self._texts.without(obs))

    # --- state ------------------------------------------------------------------------

    def state(self) -> Fields:
        held = self._env.unwrapped.__dict__
        fields = {}
        for name in self._names:
            fields |= flatten(name, plain(held[name]))
        if self._limit is not None:
            fields[TIME] = np.array(self._limit._elapsed_steps)
        return fields

    def load(self, state: Fields) -> None:
        held = self._env.unwrapped
        for name, template in self._fresh.items():
            setattr(held, name, copy.copy(template))
        for name in self._names:
            setattr(held, name, _like(self._template(name, state), name, state))
        if self._limit is not None:
            self._limit._elapsed_steps = int(state.get(TIME, 0))

    def _start(self, obs: Any) -> Fields:
        return flatten("obs", self._seen(obs)) | (as_state(self.state()) if self.loads else {})

    def _template(self, name: str, state: Fields) -> Any:
        """Return the attribute after a reset; an array in the dtype that the state has.

        Some environments reset to one float dtype and step to the other (Acrobot,
        MountainCarContinuous): either is loaded as it was read, any other is converted.
        """
        fresh = self._fresh[name]
        dtype = state[name].dtype if name in state else None
        return fresh.astype(dtype) if dtype in self._dtypes.get(name, ()) else fresh

    def _find_state(self) -> tuple[dict[str, Any], list[str], dict[str, set[np.dtype]]]:
        """Find the state among the attributes that change.

        Return these attributes with their values after a reset, the names of the state, and the
        dtypes that its arrays were seen in.

        A count that resets do not bring back, such as one of all episodes, is not state.
        """
        seen: dict[str, list[Any]] = {}
        begun: dict[str, list[Any]] = {}  # after each reset
        fresh: dict[str, Any] = {}
        try:
            for begins, attributes in self._watch():
                fresh = fresh or attributes
                for name, value in attributes.items():
                    seen.setdefault(name, []).append(value)
                    if begins:
                        begun.setdefault(name, []).append(value)
        except Exception:
            pass  # the error comes up again when it is played; use what was seen so far
        else:
            fresh = {n: v for n, v in fresh.items() if not _only_counts(seen[n], begun[n])}
        written = written_in_steps(type(self._env.unwrapped))
        changing = [
            n for n, values in seen.items() if n in fresh and (_varies(values) or n in written)
        ]
        names = [n for n in changing if _is_data(fresh[n])]
        dtypes = {
            n: {v.dtype for v in seen[n] if isinstance(v, np.ndarray)}
            for n in names
            if isinstance(fresh[n], np.ndarray)
        }
        # A value that is None after a reset may change later than this, for instance at an end.
        return {n: v for n, v in fresh.items() if n in names or v is None}, names, dtypes

    def _watch(self, episodes: int = 3, steps: int = 30) -> Iterator[tuple[bool, dict[str, Any]]]:
        """Yield the attributes after each reset and step of some episodes, and which it was."""
        sampler = copy.deepcopy(self.action_space)
        sampler.seed(0)
        for episode in range(episodes):
            self._env.reset(seed=episode)
            yield True, _attributes(self._env)
            for _ in range(steps):
                _, _, terminated, truncated, _ = self._env.step(sampler.sample())
                yield False, _attributes(self._env)
                if terminated or truncated:
                    break

    def _legal(self, action: Any) -> Any:
        if isinstance(self.action_space, gymnasium.spaces.Discrete):
            return int(action)
        if is_compound(self.action_space):
            row = np.asarray(action, row_dtype(self.action_space))
            return unflatten_action(row, self.action_space)
        return np.asarray(action, self.action_space.dtype)


def import_registering(env_id: str) -> None:
    """Import the module of `module:ID`, also from the current folder."""
    module, colon, _ = env_id.rpartition(":")
    if colon:
        with suppress(ModuleNotFoundError, ValueError):  # Gymnasium reports them
            import_named(module)


def import_package_of(name: str) -> None:
    """Import the module that a simulator's name begins with, as opening it does."""
    scheme, target, _ = parse_name(name)
    if scheme == "gymnasium":
        import_registering(target)
    elif scheme == "python":
        import_named(target.partition(":")[0])


def open_gymnasium(env_id: str, /, **options: Any) -> GymnasiumSimulator:
    """Open `gymnasium:ID` without Gymnasium's own checker in between."""
    import_registering(env_id)
    unwrapped = bool(options.pop(UNWRAPPED, False))
    try:
        env = _made(env_id, options)
        return GymnasiumSimulator(env, f"gymnasium:{env_id}", unwrapped=unwrapped)
    except gymnasium.error.DependencyNotInstalled as error:
        raise MissingPackage(f"gymnasium:{env_id} needs more packages: {error}") from error
    except gymnasium.error.Error as error:
        raise EnvwrightError(f"gymnasium:{env_id}: {_one_line(error)}") from error
    except ModuleNotFoundError as error:
        package = error.name or env_id.partition(":")[0]
        raise MissingPackage(
            f"gymnasium:{env_id} needs the package {package!r}; install it first"
        ) from error


def _made(env_id: str, options: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    try:
        return gymnasium.make(env_id, disable_env_checker=True, **options)
    except TypeError as error:  # an option that it does not take
        name = join_options(f"gymnasium:{env_id}", options)
        hint = missing_options(name, error)
        raise EnvwrightError(f"gymnasium:{env_id}: {_one_line(error)}{hint}") from error


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def wrappers_of(env: gymnasium.Env[Any, Any]) -> Iterator[str]:
    """Yield the `module:Class` of wrappers that may change the game, from the outside in."""
    while isinstance(env, gymnasium.Wrapper):
        if type(env).__name__ not in BARE:
            yield f"{type(env).__module__}:{type(env).__qualname__}"
        env = env.env


def _inside(env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    """Return the environment without its wrappers, except for a time limit."""
    limit, inside = _time_limit(env), env.unwrapped
    if limit is None:
        return inside
    return gymnasium.wrappers.TimeLimit(inside, limit._max_episode_steps)


def _time_limit(env: gymnasium.Env[Any, Any]) -> Any:
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, gymnasium.wrappers.TimeLimit):
            return env
        env = env.env
    return None


def _attributes(env: gymnasium.Env[Any, Any]) -> dict[str, Any]:
    held = env.unwrapped.__dict__
    kept = (n for n in held if n not in CHANCE and n not in IGNORED)
    return {n: copy.copy(held[n]) for n in kept if _is_data(held[n]) or held[n] is None}


def _varies(values: list[Any]) -> bool:
    first = _comparable(values[0])
    return any(_comparable(v) != first for v in values[1:])


def _only_counts(values: list[Any], begun: list[Any]) -> bool:
    """Return whether an integer only grows, also across resets."""
    if not all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values):
        return False
    return begun[0] < begun[-1] and all(a <= b for a, b in itertools.pairwise(values))


def _comparable(value: Any) -> Any:
    if value is None:
        return None
    return [(k, v.shape, v.tobytes()) for k, v in flatten("", plain(value)).items()]


def _is_data(value: Any) -> bool:
    if isinstance(value, bool | int | float | np.number):
        return True
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(_is_data(v) for v in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    return _is_jax(value)


def _is_jax(value: Any) -> bool:
    if "jax" not in sys.modules or value is None or isinstance(value, str | dict | type):
        return False
    import jax

    leaves = jax.tree.leaves(value)
    return bool(leaves) and all(isinstance(leaf, jax.Array) for leaf in leaves)


def plain(value: Any) -> Any:
    """Convert JAX arrays to NumPy; everything else stays."""
    if isinstance(value, np.ndarray | np.generic | int | float | bool | list):
        return value
    if _is_jax(value):
        import jax

        return jax.tree.map(np.asarray, value)
    return value


def _like(template: Any, name: str, state: Fields) -> Any:
    """Return the fields below `name`, in the types of `template`."""
    if name in state:
        return _cast(template, state[name])
    if _is_jax(template):
        import jax
        import jax.numpy as jnp

        from envwright.core.pytree import with_leaves

        below = {k.removeprefix(name + "."): v for k, v in state.items() if k.startswith(name)}
        return jax.tree.map(jnp.asarray, with_leaves(template, below))
    if isinstance(template, tuple):
        return tuple(_like(t, f"{name}.{i}", state) for i, t in enumerate(template))
    return copy.copy(template)


def _cast(template: Any, value: np.ndarray) -> Any:
    if isinstance(template, np.ndarray):
        return np.array(value, template.dtype)
    if isinstance(template, list):
        return np.asarray(value).tolist()
    if isinstance(template, tuple):
        return tuple(_cast(t, v) for t, v in zip(template, value, strict=True))
    if isinstance(template, np.generic):
        return template.dtype.type(value)
    if isinstance(template, bool | int | float):
        return type(template)(np.asarray(value).item())
    import jax.numpy as jnp

    return jnp.asarray(value, template.dtype)
