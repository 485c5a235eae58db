"""A Rust environment with the buffers and calls of PufferLib's own environments.

    env = PufferVectorEnv(envwright.make("pong", backend="rust", num_envs=4096, frame_skip=8))
    obs, infos = env.reset(seed=0)
    obs, rewards, terminals, truncations, infos = env.step(actions)

It does not need PufferLib. If `buf` is a mapping with PufferLib's six arrays, everything is written
there: PufferLib's vectorisers share memory with their workers this way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from envwright.core.native import NativeVectorEnv
from envwright.errors import EnvwrightError

BUFFERS = ("observations", "rewards", "terminals", "truncations", "masks", "actions")
Infos = list[dict[str, float]]


class PufferVectorEnv:
    """N environments of one agent each; those that end restart in the same step.

    Every `log_interval` steps, `infos` has one entry with the mean return and length of the
    episodes that ended since the last entry, if any did.
    """

    observations: NDArray[Any]  # [N, *obs_shape]
    rewards: NDArray[np.float32]  # [N]
    terminals: NDArray[np.bool_]  # [N]
    truncations: NDArray[np.bool_]  # [N]
    masks: NDArray[np.bool_]  # [N], all true
    actions: NDArray[Any]  # [N, *action_shape]

    emulated = done = False  # the environment restarts itself

    def __init__(
        self,
        env: NativeVectorEnv,
        buf: Mapping[str, NDArray[Any]] | None = None,
        log_interval: int = 128,
    ) -> None:
        spaces = [getattr(env, name, None) for name in ("observation_space", "action_space")]
        if None in spaces:
            raise EnvwrightError("the environment declares no spaces; pass one of the zoo")
        if env.players > 1:
            raise EnvwrightError(f"{env.identity} has {env.players} players; name an opponent")
        self.single_observation_space, self.single_action_space = (
            space.to_gymnasium()  # type: ignore[union-attr]
            for space in spaces
        )
        self.env, self.log_interval = env, log_interval
        self.num_agents = self.agents_per_batch = env.num_envs
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        self.action_space = batch_space(self.single_action_space, env.num_envs)
        self.agent_ids = np.arange(env.num_envs)
        self._take_buffers(buf)
        self.infos: Infos = []
        self._ticks = 0
        self._returns = np.zeros(env.num_envs, np.float64)
        self._lengths = np.zeros(env.num_envs, np.int64)
        self._ended: list[NDArray[np.float64]] = []  # rows of return and length

    @property
    def driver_env(self) -> PufferVectorEnv:
        """The environment that PufferLib asks for spaces: itself."""
        return self

    def reset(self, seed: int | None = None) -> tuple[NDArray[Any], Infos]:
        """Start every environment; environment i uses `seed + i`."""
        self.observations[:] = self.env.reset(seed)
        self._returns[:], self._lengths[:], self._ticks, self._ended = 0, 0, 0, []
        return self.observations, []

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Infos]:
        """Step all and return the buffers, which the next call overwrites."""
        self.actions[:] = np.asarray(actions).reshape(self.actions.shape)
        self.env.step_into(
            self.actions, self.observations, self.rewards, self.terminals, self.truncations
        )
        self._count()
        return self.observations, self.rewards, self.terminals, self.truncations, self._log_infos()

    def async_reset(self, seed: int | None = None) -> None:
        """Reset; `recv` returns the result."""
        _, self.infos = self.reset(seed)

    def send(self, actions: ArrayLike) -> None:
        """Step; `recv` returns the result."""
        *_, self.infos = self.step(actions)

    def recv(self) -> tuple[Any, ...]:
        """Return observations, rewards, terminals, truncations, infos, agent ids, masks."""
        told = self.observations, self.rewards, self.terminals, self.truncations
        return (*told, self.infos, self.agent_ids, self.masks)

    def close(self) -> None:
        """Do nothing, because nothing is open."""

    def _take_buffers(self, buf: Mapping[str, NDArray[Any]] | None) -> None:
        env, lanes = self.env, self.num_agents
        own = {
            "observations": np.zeros((lanes, *env.obs_shape), env.obs_dtype),
            "rewards": np.zeros(lanes, np.float32),
            "terminals": np.zeros(lanes, bool),
            "truncations": np.zeros(lanes, bool),
            "masks": np.ones(lanes, bool),
            "actions": np.zeros((lanes, *env.action_shape), env.action_dtype),
        }
        given = own if buf is None else buf
        for name in BUFFERS:
            if name not in given:
                raise EnvwrightError(f"buf has no {name!r}; PufferLib's has {', '.join(BUFFERS)}")
            found, wanted = given[name], own[name]
            if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
                raise EnvwrightError(
                    f"buf[{name!r}] is {found.dtype}{list(found.shape)}; "
                    f"pass {wanted.dtype}{list(wanted.shape)}"
                )
            setattr(self, name, found)
        self.masks[:] = True

    def _count(self) -> None:
        self._ticks += 1
        self._returns += self.rewards
        self._lengths += 1
        over = self.terminals | self.truncations
        if over.any():
            lengths = self._lengths[over].astype(np.float64)
            self._ended.append(np.stack([self._returns[over], lengths], axis=1))
            self._returns[over], self._lengths[over] = 0, 0

    def _log_infos(self) -> Infos:
        if self._ticks % self.log_interval or not self._ended:
            return []
        ended, self._ended = np.concatenate(self._ended), []
        mean_return, mean_length = ended.mean(axis=0).tolist()
        return [{"episode_return": mean_return, "episode_length": mean_length, "n": len(ended)}]
