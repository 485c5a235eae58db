"""A lamp that gets hot: the smallest environment with two modules worth translating."""

import gymnasium
import numpy as np


class LampEnv(gymnasium.Env):
    """Turn it down (0), leave it (1), turn it up (2); bright is good, too hot is the end."""

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(3)
        self.observation_space = gymnasium.spaces.Box(0.0, 10.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = int(self.np_random.integers(4))
        self.heat = self.np_random.uniform(0.0, 1.0)
        self.time = 0
        return self._seen(), {}

    def warm(self, heat, level):
        """Heat after a tick; it rises with the square of the level."""
        return 0.75 * heat + 0.0625 * level * level

    def step(self, action):
        self.level = min(max(self.level + action - 1, 0), 9)
        self.heat = self.warm(self.heat, self.level)
        self.time += 1
        melted = self.heat > 6.0
        return self._seen(), -10.0 if melted else float(self.level), melted, self.time >= 40, {}

    def _seen(self):
        return np.array([self.level, self.heat], np.float32)


class RestlessLamp(LampEnv):
    """A lamp that flickers: its steps draw."""

    def step(self, action):
        self.heat += 0.5 * self.np_random.uniform(0.0, 0.1)
        self.level = min(max(self.level + int(self.np_random.integers(-1, 2)), 0), 9)
        return super().step(action)
