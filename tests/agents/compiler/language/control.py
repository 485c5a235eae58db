"""Branches, loops, exceptions, comparisons and order of evaluation."""

import contextlib
import math

import numpy as np
from tests.agents.compiler.language.game import Game, equal, refused

TABLE = {(0, 0): 1.0, (1, 1): 2.0}


@equal
class ChainedComparison(Game):
    def play(self, action):
        self.x = (self.x + action) % 6
        return (0 < self.x <= 3) + 2 * (5 > self.x != action)


@refused("a chained comparison with a call that changes something")
class ChainWithEffects(Game):
    def next(self):
        self.y += 1
        return self.y

    def play(self, action):
        return 1.0 if 1 < action < self.next() else 0.0


@equal
class ShortCircuit(Game):
    def next(self):
        self.y += 1
        return self.y > 2

    def play(self, action):
        a = action > 1 and self.next()
        b = action == 0 or self.next()
        return a + 2 * b


@equal
class AndOfNumbers(Game):
    def play(self, action):
        self.x = self.x % 3
        return (self.x and action) + 10 * (self.x or 5)


@equal
class WhileElse(Game):
    def play(self, action):
        n = 3
        while n > 0:
            n -= 1
            if n == action:
                break
        else:
            self.y += 100
        return n


@equal
class ForElse(Game):
    def play(self, action):
        for k in range(4):
            if k * 2 == self.x % 5 + action:
                break
        else:
            k = -1
        return k


@refused("else of a loop with an unknown number of rounds")
class ElseOfUnknownLoop(Game):
    def play(self, action):
        for k in range(action):
            if k == 2:
                break
        else:
            self.y += 1
        return self.y


@refused("an exception that depends on the game")
class CaughtKeyError(Game):
    def play(self, action):
        self.x = action % 2
        try:
            return TABLE[(self.x, action)]
        except KeyError:
            return -1.0


@refused("an exception that depends on the game")
class CaughtIndexError(Game):
    def play(self, action):
        try:
            return [1.0, 2.0][action]
        except IndexError:
            return -1.0


@refused("an exception that depends on the game")
class CaughtDivision(Game):
    def play(self, action):
        try:
            return 6 / action
        except ZeroDivisionError:
            return -1.0


@refused("an exception that depends on the game")
class CaughtOwnError(Game):
    def check(self, action):
        if action > 2:
            raise ValueError("too far")
        return action

    def play(self, action):
        try:
            return self.check(action)
        except ValueError:
            self.y += 1
            return -5.0


@refused("with contextlib.suppress(KeyError)")
class SuppressedError(Game):
    def play(self, action):
        value = -1.0
        with contextlib.suppress(KeyError):
            value = TABLE[(action, action)]
        return value


@equal
class CaughtKnownError(Game):
    def play(self, action):
        try:
            value = {"a": 1}["b"]
        except KeyError:
            value = 4
        return value + action


@equal
class TwoHandlers(Game):
    def play(self, action):
        try:
            value = int("x")
        except KeyError:
            value = 4
        except ValueError:
            value = 9
        return value + action


@equal
class FinallyAfterReturn(Game):
    def inner(self, action):
        try:
            return self.x + action
        finally:
            self.y += 1

    def play(self, action):
        return self.inner(action)


