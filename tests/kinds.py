"""A walk along a line, once for each kind of action, observation and reward."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

LAST = 6
LIMIT = 20


class Walk(gymnasium.Env):
    """Steps to the left or right from a random place; the episode ends at the right end."""

    def __init__(self) -> None:
        self.observation_space: spaces.Space = spaces.Discrete(LAST + 1)
        self.action_space: spaces.Space = spaces.Discrete(3)
        self.place = 0
        self.steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict]:
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(0, 3))
        self.steps = 0
        return self.observation(), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict]:
        self.place = min(max(self.place + self.push(action), 0), LAST)
        self.steps += 1
        ended = self.place == LAST
        return self.observation(), self.reward(), ended, self.steps >= LIMIT, {}

    def push(self, action: Any) -> int:
        return int(action) - 1

    def observation(self) -> Any:
        return self.place

    def reward(self) -> Any:
        return float(self.place == LAST)


class WalkFromMinusOne(Walk):
    """Actions are -1, 0 and 1."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.Discrete(3, start=-1)
        self.observation_space = spaces.Discrete(LAST + 1, start=10)

    def push(self, action: Any) -> int:
        return int(action)

    def observation(self) -> int:
        return self.place + 10


class TwoDials(Walk):
    """A MultiDiscrete action; a grid of MultiDiscrete is seen."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.MultiDiscrete([3, 2])
        self.observation_space = spaces.MultiDiscrete([[LAST + 1, 2], [2, LIMIT + 1]])

    def push(self, action: Any) -> int:
        return int((action[0] - 1) * (1 + action[1]))

    def observation(self) -> np.ndarray:
        return np.array([[self.place, self.place % 2], [self.place // 4, self.steps]])


class Switches(Walk):
    """A MultiBinary action and observation."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.MultiBinary(2)
        self.observation_space = spaces.MultiBinary(LAST + 1)

    def push(self, action: Any) -> int:
        return int(action[0]) - int(action[1])

    def observation(self) -> np.ndarray:
        return (np.arange(LAST + 1) == self.place).astype(np.int8)


class Pairs(Walk):
    """A Tuple of whole numbers as the action and as the observation."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.Tuple([spaces.Discrete(3), spaces.Discrete(2)])
        self.observation_space = spaces.Tuple([spaces.Discrete(7), spaces.Discrete(2)])

    def push(self, action: Any) -> int:
        way, double = action
        return int((way - 1) * (1 + double))

    def observation(self) -> tuple[int, int]:
        return self.place, self.place % 2


class Mixed(Walk):
    """Tuples of different parts."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.Tuple([spaces.Discrete(3), spaces.Box(0, 2, (2,), np.float32)])
        self.observation_space = spaces.Tuple(
            [spaces.Discrete(LAST + 1), spaces.Box(0, LAST, (2,), np.float32)]
        )

    def push(self, action: Any) -> int:
        way, strength = action
        return int((way - 1) * (1 + (strength[0] > strength[1])))

    def observation(self) -> tuple[int, np.ndarray]:
        return self.place, np.array([self.place, self.place / 2], np.float32)


class Named(Walk):
    """Dict actions and observations, one of which is a text that never changes."""

    mission = "go to the right end"

    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.Dict({"way": spaces.Discrete(3), "far": spaces.MultiBinary(1)})
        self.observation_space = spaces.Dict(
            {
                "place": spaces.Discrete(LAST + 1),
                "near": spaces.MultiBinary(1),
                "mission": spaces.Text(40),
            }
        )

    def push(self, action: Any) -> int:
        return int((action["way"] - 1) * (1 + action["far"][0]))

    def observation(self) -> dict[str, Any]:
        near = np.array([self.place > LAST - 2], np.int8)
        return {"place": self.place, "near": near, "mission": self.mission}


class ChangingMission(Named):
    """The text says where it stands."""

    @property
    def mission(self) -> str:  # type: ignore[override]
        return f"go on from {self.place}"


class Throttle(Walk):
    """A Box action and observation of shape ()."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.Box(-1.5, 1.5, (), np.float32)
        self.observation_space = spaces.Box(0, LAST, (), np.float32)

    def push(self, action: Any) -> int:
        return int(action > 0.5) - int(action < -0.5)

    def observation(self) -> np.ndarray:
        return np.array(self.place, np.float32)


class TwoGoals(Walk):
    """A reward for each of two goals."""

    def reward(self) -> np.ndarray:
        return np.array([self.place == LAST, self.place == 0], np.float32)


def scaled() -> gymnasium.Env:
    """A walk in two wrappers, one of which changes rewards."""
    limited = gymnasium.wrappers.TimeLimit(Walk(), 15)
    return gymnasium.wrappers.TransformReward(limited, lambda reward: 2 * reward)


class Sized(Walk):
    """A constructor with an argument that it needs."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size


class Global(Walk):
    """Draws from NumPy's global generator."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict]:
        super().reset(seed=seed)
        self.place = int(np.random.randint(0, 4))
        return self.observation(), {}


class Outside(Walk):
    """Shows places that it does not declare."""

    def __init__(self) -> None:
        super().__init__()
        self.observation_space = spaces.Discrete(LAST)


class Raising(Walk):
    """A mistake in its own step."""

    def push(self, action: Any) -> int:
        return {0: -1, 1: 0}[int(action)]


KINDS = [
    Walk,
    WalkFromMinusOne,
    TwoDials,
    Switches,
    Pairs,
    Mixed,
    Named,
    Throttle,
    TwoGoals,
]
