"""Small games, each for one thing that the compiler has to understand."""

import enum
import math
from typing import ClassVar, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Toy(gym.Env):
    """What the toys share."""

    action_space = spaces.Discrete(4)
    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.begin()
        return self.seen(), {}

    def seen(self):
        return np.array([self.x, self.y], dtype=np.float64)


class EarlyReturns(Toy):
    """Branches that return, one inside another."""

    def begin(self):
        self.x, self.y = self.np_random.uniform(-1, 1), 0.0

    def step(self, action):
        if action == 0:
            self.x += 0.25
            if self.x > 0.5:
                self.y = 1.0
                return self.seen(), 3, True, False, {}
            return self.seen(), 1.0, False, False, {}
        if (action == 1 and self.x < 0) or action == 2:
            self.x = -self.x / 3.0
        elif self.y > 0:
            self.y = 0.0
        return self.seen(), self.x * self.y, bool(self.x > 0.9), False, {}


class Rounding(Toy):
    """Actions in float32, a state in float64, Python's numbers between them."""

    action_space = spaces.Box(-2.0, 2.0, (1,), np.float32)

    def begin(self):
        self.x, self.y = self.np_random.uniform(-1, 1, 2).tolist()

    def step(self, action):
        force = min(max(action[0], -1.0), 1.0)
        push = force * 0.0015 + 0.1
        self.x = float(self.x + 0.3 * push - self.y / 7.0)
        self.y = float(np.float32(self.y * 0.9 + push))
        reward = -math.pow(action[0], 2) * 0.1 - abs(self.x) ** 2
        return self.seen(), reward, bool(math.sin(self.x) > 0.95), False, {}


class WholeNumbers(Toy):
    """Division, remainders and shifts of numbers with a sign."""

    def begin(self):
        self.x, self.y = int(self.np_random.integers(-20, 20)), 3

    def step(self, action):
        self.x = (self.x * 7 + action - 5) % 41 - 20
        self.y = self.x // 3 + (self.x % 5) ** 2 - (abs(self.x) >> 1)
        odd = self.x % 2 == 1  # whether it is odd
        over = odd and self.y > 20
        return self.seen(), self.y / (abs(self.x) + 1) + odd, over, False, {}


class Grid(Toy):
    """An array that is written to, through another name, too."""

    observation_space = spaces.Box(-100, 100, (3, 4), np.int64)
    homes = ((0, 0), (1, 2), (2, 2), (0, 3))

    def begin(self):
        self.grid = np.zeros((3, 4), dtype=np.int64)
        self.at = (int(self.np_random.integers(3)), 0)

    def seen(self):
        return self.grid.copy()

    def step(self, action):
        row, column = self.at
        moves = [(0, 1), (1, 0), (0, -1), (-1, 0)]
        dr, dc = moves[action]
        home = (row, column) == self.homes[action]
        row, column = (row + dr) % 3, min(max(column + dc, 0), 3)
        self.at = (row, column)
        grid = self.grid
        grid[row, column] += 1
        if grid[row].sum() > 4:
            grid[row, :] = 0
        return self.seen(), float(np.max(grid)) + home, (row, column) == (2, 3), False, {}


