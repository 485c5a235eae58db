"""A ferry on a tidal river: a small environment in plain Python, to be translated.

Passengers wait on the left bank and want to the right one. The tide pushes, fuel is short, a
full boat is sluggish, and the quay takes only a boat that hardly moves.
"""

import math

import gymnasium
import numpy as np

WIDTH = 40.0
SEATS = 6
HOURS = 24
DRIFT, LEFT, RIGHT, DOCK = range(4)


class FerryEnv(gymnasium.Env):
    """Actions: drift, engine to the left, engine to the right, make fast at a quay."""

    def __init__(self, tide_strength: float = 0.35):
        self.tide_strength = tide_strength
        self.action_space = gymnasium.spaces.Discrete(4)
        high = np.array([WIDTH, 10.0, 200.0, SEATS, 20.0, 1.0, 1.0], np.float32)
        low = np.array([0.0, -10.0, 0.0, 0.0, 0.0, -1.0, -1.0], np.float32)
        self.observation_space = gymnasium.spaces.Box(low, high, dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position = self.np_random.uniform(0.0, WIDTH)
        self.speed = 0.0
        self.fuel = int(self.np_random.integers(60, 121))
        self.aboard = 0
        self.waiting = int(self.np_random.integers(8, 19))
        self.hour = int(self.np_random.integers(HOURS))
        self.time = 0
        return self._observation(), {}

    def current(self, hour):
        """How strongly the tide pushes; slack water for an hour around the turn."""
        if hour % 12 == 0:
            return 0.0
        return self.tide_strength * math.sin(2 * math.pi * hour / HOURS)

    def sail(self, position, speed, fuel, aboard, hour, action):
        """One tick on the water: engine, tide, drag, banks."""
        if action in (LEFT, RIGHT) and fuel > 0:
            push = 1.2 / (1.0 + 0.15 * aboard)
            speed = speed + (push if action == RIGHT else -push)
            fuel = fuel - 1
        speed = 0.85 * speed + self.current(hour)
        position = position + speed
        bumped = False
        if position < 0.0 or position > WIDTH:
            position = min(max(position, 0.0), WIDTH)
            bumped = abs(speed) > 1.0
            speed = -0.4 * speed
        return position, speed, fuel, bumped

    def dock(self, position, speed, aboard, waiting):
        """At a quay and slow enough: everybody leaves on the right, as many as fit board left."""
        landed = 0
        if abs(speed) <= 0.75:
            if position >= WIDTH - 2.0:
                landed, aboard, speed = aboard, 0, 0.0
            elif position <= 2.0:
                boarding = min(SEATS - aboard, waiting)
                aboard, waiting, speed = aboard + boarding, waiting - boarding, 0.0
        return speed, aboard, waiting, landed

    def step(self, action):
        self.hour = (self.hour + 1) % HOURS  # the tide turns before the boat moves
        self.position, self.speed, self.fuel, bumped = self.sail(
            self.position, self.speed, self.fuel, self.aboard, self.hour, action
        )
        landed = 0
        if action == DOCK:
            self.speed, self.aboard, self.waiting, landed = self.dock(
                self.position, self.speed, self.aboard, self.waiting
            )
        self.time += 1
        reward = 2.0 * landed - 0.01 - (0.5 if bumped else 0.0)
        done = self.waiting == 0 and self.aboard == 0
        if done:
            reward += 5.0
        stranded = self.fuel == 0 and abs(self.speed) < 0.05 and action != DOCK
        return self._observation(), reward, done or stranded, self.time >= 250, {}

    def _observation(self):
        angle = 2 * math.pi * self.hour / HOURS
        values = [self.position, self.speed, self.fuel, self.aboard, self.waiting]
        return np.array([*values, math.sin(angle), math.cos(angle)], np.float32)
