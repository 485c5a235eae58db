"""Gymnasium's own vectorised environments as lanes of the host loop."""

from __future__ import annotations

from collections.abc import Sequence

import gymnasium
import numpy as np

from envwright.core.spaces import from_gymnasium
from envwright.sim.hosts import HostStep, HostView


class VectorLanes:
    """The class behind `make_vec(…, vectorization_mode="vector_entry_point")`.

    It restarts a lane by the tick *after* an episode's end and ignores the action of that
    tick. Here that tick is a step like others, of reward 0, from the last view of one episode
    to the first of the next: right for a clock, not for a learning curve.
    """

    def __init__(self, id: str, num_envs: int) -> None:
        self.num_envs = num_envs
        self.env = gymnasium.make_vec(id, num_envs, vectorization_mode="vector_entry_point")
        self.obs_space = from_gymnasium(self.env.single_observation_space)
        self.action_space = from_gymnasium(self.env.single_action_space)
        self._action_dtype = self.env.single_action_space.dtype

    def reset(self, seeds: Sequence[int]) -> HostView:
        return HostView(self.env.reset(seed=int(seeds[0]))[0])

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        obs, reward, terminated, truncated, _ = self.env.step(actions.astype(self._action_dtype))
        truncated = truncated & ~terminated
        return HostStep(HostView(obs), reward.astype(np.float32), terminated, truncated, obs)

    def snapshot(self) -> None:
        """Return None: benchmarks are not resumed."""
        return None

    def restore(self, snapshot: bytes) -> HostView:
        raise NotImplementedError

    def close(self) -> None:
        self.env.close()
