"""Lanterns, after rules.md. Comments name the rule."""

import gymnasium
import numpy as np
from gymnasium import spaces

TURN, KEEP = range(2)
CARDS = np.repeat(np.arange(1, 9), np.arange(1, 9))  # rule 1
NUMBERS = np.arange(1, 9)


class Lanterns(gymnasium.Env):
    """Turn cards without turning a number twice, and keep the row in time."""

    def __init__(self, matches=3, bonus=10):
        self.matches_at_start, self.bonus = matches, bonus
        self.observation_space = spaces.Box(0, len(CARDS), (10,), np.int64)
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pile = CARDS[self.np_random.permutation(len(CARDS))]
        self.turned = 0
        self.row = np.zeros(8, dtype=bool)
        self.matches = self.matches_at_start
        return self.observe(), {}

    def step(self, action):
        reward = self.keep() if action == KEEP else self.turn()
        terminated = self.matches == 0 or self.turned == len(CARDS)  # rule 7
        return self.observe(), float(reward), terminated, False, {}

    def turn(self):
        """Turn the next card; returns the points, which are none."""
        number = self.pile[self.turned]
        self.turned += 1
        if self.row[number - 1]:  # rule 4
            self.row = np.zeros(8, dtype=bool)
            self.matches -= 1
        else:  # rule 3
            self.row[number - 1] = True
        return 0

    def keep(self):
        """Score the row; returns the points."""
        if not self.row.any():
            return -1  # rule 6
        points = (NUMBERS * self.row).sum()  # rule 5
        if self.row.sum() >= 5:
            points += self.bonus
        self.row = np.zeros(8, dtype=bool)
        return points

    def observe(self):
        return np.concatenate([self.row, [self.matches, len(CARDS) - self.turned]])
