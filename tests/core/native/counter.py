"""A counter in Rust, the same in Python, and buffers for both."""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from envwright._native import CounterVecEnv
from envwright.core.native import NativeVectorEnv

N, BOUND, MAX_STEPS = 5, 4, 9
OBSERVATION_SPACE = Box(-1.0, 1.0, (2,), np.float32)


def counter(num_envs: int = N, threads: int = 1) -> CounterVecEnv:
    return CounterVecEnv(num_envs, threads, bound=BOUND, max_steps=MAX_STEPS)


def wrapped(num_envs: int = N, threads: int = 1) -> NativeVectorEnv:
    return NativeVectorEnv(counter(num_envs, threads))


def buffers(num_envs: int = N) -> dict[str, np.ndarray]:
    return {
        "actions": np.ones(num_envs, np.int32),
        "obs": np.full((num_envs, 2), -9, np.float32),
        "reward": np.full(num_envs, -9, np.float32),
        "terminated": np.ones(num_envs, np.bool_),
        "truncated": np.ones(num_envs, np.bool_),
        "final_obs": np.full((num_envs, 2), -9, np.float32),
    }


def ready(num_envs: int = N, threads: int = 1) -> CounterVecEnv:
    env = counter(num_envs, threads)
    env.reset(np.arange(num_envs, dtype=np.uint64), buffers(num_envs)["obs"])
    return env


def random_actions(steps: int, num_envs: int = N) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 3, (steps, num_envs), dtype=np.int32)


class CounterTwin(gymnasium.Env):
    """The same walk in Python, written from the rules and not from the Rust code."""

    observation_space = OBSERVATION_SPACE
    action_space = Discrete(3)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.random = seed
        self.position, self.steps = self._draw(2 * (BOUND // 2) + 1) - BOUND // 2, 0
        return self._obs(), {}

    def step(self, action):
        self.position += int(action) - 1
        self.steps += 1
        terminated = abs(self.position) == BOUND
        reward = float(np.sign(self.position)) if terminated else 0.0
        return self._obs(), reward, terminated, self.steps >= MAX_STEPS and not terminated, {}

    def _obs(self):
        return np.float32([self.position, self.steps]) / np.float32([BOUND, MAX_STEPS])

    def _draw(self, n: int) -> int:
        mask = 2**64 - 1
        self.random = (self.random + 0x9E3779B97F4A7C15) & mask
        z = self.random
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return (z ^ z >> 31) * n >> 64
