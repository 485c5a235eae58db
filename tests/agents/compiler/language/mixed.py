"""What course projects do: grids, inventories, hands of cards, rejection."""

import itertools
from typing import ClassVar

import numpy as np
from tests.agents.compiler.language.game import Game, equal, refused

MOVES = {"up": (0, 1), "down": (0, -1)}
RECIPES = {(1, 0): ("plank", 3), (2, 1): ("brick", 5), (3, 3): ("glass", 8)}
TERRAIN = ["..#.", ".#..", "...G"]


@equal
class RejectedCells(Game):
    def play(self, action):
        while True:
            cell = int(self.np_random.integers(6))
            if cell not in (action, 5):
                break
        self.x = cell
        return self.np_random.random()


@refused("return inside a loop with an unknown number of rounds")
class RejectedCellsReturned(Game):
    def free(self, action):
        while True:
            cell = int(self.np_random.integers(6))
            if cell != action:
                return cell

    def play(self, action):
        self.x = self.free(action)
        return self.x


@equal
class GridOfLists(Game):
    def begin(self):
        self.x, self.y = 0, int(self.np_random.integers(3))
        self.grid = [[0, 1, 0], [2, 0, 0], [0, 0, 3]]

    def play(self, action):
        self.x = (self.x + action) % 3
        self.y = (self.y + 1) % 3
        found = self.grid[self.y][self.x]
        self.grid[self.y][self.x] = 0
        self.grid[0][0] += 1
        return found + sum(row[1] for row in self.grid)


@equal
class MapOfTexts(Game):
    def play(self, action):
        self.x, self.y = (self.x + action) % 4, (self.y + 1) % 3
        tile = TERRAIN[self.y][self.x]
        if tile == "#":
            return -1
        return 10 if tile == "G" else 0


@refused("one of several objects, chosen by an unknown index")
class TupleValues(Game):
    def play(self, action):
        self.x, self.y = (self.x + 1) % 4, action
        made = RECIPES.get((self.x, self.y))
        if made is not None:
            return made[1]
        return -0.5


@equal
class PoppedPlaces(Game):
    def begin(self):
        super().begin()
        self.hand = [4, 7, 1, 9, 2, 6]

    def play(self, action):
        card = self.hand.pop(action % len(self.hand))
        if len(self.hand) > 2 and card > 3:
            del self.hand[0]
        if self.hand:
            self.hand[-1] = card
        self.x = len(self.hand)
        return card

    def over(self):
        return len(self.hand) < 1


@equal
class CopiesOfAHand(Game):
    def begin(self):
        super().begin()
        self.hand = [1]

    def play(self, action):
        before = list(self.hand)
        if len(self.hand) < 8:
            self.hand.append(action)
        after = self.hand.copy()
        after.append(5)
        return len(before) * 100 + len(self.hand) * 10 + len(after) + sum(before)


@equal
class VectorsThatMove(Game):
    moves: ClassVar = {0: np.array([1, 0]), 1: np.array([0, 1]), 2: np.array([-1, 0])}
    still = np.array([0, 0])

    def begin(self):
        self.x, self.y = 0, 0
        self.at = np.array([2, 2])
        self.goal = self.np_random.integers(0, 5, size=2)

    def play(self, action):
        self.at = np.clip(self.at + self.moves.get(action, self.still), 0, 4)
        if np.array_equal(self.at, self.goal) or (self.at == 4).all():
            return 1.0
        if tuple(self.at) == (0, 0):
            return -1.0
        return -0.1 * np.abs(self.at - self.goal).sum()


@equal
class NumbersThatBecomeFloats(Game):
    def play(self, action):
        self.x = self.x / 2 if action > 1 else self.x + 1
        return self.x


@equal
class StarArguments(Game):
    def total(self, *values, scale=1, **more):
        return sum(values) * scale + more.get("bonus", 0)

    def play(self, action):
        given = (self.x, action)
        return self.total(*given, 3, scale=2, bonus=action) + self.total(1)


@refused("writing to a slice of a list")
class SliceWritten(Game):
    def play(self, action):
        values = [1, 2, 3, 4]
        values[1:3] = [action]
        return sum(values)


@equal
class SliceOfAnArrayWritten(Game):
    def begin(self):
        super().begin()
        self.line = np.zeros(6)

    def play(self, action):
        self.line[1:] = self.line[:-1]
        self.line[0] = action
        self.line[::2] += 0.5
        return self.line[3] + self.line[-1]


@equal
class RangesAndProducts(Game):
    def play(self, action):
        total = sum(a * b for a, b in itertools.product(range(2), (1, 3)))
        self.y = action in range(1, 3)
        return total + (self.x in [0, 2]) + max(range(4)) * (action not in {1: 2})


@refused("an order by keys that are not known")
class NearestByKey(Game):
    def play(self, action):
        goals = [1, 4, -3]
        return min(goals, key=lambda goal: abs(goal - self.x))


@equal
class RecursionOnNumbers(Game):
    def fall(self, n):
        return 0 if n == 0 else 1 + self.fall(n - 1)

    def play(self, action):
        return self.fall(4) + action


@equal
class ShadowedClassAttribute(Game):
    speed = 2

    def begin(self):
        super().begin()
        self.speed = 1

    def play(self, action):
        if action == 3:
            self.speed = ShadowedClassAttribute.speed + 1
        self.x += self.speed
        return self.speed


@refused("the attribute count (an int), which a step reads")
class MadeWhenMissing(Game):
    def play(self, action):
        if not hasattr(self, "count"):
            self.count = 0
        self.count += 1
        return self.count % 3


@equal
class TruthsOfArrays(Game):
    def begin(self):
        super().begin()
        self.lamps = np.zeros(4, dtype=bool)

    def play(self, action):
        self.lamps[action] = not self.lamps[action]
        self.lamps[(action + 1) % 4] ^= True
        self.x = sum(self.lamps)
        return self.lamps.sum() + np.any(self.lamps[:2]) + bool(self.lamps.all())


@refused("the call of numpy.unravel_index with unknown values")
class RolledAndFound(Game):
    def begin(self):
        super().begin()
        self.ring = np.array([5, 1, 8, 2])

    def play(self, action):
        self.ring = np.roll(self.ring, 1)
        self.ring[0] -= action
        row, column = np.unravel_index(np.argmax(self.ring), (2, 2))
        return row * 2 + column * 10 + int(self.ring.tolist()[0] > 3)


@refused("the attribute inventory")
class InventoryReplaced(Game):
    def begin(self):
        super().begin()
        self.inventory = {"wood": 1}

    def play(self, action):
        self.inventory = {**self.inventory, "wood": action}
        return self.inventory["wood"]