@equal
class DivisionOfNegatives(Game):
    def play(self, action):
        self.x = (self.x * 5 + action) % 15 - 7
        a, b = divmod(self.x, 4)
        c, d = divmod(-self.x, -3)
        return a * 1000 + b * 100 + c * 10 + d + (self.x // -2) * 0.5


@equal
class DivisionOfFloats(Game):
    def play(self, action):
        self.x = (self.x * 5 + action) % 15 - 7
        z = self.x * 0.7
        return z // 2 + (z % 3) * 0.1 + (z % -0.25) + math.fmod(z, 0.4)


@equal
class LoopLateVariable(Game):
    def play(self, action):
        for k in range(3):
            self.x += k
        return k * 10 + action


@refused("the variable last, which is not set on every way here")
class AssignedInLoop(Game):
    def play(self, action):
        for k in range(action + 1):
            last = k * k
            if last > 3:
                continue
            self.y += last
        return last


@refused("the variable k, which is not set on every way here")
class BreakInUnknownLoop(Game):
    def play(self, action):
        total = 0
        for k in range(action + 3):
            if k == 4:
                break
            total += k
        return total * 10 + k


@equal
class NestedLoops(Game):
    def play(self, action):
        found = -1
        for a in range(4):
            for b in range(4):
                if a * b == self.x % 7 + action:
                    found = a * 10 + b
                    break
            if found >= 0:
                break
        return found


@refused("a loop of unknown length whose condition draws or changes")
class DrawInTheTestOfALoop(Game):
    def play(self, action):
        self.y = 0
        while self.np_random.random() < 0.5:
            self.y += 1
        self.x = int(self.np_random.random() * 10)
        return self.y


@refused("a loop of unknown length whose condition draws or changes")
class EffectInTheTestOfALoop(Game):
    def less(self):
        self.y -= 1
        return self.y > 0

    def play(self, action):
        self.y = action + 2
        while self.less():
            self.x += 1
        return self.y


@equal
class RejectedDraws(Game):
    def play(self, action):
        spot = self.np_random.integers(6)
        while spot == action:
            spot = self.np_random.integers(6)
        self.x = int(spot)
        return self.np_random.random()


@refused("a generator that draws or changes something, which may end")
class AnyThatDraws(Game):
    def play(self, action):
        hit = any(self.np_random.random() < 0.4 for _ in range(3))
        self.x = int(self.np_random.random() * 10)
        return float(hit)


@equal
class DrawInATarget(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros(5, dtype=np.int64)

    def play(self, action):
        self.grid[self.np_random.integers(5)] += 2
        self.y = int(self.np_random.integers(5))
        return self.grid[2]


@equal
class EffectInATarget(Game):
    def next(self):
        self.y += 1
        return self.y % 3

    def play(self, action):
        values = [0, 0, 0]
        values[self.next()] += action
        return values[1] + 10 * values[2]


@refused("with self.frozen()")
class WithAManager(Game):
    @contextlib.contextmanager
    def frozen(self):
        self.y += 1
        yield
        self.y += 1

    def play(self, action):
        with self.frozen():
            self.x += action
        return self.y


@equal
class ConditionalDraws(Game):
    def play(self, action):
        if action > 1:
            self.x = int(self.np_random.integers(9))
        if self.x > 3 and self.np_random.random() < 0.5:
            self.y += 1
        return self.np_random.random() + int(self.np_random.integers(9))


@equal
class ConditionalExpressionThatDraws(Game):
    def play(self, action):
        self.x = int(self.np_random.integers(9)) if action > 1 else -1
        return int(self.np_random.integers(9))


@equal
class EarlyExits(Game):
    def find(self, action):
        for k in (5, 3, 8):
            if k == self.x + action:
                return k
            if k > 7:
                self.y += 1
        return None

    def play(self, action):
        self.x = (self.x + 2) % 6
        found = self.find(action)
        return -1 if found is None else found


@refused("the statement 'match action:\\n    case 0:\\n        self.x +=")
class Matched(Game):
    def play(self, action):
        match action:
            case 0:
                self.x += 1
            case _:
                self.x -= 1
        return self.x


@refused("the generator ways")
class YieldedValues(Game):
    def ways(self, action):
        yield action
        yield self.x

    def play(self, action):
        return sum(self.ways(action))


@refused(":= in a comprehension")
class WalrusInAComprehension(Game):
    def play(self, action):
        y = 1
        found = [y := y + k for k in range(3)]
        return y + len(found) + action


@refused("an observation that does not follow from the state alone")
class NoisyObservation(Game):
    def seen(self):
        return np.array([self.x + self.np_random.normal(), self.y])

    def play(self, action):
        self.x += action
        return 0


@refused("the attribute clock_of, which changes and which a reset does")
class HiddenClock(Game):
    def __init__(self):
        self.clock_of = [0]

    def play(self, action):
        self.clock_of[0] += 1
        return self.clock_of[0] % 3


@refused("a global variable that is written to")
class GlobalCount(Game):
    def play(self, action):
        global COUNT
        COUNT += 1
        return COUNT


COUNT = 0
