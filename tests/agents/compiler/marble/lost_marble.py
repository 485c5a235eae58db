"""A marble that rolls to a wall; the compiler cannot write how its start is drawn."""

import gymnasium
import numpy as np


class LostMarble(gymnasium.Env):
    """Rolls on a line."""

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(2)
        self.observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,), np.float64)
        self.friction = 0.9

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        ends = sorted({float(x) for x in self.np_random.uniform(-1.0, 1.0, 2)})
        self.place, self.speed = ends[0], ends[1]
        return np.array([self.place, self.speed]), {}

    def step(self, action):
        push = 0.1 if action == 1 else -0.1
        self.speed = self.friction * self.speed + push
        self.place += self.speed
        hit = abs(self.place) > 3.0
        return np.array([self.place, self.speed]), float(hit), hit, False, {}


gymnasium.register("LostMarble-v0", LostMarble, max_episode_steps=40)
