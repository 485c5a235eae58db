"""The worlds again as Gymnasium environments, written from the rules, for the host loop."""

from __future__ import annotations

import threading
from typing import Any

import gymnasium
import numpy as np
from tests.train.worlds import RING, RING_LIMIT, Bright, Pay, Tracking


class RingTwin(gymnasium.Env):
    """The same ring in Python, written from the rules."""

    observation_space = gymnasium.spaces.Box(0, 10, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.at, self.time = 0, 0
        return self._obs(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.at = (self.at + (2 if action == 1 else -1)) % RING
        self.time += 1
        return self._obs(), float(self.at), self.at == 4, self.time >= RING_LIMIT, {}

    def _obs(self) -> np.ndarray:
        return np.float32([self.at, self.time])


class RandomRing(RingTwin):
    """Starts anywhere but in the hole; can be pickled."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.at = int(self.np_random.integers(4))
        return self._obs(), {}


class HeldRing(RandomRing):
    """Holds something that cannot be pickled."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class MaskedRing(RandomRing):
    """Only one action is legal where the place is even."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        obs, _ = super().reset(seed=seed)
        return obs, self._told()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        assert self._told()["action_mask"][action], "an illegal action was played"
        return *super().step(action)[:4], self._told()

    def _told(self) -> dict:
        return {"action_mask": np.array([self.at % 2 == 1, True])}


class PayTwin(gymnasium.Env):
    """`Pay` in Python, with a time limit."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        self.time = 0
        return np.ones(1, np.float32), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.time += 1
        return np.ones(1, np.float32), 1.0, False, self.time >= Pay.limit, {}


class TrackingTwin(gymnasium.Env):
    """`Tracking` in Python; remembers the actions it was given."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-Tracking.bound, Tracking.bound, (1,), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.target = self.np_random.uniform(-1.5, 1.5)
        self.position, self.given, self.time = 0.0, 0.0, 0
        return self._obs(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        assert self.action_space.contains(action), f"{action} is out of bounds"
        self.given = float(action[0])
        self.position += self.given
        self.time += 1
        cost = abs(self.target - self.position)
        return self._obs(), -cost, False, self.time >= Tracking.max_steps, {}

    def _obs(self) -> np.ndarray:
        return np.float32([self.target - self.position, self.given])


class BrightTwin(gymnasium.Env):
    """Pictures in Python."""

    observation_space = gymnasium.spaces.Box(0, 255, (Bright.side, Bright.side, 1), np.uint8)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.right = bool(self.np_random.integers(2))
        self.pixels = self.np_random.integers(0, 80, (Bright.side, Bright.side, 1), np.uint8)
        halves = np.split(self.pixels, 2, axis=1)
        halves[int(self.right)] += np.uint8(120)
        return self.pixels, {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        return self.pixels, 1.0 if (action == 1) == self.right else -1.0, True, False, {}
