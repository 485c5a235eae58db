"""Arithmetic, NumPy's arrays, and draws."""

import math
import random

import numpy as np
from tests.agents.compiler.language.game import Game, equal, nearly, refused

SMALL = np.array([100, 50, -3], dtype=np.int8)
GENERATOR = np.random.default_rng(3)


@equal
class TruncatedNumbers(Game):
    def play(self, action):
        z = (self.x + action) * -0.7
        self.y = int(z)
        return math.floor(z) * 100 + math.ceil(z) * 10 + math.trunc(z)


@equal
class HalvesRoundToEven(Game):
    def play(self, action):
        self.x += 1
        return round(self.x / 2) + round(self.x * 0.25) * 100 + np.round(self.x / 2)


@refused("round of a Python float to decimals, which Python computes")
class RoundedToDigits(Game):
    def play(self, action):
        self.x = (self.x * 7 + action) % 100
        return round(self.x * 0.05, 1) + round(self.x * 0.005, 2)


@equal
class NumPyRoundedToDigits(Game):
    def play(self, action):
        self.x = (self.x * 7 + action) % 100
        return np.round(self.x * 0.05, 1) + np.around(np.array([self.x * 0.005]), 2)[0]


@equal
class TruthArithmetic(Game):
    def play(self, action):
        a, b = action > 1, self.x > 0
        c = np.array([self.x, action]) > 1
        self.y = a + b
        return (a - b) * 10 + -a + (~a) + (c[0] + c[1]) * 100 + (not a) * 7 + (a & b) + (a ^ b)


@equal
class WrappingNumbers(Game):
    def play(self, action):
        value = SMALL[action % 3] + SMALL[0]
        small = np.uint8(action) - np.uint8(2)
        return int(value) + int(small) * 1000


@refused("whole numbers beyond 32 bits, which the translation does not")
class LargeWholeNumbers(Game):
    def play(self, action):
        self.x = (self.x * 1103515245 + 12345) % 2147483648
        return self.x % 10


@refused("whole numbers beyond 32 bits, which the translation does not")
class ProductsOfLargeNumbers(Game):
    def play(self, action):
        self.x = (self.x * 48271 + action) % 99991
        return self.x * self.x % 7


@equal
class MixedPrecision(Game):
    def play(self, action):
        a = np.float32(self.x) * 0.1 + np.float32(1 / 3)
        b = np.array([self.x, action], dtype=np.float32)
        c = b * np.array([0.1, 0.7]) + a
        return float(a) + float(b.sum() / 3) + float(c[1])


@equal
class DividedInPlace(Game):
    def begin(self):
        super().begin()
        self.grid = np.array([9, -7, 5, 3])

    def play(self, action):
        self.grid //= 2
        self.grid += action * 3
        self.grid[1:3] *= -1
        self.x = int(self.grid[1])
        return self.grid[2]


