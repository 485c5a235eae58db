"""A native environment as a Gymnasium vector environment that resets in the same step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from envwright.core.native import NativeVectorEnv
from envwright.core.registry import find, make
from envwright.errors import EnvwrightError


class NativeGymnasiumVectorEnv(VectorEnv):
    """A vector environment in Rust with the interface of `SyncVectorEnv` in SAME_STEP mode.

    An ended episode's last observation is `infos["final_obs"][i]`, where `infos["_final_obs"]`
    is true. In games with illegal actions, `infos["action_mask"]` (int8) marks the legal ones.
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
        _check("observation_space", observation_space, env.obs_shape)
        _check("action_space", action_space, env.action_shape)
        self.env = env
        self.copy = copy
        self.num_envs = env.num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
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
        **options: Any,
    ) -> NativeGymnasiumVectorEnv:
        """Make a native environment by name; it declares its spaces and draws no pictures."""
        if render_mode is not None:
            raise EnvwrightError(
                f"{find(name).name} draws pictures only in JAX; leave out render_mode"
            )
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
        return self._own(self.env.reset(seed)), self._legal_infos()

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        step = self.env.step(actions)
        return (
            self._own(step.obs),
            step.reward.astype(np.float64),
            step.terminated.copy(),
            step.truncated.copy(),
            _infos(step.final_obs, step.terminated | step.truncated) | self._legal_infos(),
        )

    def _legal_infos(self) -> dict[str, Any]:
        if self.env.legal is None:
            return {}
        everywhere = np.ones(self.num_envs, bool)
        return {"action_mask": self.env.legal.astype(np.int8), "_action_mask": everywhere}

    def _own(self, obs: NDArray[Any]) -> NDArray[Any]:
        return obs.copy() if self.copy else obs


def _infos(final_obs: NDArray[Any], ended: NDArray[np.bool_]) -> dict[str, Any]:
    """Return Gymnasium's keys if an episode ended, as objects instead of one array."""
    if not ended.any():
        return {}
    each = np.full(len(ended), None, dtype=object)
    for i in np.flatnonzero(ended):
        each[i] = final_obs[i].copy()
    return {
        "final_obs": each,
        "_final_obs": ended,
        "final_info": {},
        "_final_info": ended.copy(),
    }


def _check(name: str, space: Space, shape: tuple[int, ...]) -> None:
    if space.shape != shape:
        raise ValueError(f"{name} has shape {space.shape}; this environment's is {shape}")