class Hand(Toy):
    """Lists that grow, a loop that draws as long as it must."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(0, 200, (2,), np.int64)

    def begin(self):
        self.cards = [int(self.np_random.integers(1, 11))]
        self.bank = [0]

    def seen(self):
        return np.array([sum(self.cards), len(self.bank)])

    def step(self, action):
        if action == 1:
            self.cards.append(int(self.np_random.integers(1, 11)))
        else:
            while sum(self.bank) < 17:
                self.bank.append(int(self.np_random.integers(1, 11)))
        over = sum(self.cards) > 21 or action == 0
        won = sum(self.cards) <= 21 and (sum(self.bank) > 21 or max(self.cards) in self.bank)
        return self.seen(), 1.0 if won else -1.0, over, False, {}


class Loops(Toy):
    """Loops whose end is not known, with `break` and `continue`."""

    def begin(self):
        self.x, self.y = int(self.np_random.integers(1, 30)), 0

    def step(self, action):
        n, rounds = self.x + action, 0
        while n != 1 and rounds < 20:
            rounds += 1
            if n % 2 == 0:
                n //= 2
                continue
            n = 3 * n + 1
            if n > 150:
                break
        total = 0
        for i in range(action + 2):
            total += i * i
        for value in (4, 8, 15):
            if value > rounds:
                break
            total += value
        self.x, self.y = self.x % 29 + 1, rounds
        return self.seen(), float(total), n == 1 and rounds > 10, False, {}


class Point(NamedTuple):
    """A record."""

    x: float
    y: float

    def moved(self, dx, dy=0.0):
        return Point(self.x + dx, self.y + dy)


class Counter:
    """An object with a state of its own, made anew in every step."""

    def __init__(self, start):
        self.total = start

    def add(self, amount):
        self.total += amount
        return self


def clipped(value, low=-2.0, high=2.0):
    """A helper."""
    return low if value < low else high if value > high else value


class Parent(Toy):
    """A step that a subclass extends."""

    gain = 0.5

    def begin(self):
        self.x, self.y, self.marks = self.np_random.normal(0, 1), 0.0, [0, 0, 0, 0]

    def step(self, action):
        point = Point(self.x, self.y).moved(self.gain * (action - 1.5))
        self.x, self.y = clipped(point.x), point.y
        return self.seen(), self.x, False, False, {}


class Child(Parent):
    """Records, helpers, dicts and inheritance."""

    weights: ClassVar = {"near": 1.0, "far": 0.1}
    table: ClassVar = {(0, 0): 5.0, (0, 1): -1.0, (1, 0): 2.5, (1, 1): 0.0}

    def step(self, action):
        _, reward, _, _, _ = super().step(action)
        self.marks[action] += 1
        worth = self.table[(action % 2, action // 2)]
        counter = Counter(self.y).add(worth * self.weights["far"])
        self.y = counter.total
        many = [m for m in self.marks if m > 1]
        return self.seen(), reward + len(many), any(m > 4 for m in self.marks), False, {}


class Patience(Toy):
    """None unless something happens, and a truncation of its own."""

    def begin(self):
        self.x, self.y, self.steps = self.np_random.uniform(0, 1), 1.0, 0

    def step(self, action):
        late = self.steps >= 7
        self.steps += 1
        found = None
        if action == 3 and self.x > 0.4:
            found = self.x
        self.x = (self.x + 0.37) % 1.0
        return self.seen(), 0.0 if found is None else found, False, late, {}


class Words(Toy):
    """Decides by a text that it draws."""

    def begin(self):
        self.x, self.y = 0.0, 0.0

    def step(self, action):
        word = self.np_random.choice(["left", "right"])
        self.x += 1.0 if word == "left" else -1.0
        return self.seen(), 0.0, False, False, {}


class Unfinished(Toy):
    """Uses a set of what it does not know."""

    def begin(self):
        self.x, self.y = 0.0, 0.0

    def step(self, action):
        seen = {action, 1}
        seen.add(action + 1)
        self.x = float(len(seen))
        return self.seen(), 0.0, False, False, {}


class Hidden(Toy):
    """Remembers in a list that is empty at first, which nobody can tell from no state at all."""

    def begin(self):
        self.x, self.y, self.log = 0.0, 0.0, []

    def step(self, action):
        self.log.append(action)
        self.x = float(len(self.log))
        return self.seen(), 0.0, False, False, {}


class Deck:
    """A state that no attribute of the environment shows."""

    def __init__(self):
        self.cards = 52


class Dealt(Toy):
    """Changes an object that it holds."""

    def begin(self):
        self.x, self.y, self.deck = 0.0, 0.0, Deck()

    def step(self, action):
        self.deck.cards -= action
        self.x = float(self.deck.cards)
        return self.seen(), 0.0, False, False, {}


class Stacked(Toy):
    """Changes a list that an object holds, which it only reads itself."""

    def begin(self):
        self.x, self.y, self.deck = 0.0, 0.0, Deck()
        self.deck.hands = {"mine": [1]}

    def step(self, action):
        self.deck.hands["mine"].append(action)
        self.x = float(len(self.deck.hands["mine"]))
        return self.seen(), 0.0, False, False, {}


class Gear(enum.IntEnum):
    """What a state may be, with a name."""

    LOW, HIGH = 2, 5


class Oddities(Toy):
    """Powers of single numbers, an empty list as an index, and members of an enumeration."""

    def begin(self):
        self.x, self.y = float(self.np_random.uniform(-3, 3)), 1.5
        self.gear = Gear.LOW

    def step(self, action):
        nobody = []
        table = np.array([action, 2.0])
        self.gear = Gear.HIGH if self.x > 0 else Gear.LOW
        self.x = (self.x**2 - self.y**3) / (self.gear.value + table[nobody].size)
        self.y = math.sqrt(abs(self.x)) + math.pow(self.y, 0.5) - 0.1 * action
        return self.seen(), self.x**2, abs(self.x) > 40, False, {}


def gambled():
    """Draws from a generator that belongs to nobody."""
    return np.random.choice([1, 2])


def lost(x):
    """Whichever way it goes, it raises."""
    if x > 0:
        raise KeyError(x)
    else:
        return nobody  # noqa: F821
