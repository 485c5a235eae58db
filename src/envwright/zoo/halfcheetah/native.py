"""HalfCheetah in Rust: N robots in one call, on all cores, written into NumPy buffers."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright._native import HalfCheetahF64VecEnv, HalfCheetahVecEnv
from envwright.core.native import NativeVectorEnv, available_cores
from envwright.zoo.halfcheetah.env import HalfCheetah


class NativeHalfCheetah(NativeVectorEnv):
    """`make("halfcheetah", backend="rust", num_envs=4096)`: the same physics as `HalfCheetah`.

    A vector register holds one number of several robots, which makes this by far the fastest way to
    run them on a processor. It equals the JAX environment up to rounding; `dtype` is float32 or
    float64, rewards are float32 in both. `threads` is the number of cores that this process may
    use, unless given.
    """

    id, version = HalfCheetah.id, HalfCheetah.version

    def __init__(
        self,
        num_envs: int = 1,
        threads: int | None = None,
        dtype: Any = np.float32,
        frame_skip: int = 5,
        exclude_current_positions_from_observation: bool = True,
        forward_reward_weight: float = 1.0,
        ctrl_cost_weight: float = 0.1,
        reset_noise_scale: float = 0.1,
        max_steps: int = 1000,
    ) -> None:
        same = HalfCheetah(dtype, frame_skip, exclude_current_positions_from_observation)
        robots = HalfCheetahVecEnv if same.dtype == np.float32 else HalfCheetahF64VecEnv
        super().__init__(
            robots(
                num_envs,
                available_cores() if threads is None else threads,
                robot=same.robot.to_json(),
                forward_reward_weight=forward_reward_weight,
                ctrl_cost_weight=ctrl_cost_weight,
                reset_noise_scale=reset_noise_scale,
                exclude_current_positions_from_observation=same.exclude_positions,
                frame_skip=same.frame_skip,
                max_steps=max_steps,
            )
        )
        self.observation_space = same.observation_space()
        self.action_space = same.action_space()
