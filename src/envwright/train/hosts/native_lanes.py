"""Rust environments as lanes for the host loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from envwright.core.native import NativeVectorEnv
from envwright.core.spaces import Space
from envwright.train.hosts.lanes import HostStep, HostView


class NativeLanes:
    """A native batch; the spaces are those of one environment."""

    def __init__(self, env: NativeVectorEnv, obs_space: Space, action_space: Space) -> None:
        self.env, self.num_envs = env, env.num_envs
        self.obs_space, self.action_space = obs_space, action_space

    def reset(self, seeds: Sequence[int]) -> HostView:
        return HostView(self.env.reset(list(seeds)))

    def step(self, actions: np.ndarray, active: np.ndarray | None = None) -> HostStep:
        # All lanes: leaving some out would cost more than it saves.
        step = self.env.step(actions)
        return HostStep(
            HostView(step.obs), step.reward, step.terminated, step.truncated, step.final_obs
        )

    def snapshot(self) -> bytes | None:
        return self.env.snapshot()

    def restore(self, snapshot: bytes) -> HostView:
        return HostView(self.env.restore(snapshot))

    def close(self) -> None:
        """Nothing is held."""
