"""Environments of dm_env and of the old gym, as Gymnasium environments.

Neither package is imported here: what they make is recognised by its methods.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from envwright.core.room import import_named, load_attribute
from envwright.errors import EnvwrightError, MissingPackage
from envwright.sim.gymnasium_env import GymnasiumSimulator
from envwright.sim.simulator import Simulator

SEEDS = ("seed", "random", "random_seed", "random_state")  # what constructors call their seed


class Foreign(gymnasium.Env[Any, Any]):
    """An environment whose state is that of the object inside."""

    held: Any

    @property
    def unwrapped(self) -> Any:
        """The object that holds the state."""
        return getattr(self.held, "unwrapped", self.held)

    def close(self) -> None:
        if hasattr(self.held, "close"):
            self.held.close()


def open_dm_env(target: str, **options: Any) -> Simulator:
    """Open `dm_env:module:factory`, or a factory in `path/to/file.py`."""
    return GymnasiumSimulator(DmEnv(load_attribute(target), options), f"dm_env:{target}")


def open_gym(env_id: str, /, **options: Any) -> Simulator:
    """Open `gym:ID` or `gym:module:ID`: an environment of the old gym."""
    module, _, _ = env_id.rpartition(":")
    try:
        gym = import_named("gym")
        if module:
            import_named(module)
    except ModuleNotFoundError as error:
        raise MissingPackage(
            f"gym:{env_id} needs the package {error.name!r}; install it, or if the environment "
            "is registered with Gymnasium, write gymnasium:ID"
        ) from error
    try:
        made = gym.make(env_id, **options)
    except gym.error.Error as error:
        raise EnvwrightError(f"gym:{env_id}: {' '.join(str(error).split())}") from error
    limited = type(made).__name__ == "TimeLimit"  # ours counts the steps as part of the state
    env: Any = OldGym(made.env if limited else made)
    if limited:
        env = gymnasium.wrappers.TimeLimit(env, made._max_episode_steps)
    return GymnasiumSimulator(env, f"gym:{env_id}")


class DmEnv(Foreign):
    """An environment of dm_env. Each seed makes a new one, if its factory takes a seed."""

    def __init__(self, factory: Callable[..., Any], options: dict[str, Any]) -> None:
        self._factory, self._options = factory, options
        known = inspect.signature(factory).parameters
        self._seed = next((name for name in SEEDS if name in known and name not in options), "")
        self.held = self._made(0)
        for method in ("reset", "step", "action_spec", "observation_spec"):
            if not hasattr(self.held, method):
                raise EnvwrightError(
                    f"{type(self.held).__name__} is not an environment of dm_env: it has no "
                    f"{method}; give a factory of one"
                )
        self.action_space = space_of(self.held.action_spec())
        self.observation_space = space_of(self.held.observation_spec())

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self.held = self._made(seed)
        return _seen(self.held.reset().observation), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        after = self.held.step(action)
        last = int(after.step_type) == 2
        decided = last and not np.any(after.discount)
        reward = 0.0 if after.reward is None else after.reward
        return _seen(after.observation), reward, decided, last and not decided, {}

    def _made(self, seed: int) -> Any:
        return self._factory(**self._options, **({self._seed: seed} if self._seed else {}))


class OldGym(Foreign):
    """An environment of gym: `reset()` gives an observation, `step` four values, or as later."""

    def __init__(self, env: Any) -> None:
        self.held = env
        self.action_space = _newer(env.action_space)
        self.observation_space = _newer(env.observation_space)
        self._seeds_itself = "seed" in inspect.signature(env.unwrapped.reset).parameters

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if self._seeds_itself:
            result = self.held.reset(seed=seed)
        else:
            if seed is not None:
                self.held.seed(seed)
            result = self.held.reset()
        pair = isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)
        return (result[0] if pair else result), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        obs, reward, *ends, info = self.held.step(action)
        if len(ends) == 2:
            return obs, reward, bool(ends[0]), bool(ends[1]), info
        cut = bool(info.get("TimeLimit.truncated", False))
        return obs, reward, bool(ends[0]) and not cut, cut, info


def space_of(spec: Any) -> gymnasium.Space[Any]:
    """Convert a spec of dm_env, or nested dicts, lists and tuples of specs."""
    spaces = gymnasium.spaces
    if isinstance(spec, dict):
        return spaces.Dict({str(name): space_of(part) for name, part in spec.items()})
    if isinstance(spec, list | tuple):
        return spaces.Tuple([space_of(part) for part in spec])
    if hasattr(spec, "num_values"):
        return spaces.Discrete(int(spec.num_values))
    dtype = np.dtype(spec.dtype)
    if dtype.kind not in "biuf":
        raise EnvwrightError(f"{spec} is not a spec of numbers; leave it out in a wrapper")
    if dtype.kind == "b":
        return spaces.MultiBinary(spec.shape or 1)
    least, most = _widest(dtype)
    low = np.broadcast_to(np.asarray(getattr(spec, "minimum", least), dtype), spec.shape)
    high = np.broadcast_to(np.asarray(getattr(spec, "maximum", most), dtype), spec.shape)
    return spaces.Box(low, high, spec.shape, dtype.type)


def _widest(dtype: np.dtype) -> tuple[Any, Any]:
    if dtype.kind == "f":
        return -np.inf, np.inf
    return np.iinfo(dtype).min, np.iinfo(dtype).max


def _seen(observation: Any) -> Any:
    """Return an observation in Gymnasium's structure: dicts and tuples."""
    if isinstance(observation, dict):
        return {str(name): _seen(part) for name, part in observation.items()}
    if isinstance(observation, list | tuple):
        return tuple(map(_seen, observation))
    return observation


def _newer(space: Any) -> gymnasium.Space[Any]:
    """Convert a space of gym, whose classes have the names of Gymnasium's."""
    spaces, kind = gymnasium.spaces, type(space).__name__
    if kind == "Discrete":
        return spaces.Discrete(int(space.n), start=int(getattr(space, "start", 0)))
    if kind == "MultiDiscrete":
        return spaces.MultiDiscrete(space.nvec)
    if kind == "MultiBinary":
        return spaces.MultiBinary(space.n)
    if kind == "Box":
        return spaces.Box(space.low, space.high, space.shape, space.dtype)
    if kind == "Dict":
        return spaces.Dict({name: _newer(part) for name, part in space.spaces.items()})
    if kind == "Tuple":
        return spaces.Tuple([_newer(part) for part in space.spaces])
    raise EnvwrightError(f"{space} of gym is not supported; wrap the environment")
