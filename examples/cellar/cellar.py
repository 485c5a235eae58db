"""Carry treasures up the cellar stairs before the torch burns down, and mind the bats."""

import gymnasium
import numpy as np
from gymnasium import spaces

MOVES = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])  # up, right, down, left

ROWS = (
    "#########",
    "#S..#...#",
    "#...#.o.#",
    "#.#...#.#",
    "#.#o#.#.#",
    "#...#...#",
    "##.###.##",
    "#.......#",
    "#########",
)


class Plan:
    """The cellar itself, which never changes: walls, stairs, puddles."""

    def __init__(self, rows):
        self.rows = rows
        self.height, self.width = len(rows), len(rows[0])
        self.walls = np.array([[letter == "#" for letter in row] for row in rows])
        self.puddles = np.array([[letter == "o" for letter in row] for row in rows])
        self.stairs = self.find("S")
        self.free = [
            (row, column)
            for row in range(self.height)
            for column in range(self.width)
            if rows[row][column] == "."
        ]

    def find(self, letter):
        for row in range(self.height):
            for column in range(self.width):
                if self.rows[row][column] == letter:
                    return np.array([row, column])
        raise ValueError(f"the plan has no {letter!r}")

    def is_wall(self, place):
        return self.walls[place[0], place[1]]

    def is_slippery(self, place):
        return self.puddles[place[0], place[1]]


PLAN = Plan(ROWS)


class Cellar(gymnasium.Env):
    """Carry all treasures to the stairs.

    Each step burns a unit of the torch and costs 0.01. In a puddle the player may slip and go
    another way. Picking up a treasure pays 0.2, and bringing it up the stairs pays 1. A bat that
    meets the player makes them drop what they carry, which costs 0.25. The episode ends when all
    treasures are up or the torch is out.
    """

    def __init__(self, treasures=2, bats=2, torch=120, slip=0.3):
        self.treasures, self.bats, self.torch, self.slip = treasures, bats, torch, slip
        farthest = max(PLAN.height, PLAN.width, torch)
        size = 2 + 2 * treasures + 2 * bats + treasures + 2
        self.observation_space = spaces.Box(-farthest, farthest, (size,), np.int64)
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        places = self.np_random.permutation(len(PLAN.free))
        free = np.array(PLAN.free)
        self.player = PLAN.stairs.copy()
        self.treasure_places = free[places[: self.treasures]]
        self.bat_places = free[places[self.treasures : self.treasures + self.bats]]
        self.carried = -1
        self.up = np.zeros(self.treasures, dtype=bool)
        self.left = self.torch
        return self.observe(), {}

    def step(self, action):
        self.left -= 1
        self.walk(action)
        reward = self.grab() + self.deliver() - 0.01
        self.fly()
        reward -= self.meet()
        terminated = bool(self.up.all())
        truncated = self.left == 0
        return self.observe(), reward, terminated, truncated, {}

    def grab(self):
        """Take the treasure that lies here, if the hands are free; returns what it pays."""
        if self.carried >= 0:
            return 0.0
        for index in range(self.treasures):
            if not self.up[index] and (self.treasure_places[index] == self.player).all():
                self.carried = index
                return 0.2
        return 0.0

    def walk(self, action):
        """Go one step, or slip in a puddle."""
        direction = action
        if PLAN.is_slippery(self.player) and self.np_random.random() < self.slip:
            direction = self.np_random.integers(4)
        there = self.player + MOVES[direction]
        if not PLAN.is_wall(there):
            self.player = there

    def deliver(self):
        """Leave what is carried at the stairs; returns what it pays."""
        if self.carried >= 0 and (self.player == PLAN.stairs).all():
            self.up[self.carried] = True
            self.carried = -1
            return 1.0
        return 0.0

    def fly(self):
        """Each bat flies one step at random, unless there is a wall."""
        for bat in range(self.bats):
            there = self.bat_places[bat] + MOVES[self.np_random.integers(4)]
            if not PLAN.is_wall(there):
                self.bat_places[bat] = there

    def meet(self):
        """A bat that meets the player makes them drop the treasure; returns what it costs."""
        for bat in range(self.bats):
            if (self.bat_places[bat] == self.player).all() and self.carried >= 0:
                self.treasure_places[self.carried] = self.player
                self.carried = -1
                return 0.25
        return 0.0

    def observe(self):
        """Player, treasures and bats from there, which treasures are up, burden, torch."""
        goal = np.where(self.up[:, None], PLAN.stairs, self.treasure_places)
        return np.concatenate(
            [
                self.player,
                (goal - self.player).ravel(),
                (self.bat_places - self.player).ravel(),
                self.up,
                [self.carried, self.left],
            ]
        )
