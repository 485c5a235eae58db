"""Grotto: a grid world with gems, a key, a door and a bat. Copy it, and change the rules.

The diver collects gems while the air runs out. The last gem lies behind a door, which opens with
the key. Wet stone is slippery: a step sometimes goes sideways. A bat flutters about and steals air.
"""

from __future__ import annotations

import gymnasium
import numpy as np

LAYOUT = (
    "#########",
    "#..~..#g#",
    "#.##..D.#",
    "#g..~.###",
    "#.#.#..k#",
    "#..~..#.#",
    "#g#..~..#",
    "#.....#g#",
    "#########",
)
ROWS, COLUMNS = len(LAYOUT), len(LAYOUT[0])
UP, RIGHT, DOWN, LEFT, WAIT = range(5)
MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1), (0, 0))

# What a cell is made of.
FLOOR, WALL, WET, DOOR = range(4)

AIR = 60  # at the start
BREATH = 1  # air that a step takes
BITE = 6  # air that the bat takes
SLIP = 0.25  # how often a step from wet stone goes sideways
REST = 0.4  # how often the bat stays where it is

GEM_REWARD, KEY_REWARD, DOOR_REWARD, ALL_REWARD = 1.0, 0.5, 0.5, 5.0
STEP_COST, BITE_COST, DROWNED_COST = 0.01, 0.25, 1.0


def find(letter: str) -> tuple[tuple[int, int], ...]:
    """Where a letter stands in the layout."""
    return tuple(
        (row, column)
        for row in range(ROWS)
        for column in range(COLUMNS)
        if LAYOUT[row][column] == letter
    )


GEMS = find("g")
KEY_PLACE = find("k")[0]
DOOR_PLACE = find("D")[0]
KINDS = {"#": WALL, "~": WET, "D": DOOR}
GRID = np.array([[KINDS.get(letter, FLOOR) for letter in line] for line in LAYOUT])
STARTS = tuple(place for place in find(".") if place[0] > 2 and place[1] < 6)


class Grotto(gymnasium.Env):
    """Actions: up, right, down, left, wait."""

    def __init__(self, slip: float = SLIP) -> None:
        self.slip = slip
        self.action_space = gymnasium.spaces.Discrete(5)
        most = [ROWS, COLUMNS, ROWS, COLUMNS, AIR, 1, 1] + [1] * len(GEMS)
        self.observation_space = gymnasium.spaces.Box(
            np.zeros(len(most), np.float32), np.array(most, np.float32)
        )

    # --- an episode ------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict | None = None):
        super().reset(seed=seed)
        start = int(self.np_random.integers(len(STARTS)))
        self.row, self.column = STARTS[start]
        self.bat_row, self.bat_column = KEY_PLACE
        self.air = AIR
        self.has_key = False
        self.door_open = False
        self.taken = np.zeros(len(GEMS), np.int64)
        return self.look(), {}

    def step(self, action: int):
        reward = -STEP_COST
        self.move(action)
        reward += self.pick_up()
        self.flutter()
        reward -= self.be_bitten()
        self.air -= BREATH
        finished = bool(self.taken.sum() == len(GEMS))
        drowned = self.air <= 0
        if finished:
            reward += ALL_REWARD
        elif drowned:
            reward -= DROWNED_COST
        return self.look(), reward, finished or drowned, False, {}

    # --- the diver -------------------------------------------------------------------------

    def move(self, action: int) -> None:
        """Go one cell, if nothing is in the way."""
        heading = self.heading(action)
        row_step, column_step = MOVES[heading]
        row, column = self.row + row_step, self.column + column_step
        if self.is_free(row, column):
            self.row, self.column = row, column

    def heading(self, action: int) -> int:
        """Where a step really goes: wet stone may turn it to either side."""
        luck = self.np_random.random()
        slips = GRID[self.row, self.column] == WET and action != WAIT and luck < self.slip
        if not slips:
            return action
        if luck < self.slip / 2:
            return (action + 1) % 4
        return (action + 3) % 4

    def is_free(self, row: int, column: int) -> bool:
        """Whether the diver may enter a cell."""
        kind = GRID[row, column]
        if kind == DOOR:
            return self.has_key or self.door_open
        return kind != WALL

    def pick_up(self) -> float:
        """Take what lies here, and open the door when entering it."""
        reward = 0.0
        for index in range(len(GEMS)):
            here = self.row == GEMS[index][0] and self.column == GEMS[index][1]
            if here and self.taken[index] == 0:
                self.taken[index] = 1
                reward += GEM_REWARD
        if self.row == KEY_PLACE[0] and self.column == KEY_PLACE[1] and not self.has_key:
            self.has_key = True
            reward += KEY_REWARD
        if self.row == DOOR_PLACE[0] and self.column == DOOR_PLACE[1] and not self.door_open:
            self.door_open = True
            reward += DOOR_REWARD
        return reward

    # --- the bat ---------------------------------------------------------------------------

    def flutter(self) -> None:
        """Move the bat one cell at random. It flies through the door, not through walls."""
        rests = self.np_random.random() < REST
        heading = int(self.np_random.integers(4))
        row_step, column_step = MOVES[heading]
        row, column = self.bat_row + row_step, self.bat_column + column_step
        if not rests and GRID[row, column] != WALL:
            self.bat_row, self.bat_column = row, column

    def be_bitten(self) -> float:
        """Lose air where the bat is."""
        if self.row == self.bat_row and self.column == self.bat_column:
            self.air = max(self.air - BITE, 0)
            return BITE_COST
        return 0.0

    # --- what is seen ----------------------------------------------------------------------

    def look(self) -> np.ndarray:
        """Both places, the air, the key, the door, and which gems are taken."""
        seen = [
            self.row,
            self.column,
            self.bat_row,
            self.bat_column,
            self.air,
            self.has_key,
            self.door_open,
        ]
        return np.array([*seen, *self.taken], np.float32)