@equal
class WholeArrayAlias(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros(4)

    def play(self, action):
        grid = self.grid
        same = np.asarray(grid)
        apart = np.array(grid)
        same[action] += 1.5
        apart[0] = 50
        grid += 0.25
        return self.grid.sum() + same[0] - apart[1]


@refused("writing to a part of an array through another name")
class ViewWritten(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros((3, 4))

    def play(self, action):
        row = self.grid[self.x % 3]
        row[action] += 1
        return self.grid[self.x % 3, action]


@refused("writing to a part of an array through another name")
class ViewAfterWrite(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros((3, 4))

    def play(self, action):
        self.grid[0, 0] = 1
        row = self.grid[1]
        row[2] += 1
        return self.grid.sum()


@refused("a part of an array under another name, read after the array")
class ViewReadLate(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros((3, 4))

    def play(self, action):
        row = self.grid[1]
        self.grid[1, action] += 3
        return row.sum()


@refused("writing to a part of an array through another name")
class FlatViewWritten(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros((2, 2))

    def play(self, action):
        flat = self.grid.ravel()
        flat[action] += 1
        return self.grid[0, 1]


@refused("writing to a part of an array through another name")
class TransposedWritten(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros((2, 2))

    def play(self, action):
        turned = self.grid.T
        turned[1, 0] += 1
        return self.grid[0, 1]


@refused("writing to a part of an array through another name")
class ViewGivenAway(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros((3, 4))

    def mark(self, row):
        row[0] += 1
        return row[0]

    def play(self, action):
        return self.mark(self.grid[1]) + self.grid[1, 0]


@refused("writing to a part of an array through another name")
class RowsWritten(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros((3, 4))

    def play(self, action):
        for row in self.grid:
            row[action] += 1
        return self.grid.sum()


@refused("writing to a part of an array through another name")
class KnownViewWritten(Game):
    def play(self, action):
        table = np.zeros((2, 2))
        row = table[1]
        row[0] = 5
        return table[1, 0] + action


@equal
class FancyIndexCopies(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros((3, 4))

    def play(self, action):
        rows = self.grid[[0, 2]]
        rows[0, 1] = 9
        self.grid[0, 1] += 1
        return rows.sum() + self.grid[0, 1]


@equal
class CopiedRow(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros((3, 4))

    def play(self, action):
        row = self.grid[1].copy()
        row[2] = 9
        self.grid[1, action] += 1
        return row.sum() + self.grid[1].sum()


@equal
class MasksAndWhere(Game):
    def begin(self):
        super().begin()
        self.grid = np.arange(6)

    def play(self, action):
        self.grid[self.grid > 4] = -action
        self.grid = np.where(self.grid < 0, 3, self.grid + 1)
        return np.argmax(self.grid) + np.count_nonzero(self.grid == 3) * 10


@equal
class SumsOfFloats(Game):
    def begin(self):
        super().begin()
        self.w = self.np_random.normal(size=5)

    def play(self, action):
        self.w = self.w * 0.9 + action * 0.1
        return float(np.sum(self.w)) + sum(self.w) + float(np.mean(self.w[:3]))


@nearly
class MomentsOfFloats(Game):
    def begin(self):
        super().begin()
        self.w = self.np_random.normal(size=3)

    def play(self, action):
        self.w = self.w * 0.9 + action * 0.1
        return float(np.std(self.w)) + float(np.dot(self.w, self.w)) + float(np.linalg.norm(self.w))


@equal
class MeanOfMany(Game):
    def begin(self):
        super().begin()
        self.w = self.np_random.normal(size=20)

    def play(self, action):
        self.w = self.w * 0.9 + action * 0.1
        return float(self.w.mean()) + float(self.w.sum()) * 3

    def seen(self):
        return np.array([self.x, np.sum(self.w)])


@equal
class Powers(Game):
    def play(self, action):
        self.x = self.x % 5
        return (
            self.x**action + 2**action + (self.x + 0.5) ** 2 + action**0.5 + math.pow(1.1, self.x)
        )


@equal
class SignsAndZeros(Game):
    def play(self, action):
        z = (self.x % 3 - 1) * 0.0
        return math.copysign(1.0, z) + np.sign(self.x) + math.atan2(z, -1.0)


@equal
class MinAndMax(Game):
    def play(self, action):
        a = max(self.x, action, 1.5) + min(np.float32(self.x), 2)
        return a + max([self.x, action]) - min((self.x, 3.5)) + abs(-self.x)


@equal
class ClippedValues(Game):
    def play(self, action):
        z = np.clip(self.x + action * 0.5, -2, 2)
        return z + np.clip(np.array([self.x, action]), 0, None).sum()


@equal
class Shifts(Game):
    def play(self, action):
        self.x = abs(self.x)
        return (
            (1 << action)
            + (self.x >> 1)
            + (self.x & 3) * 100
            + (self.x | 8)
            + (self.x ^ 5)
            + ~self.x
        )


@refused("randint of a random generator that is not the environment's")
class PythonsRandom(Game):
    def play(self, action):
        self.x = random.randint(0, 3)
        return self.x


@refused("randint of a random generator that is not the environment's")
class NumPysRandom(Game):
    def play(self, action):
        self.x = np.random.randint(4)
        return self.x


@refused("a random generator that is not the environment's own")
class GeneratorOfItsOwn(Game):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def begin(self):
        super().begin()
        self.rng = np.random.default_rng(int(self.np_random.integers(100)))

    def play(self, action):
        self.x = int(self.rng.integers(9))
        return self.x


@refused("a random generator that is not the environment's own")
class GeneratorOfTheModule(Game):
    def play(self, action):
        self.x = int(GENERATOR.integers(9))
        return self.x


@equal
class DrawsOfManyKinds(Game):
    def play(self, action):
        pick = self.np_random.choice([3, 5, 8])
        order = self.np_random.permutation(4)
        pair = self.np_random.uniform(-1, 1, size=2)
        self.x = int(pick) * 10 + int(order[action])
        return pair[0] * 2 + pair.sum() + self.np_random.normal(1.0, 0.5)


@refused("math.log of 2 unknown values")
class LogOfABase(Game):
    def play(self, action):
        return math.log(8 + action - action, 2) + math.hypot(3, 4)


@refused("math.log of 2 unknown values")
class LogOfAnUnknownWithABase(Game):
    def play(self, action):
        return math.log(action + 1, 2)
