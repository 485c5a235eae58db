"""Rust environments as lanes for the host loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from envwright.core.native import NativeVectorEnv, named_parts
from envwright.core.spaces import Space
from envwright.sim.hosts.protocol import HostStep, HostView


class NativeLanes:
    """A native batch, a lane for each player; the spaces are those of one.

    Self-play works as with JAX: one network plays all seats.
    """

    def __init__(self, env: NativeVectorEnv, obs_space: Space, action_space: Space) -> None:
        self.env, self.players = env, env.players
        self.num_envs = env.num_envs * env.players
        self.obs_space, self.action_space = obs_space, action_space

    def reset(self, seeds: Sequence[int]) -> HostView:
        return self._view(self.env.reset(list(seeds)[:: self.players]))

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        # All lanes: leaving some out would cost more than it saves.
        step = self.env.step(self._by_env(actions))
        return HostStep(
            self._view(step.obs),
            step.reward.reshape(-1),
            np.repeat(step.terminated, self.players),
            np.repeat(step.truncated, self.players),
            named_parts(self._by_lane(step.final_obs)),
        )

    def snapshot(self) -> bytes | None:
        return self.env.snapshot()

    def restore(self, snapshot: bytes) -> HostView:
        return self._view(self.env.restore(snapshot))

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _view(self, obs: np.ndarray) -> HostView:
        legal = self.env.legal
        seen = named_parts(self._by_lane(obs))
        return HostView(seen, None if legal is None else self._by_lane(legal))

    def _by_lane(self, array: np.ndarray) -> np.ndarray:
        """`[N, players, …]` as `[lanes, …]`."""
        return array if self.players == 1 else array.reshape(self.num_envs, *array.shape[2:])

    def _by_env(self, array: np.ndarray) -> np.ndarray:
        if self.players == 1:
            return array
        return array.reshape(self.env.num_envs, self.players, *array.shape[1:])
