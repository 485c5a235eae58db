"""What the small games of this folder share, and the table of what the compiler does with them."""

from collections.abc import Callable

import gymnasium as gym
import numpy as np
from gymnasium import spaces

EQUAL, NEARLY = "", "~"
TABLE: dict[str, tuple[type, str]] = {}  # name -> game, what its refusal says


def equal(game: type) -> type:
    """Expect a translation that equals the game in every step."""
    TABLE[game.__name__] = (game, EQUAL)
    return game


def nearly(game: type) -> type:
    """Expect a translation whose floats may differ in the last digits."""
    TABLE[game.__name__] = (game, NEARLY)
    return game


def refused(reason: str) -> Callable[[type], type]:
    """Expect a refusal with this reason."""

    def note(game: type) -> type:
        TABLE[game.__name__] = (game, reason)
        return game

    return note


class Game(gym.Env):
    """Two numbers, four actions. A game says how it begins and what an action does."""

    action_space = spaces.Discrete(4)
    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)

    def begin(self):
        self.x, self.y = int(self.np_random.integers(-6, 7)), 0

    def play(self, action):
        raise NotImplementedError

    def over(self):
        return False

    def seen(self):
        return np.array([self.x, self.y], dtype=np.float64)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.begin()
        return self.seen(), {}

    def step(self, action):
        reward = self.play(action)
        return self.seen(), float(reward), bool(self.over()), False, {}
