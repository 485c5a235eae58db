"""Three water tanks above each other: open the right valve, and spill nothing. The reference."""

import gymnasium
import numpy as np
from gymnasium import spaces

CAPACITY = 12  # litres
FLOW = 3  # litres through an open valve in one step
DEMAND = np.array([0, 1, 1, 2, 4, 2])  # litres that the town takes, hour by hour


class Tanks(gymnasium.Env):
    """Action k opens the valve below tank k; action 3 opens none.

    Rain fills the first tank, and the town drinks from the last. A litre that the town gets pays 1,
    a litre that it misses costs 2, and a tank that is more than full spills and ends the episode.
    """

    def __init__(self):
        self.observation_space = spaces.Box(0, 100, (4,), np.int32)
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = self.np_random.integers(2, 8, 3)
        self.hour = 0
        return self.observe(), {}

    def step(self, action):
        self.level[0] += 2
        for tank in range(3):
            if action == tank:
                water = min(FLOW, self.level[tank])
                self.level[tank] -= water
                if tank < 2:
                    self.level[tank + 1] += water
        wanted = DEMAND[self.hour % len(DEMAND)]
        given = min(wanted, self.level[2])
        self.level[2] -= given
        self.hour += 1
        spilled = bool((self.level > CAPACITY).any())
        reward = float(given - 2 * (wanted - given))
        return self.observe(), reward, spilled, self.hour >= 100, {}

    def observe(self):
        return np.array([*self.level, self.hour], np.int32)
