"""A native environment for Gymnasium: a batch that resets in the same step, and a single one."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import Space
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from envwright.core.native import NativeVectorEnv, named_parts
from envwright.core.registry import find, make
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError


class NativeGymnasiumVectorEnv(VectorEnv):
    """A vector environment in Rust with the interface of `SyncVectorEnv` in SAME_STEP mode.

    An ended episode's last observation is `infos["final_obs"][i]`, where `infos["_final_obs"]`
    is true. Translations also know `autoreset_mode="NextStep"`, the default of `SyncVectorEnv`:
    the step after an end ignores the action and begins the next episode.

    In games with illegal actions, `infos["action_mask"]` (int8) marks the legal ones.
    With `copy=False`, the next step overwrites the observations.
    """

    def __init__(
        self,
        env: NativeVectorEnv,
        observation_space: Space,
        action_space: Space,
        *,
        copy: bool = True,
    ) -> None:
        """Wrap an environment; both spaces are those of a single environment."""
        if env.players > 1:
            raise EnvwrightError(
                f"{env.identity} has {env.players} players, and Gymnasium supports one; name an "
                "opponent, or use envwright.adapters.pettingzoo without a backend"
            )
        if env.obs_dtype.names is None:
            _check("observation_space", observation_space, env.obs_shape)
        _check("action_space", action_space, env.action_shape)
        self.env = env
        self.copy = copy
        self.num_envs = env.num_envs
        self._later = getattr(env, "restarts_later", False)
        mode = AutoresetMode.NEXT_STEP if self._later else AutoresetMode.SAME_STEP
        self.metadata = {"autoreset_mode": mode}
        self.single_observation_space = observation_space
        self.single_action_space = action_space
        self.observation_space = batch_space(observation_space, self.num_envs)
        self.action_space = batch_space(action_space, self.num_envs)

    @classmethod
    def of(
        cls,
        name: str,
        num_envs: int = 1,
        backend: str | None = None,
        *,
        copy: bool = True,
        render_mode: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
        **options: Any,
    ) -> NativeGymnasiumVectorEnv:
        """Make a native environment by name; it declares its spaces and draws no pictures."""
        _refuse_pictures(name, render_mode)
        options |= _restarts(name, backend, AutoresetMode(autoreset_mode))
        env: Any = make(name, backend, num_envs=num_envs, **options)
        spaces = env.observation_space.to_gymnasium(), env.action_space.to_gymnasium()
        return cls(env, *spaces, copy=copy)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        if options is not None and "reset_mask" in options:
            raise ValueError("reset_mask is not supported; ended environments reset automatically")
        return self.own(self.env.reset(seed)), self.legal_infos()

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        step = self.env.step(actions)
        ended = np.zeros(self.num_envs, bool) if self._later else step.terminated | step.truncated
        return (
            self.own(step.obs),
            step.reward.astype(np.float64),
            step.terminated.copy(),
            step.truncated.copy(),
            _infos(step.final_obs, ended) | self.legal_infos(),
        )

    def legal_infos(self) -> dict[str, Any]:
        """Return the masks of legal actions, as Gymnasium collects them."""
        legal = self.env.legal
        if legal is None:
            return {}
        everywhere = np.ones(self.num_envs, bool)
        return {"action_mask": legal.astype(np.int8), "_action_mask": everywhere}

    def own(self, obs: NDArray[Any]) -> Any:
        """Return observations that the caller may keep, unless `copy` is false."""
        return named_parts(obs.copy() if self.copy else obs)


def make_native_vector_env(
    name: str, num_envs: int = 1, backend: str | None = None, **options: Any
) -> NativeGymnasiumVectorEnv:
    """Make a batch by name, for `gymnasium.make_vec`."""
    return NativeGymnasiumVectorEnv.of(name, num_envs, backend, **options)


class NativeGymnasiumEnv(gymnasium.Env):
    """A native environment for Gymnasium loops, by name: a batch of one, without auto-reset.

    `reset(seed=…)` determines everything that follows. In games with illegal actions,
    `info["action_mask"]` (int8) marks the legal ones.
    """

    def __init__(
        self,
        name: str,
        backend: str | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        _refuse_pictures(name, render_mode)
        env: Any = make(name, backend, num_envs=1, threads=1, **options)
        spaces = env.observation_space.to_gymnasium(), env.action_space.to_gymnasium()
        self._batch = NativeGymnasiumVectorEnv(env, *spaces)
        self.observation_space, self.action_space = spaces
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        obs, infos = self._batch.reset(seed=seed)
        self._over = False
        return _first(obs), _first_infos(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._over:
            raise ResetNeeded("no episode is running; call reset() first")
        step = self._batch.env.step_raw(np.asarray(action)[None])
        ends = bool(step.terminated[0]), bool(step.truncated[0])
        self._over = any(ends)
        infos = {} if self._over else _first_infos(self._batch.legal_infos())
        return _first(self._batch.own(step.obs)), float(step.reward[0]), *ends, infos


def _first(obs: Any) -> Any:
    return {name: part[0] for name, part in obs.items()} if isinstance(obs, dict) else obs[0]


def _first_infos(infos: dict[str, Any]) -> dict[str, Any]:
    return {name: value[0] for name, value in infos.items() if not name.startswith("_")}


def _refuse_pictures(name: str, render_mode: str | None) -> None:
    if render_mode is not None:
        room = find(name).name
        raise EnvwrightError(f"{room} draws pictures only in JAX; leave out render_mode")


def _restarts(name: str, backend: str | None, mode: AutoresetMode) -> dict[str, Any]:
    """Return the option of an environment that chooses how ended episodes restart."""
    if mode == AutoresetMode.SAME_STEP:
        return {}
    spec = find(name)
    native = load_attribute(spec.backends[backend or spec.default_backend])
    if (
        mode == AutoresetMode.DISABLED
        or "restarts_later" not in inspect.signature(native).parameters
    ):
        raise EnvwrightError(
            f"{spec.name} does not restart in mode {mode.value}; leave out autoreset_mode"
        )
    return {"restarts_later": True}


def _infos(final_obs: NDArray[Any], ended: NDArray[np.bool_]) -> dict[str, Any]:
    """Return Gymnasium's keys if an episode ended, as objects instead of one array."""
    if not ended.any():
        return {}
    each = np.full(len(ended), None, dtype=object)
    for i in np.flatnonzero(ended):
        each[i] = named_parts(final_obs[i].copy())
    return {
        "final_obs": each,
        "_final_obs": ended,
        "final_info": {},
        "_final_info": ended.copy(),
    }


def _check(name: str, space: Space, shape: tuple[int, ...]) -> None:
    if space.shape != shape:
        raise ValueError(f"{name} has shape {space.shape}; this environment's is {shape}")
