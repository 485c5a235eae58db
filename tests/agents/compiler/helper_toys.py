"""Small games with helpers, each for one way in which a helper may or may not stay a function."""

import math
from typing import NamedTuple

import numpy as np
from gymnasium import spaces
from tests.agents.compiler.toys import Toy


class Walk(Toy):
    """What the toys here share: two floats."""

    def begin(self):
        self.x, self.y = self.np_random.uniform(-1, 1, 2).tolist()


def bent(x, by):
    """A product and a sum."""
    return 0.7 * x + by


class Twice(Walk):
    """A helper with two calls; one of them has what the other gives."""

    def step(self, action):
        bent_x = bent(self.x, self.y)  # once
        self.x = bent_x
        self.y = bent(bent_x, 0.1 * action)
        return self.seen(), self.x, self.x > 3, False, {}


def turned(x, y, times):
    """A loop whose rounds are known."""
    for _ in range(times):
        x, y = 0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y
    return x, y


def kept_within(x, low, high):
    """Between two numbers."""
    return min(max(x, low), high)


class Specialised(Walk):
    """A helper for two known whole numbers, and one for pairs of known floats."""

    LIMIT = 1.5

    def step(self, action):
        x, y = turned(self.x, self.y, 2)
        x, y = turned(y, x, 2)
        dx, dy = turned(x, y, 1)
        x, y = turned(x + dx, y + dy, 1)
        self.x = kept_within(x, -self.LIMIT, self.LIMIT) + 0.01 * action
        self.y = kept_within(y, -0.75, 1.25)
        return self.seen(), x, False, False, {}


def smoothed(x):
    """Rounds otherwise in float32 than in float64, but is written alike."""
    return x * 0.3 + x / 3.0 - 0.1


def narrowed(x):
    """Does nothing to a float32, much to a float64."""
    return np.float32(x) * x + 0.1


class Dtypes(Walk):
    """Helpers of a float64 and of a float32, twice each."""

    action_space = spaces.Box(-2.0, 2.0, (1,), np.float32)

    def step(self, action):
        push = smoothed(smoothed(action[0])) - narrowed(narrowed(action[0]))
        self.x = float(narrowed(smoothed(self.x)) * 0.1 + push)
        self.y = float(narrowed(smoothed(self.y))) - 1.0
        return self.seen(), float(push), False, False, {}


class Looped(Walk):
    """A helper before a loop and in it, in its condition too."""

    def step(self, action):
        self.x, rounds = bent(self.x, 1.0), 0
        while bent(self.x, -0.2) > 0.1 and rounds < action + 3:
            self.x = bent(self.x, -0.3)
            rounds += 1
        return self.seen(), float(rounds), False, False, {}


def squeezed(x):
    """Calls a helper, twice, and is called twice."""
    return bent(bent(x, 0.25), -x)


class Nested(Walk):
    """A helper of helpers, which stands in a sum."""

    def step(self, action):
        self.x = squeezed(self.x) + squeezed(self.y) - action
        self.y = bent(self.y, 0.5)
        return self.seen(), self.x, False, False, {}


class Reading(Walk):
    """Methods that read the state, before it changes and after it."""

    scale = 0.3

    def energy(self, weight):
        return weight * self.x * self.x + self.scale * self.y

    @property
    def far(self):
        return abs(self.x) + abs(self.y) > 1.5

    def step(self, action):
        before, was_far = self.energy(0.5), self.far
        self.x, self.y = bent(self.y, 0.1 * action), self.x / 3.0
        gained = self.energy(0.5) - before
        return self.seen(), gained if was_far else -gained, self.far, False, {}


class Writing(Walk):
    """Helpers that write, draw, or give back what they were given: none of them is a function."""

    def moved(self, by):
        self.x = 0.9 * self.x + by
        return self.x * 2.0

    def shaken(self, x):
        return x * 0.5 + self.np_random.integers(3)

    def front(self, values):
        return values[:2]

    def step(self, action):
        total = self.moved(0.1) + self.moved(0.2 * action)
        values = np.array([self.x, self.y, total])
        first, second = self.front(values), self.front(values)
        self.y = self.shaken(self.shaken(self.y)) + first[0] - second[1]
        return self.seen(), total, False, False, {}


def graded(x):
    """Leaves early, and by a loop of its own."""
    if x < -0.5:
        return -1.0
    if x > 2.0:
        while x > 2.0:
            x = x - 0.7
        return x
    return x * 0.5


class Graded(Walk):
    """Early returns in a helper; where a branch is not taken, its loop must end."""

    def step(self, action):
        self.x = graded(self.x * 4.0) + graded(self.y + action)
        if self.x > 0:
            self.y = graded(5.0 * self.x) - graded(self.x)
        return self.seen(), self.x, False, False, {}


def stretched(p, by):
    """Sums, products and quotients of what it is given, by constants."""
    return (p + by) * by / by - p / by


def product(a, b):
    """What is fused with the sum that it stands in."""
    return a * b * 0.1


def shifted(a):
    """A constant that a compiler would draw together with the next."""
    return (a + 0.1) * 1.0


def unchanged(a):
    """Nothing but signs: a product that it is given is the product that it gives."""
    opposite = -a
    return -opposite


def squared(a):
    """A product of an argument with itself."""
    return unchanged(a) * a / 4.5


def halved(whole):
    """A whole number as a float: a compiler knows that it is no NaN."""
    return whole * 0.1 + whole


class Rounding(Walk):
    """Operations on both sides of a call that a compiler would join."""

    def step(self, action):
        x, y, n = self.x, self.y, float(action)
        x = stretched(0.7 * x, 0.1) + stretched(x + 0.3, 0.7)
        y = product(x, y) + y - product(y, n)
        x = shifted(x + 0.2) + 0.4 + (shifted(y) + 0.7)
        y = y + unchanged(0.7 * x) - unchanged(x * y) + squared(x * 1.5) - squared(x / 3.0)
        self.x = math.fmod(x, 2.0) + halved(n + 1.0) / (7.0 + halved(n * 0.7))
        self.y = math.fmod(y + halved(y), 2.0)
        return self.seen(), x, False, False, {}


def observe(values, jnp):
    """A helper and parameters with names that the program needs for others."""
    bent = values[0] * jnp + values[1]
    return np.array([bent, values[0], 2.0 * bent])


class Names(Walk):
    """A variable that is called like a helper, an array that a helper gives."""

    def step(self, action):
        observe_ = observe(np.array([self.x, self.y]), 0.3)
        rest = observe(observe_[:2], 0.2 * action)
        self.x, self.y = rest[0] - 0.5 * observe_[2], rest[1]
        return self.seen(), rest.sum(), False, False, {}


def spun(values):
    """Sums, products and quotients of an array's elements."""
    first = values[:2]
    total = first[0] + first[1] * 0.1 + 0.2
    return np.array([total / values[2], first[0] * first[1], total + values[2], 0.7])


class Packed(Walk):
    """Arrays of products, whole numbers and constants, which go into a helper and come out."""

    def step(self, action):
        n = float(action)
        one = spun(np.array([0.7 * self.x, n * 0.3, 3.0]))
        two = spun(np.array([self.x + 0.2, self.y * 0.3, 7.0]))
        self.x = one[1] + self.y - two[1] * 0.3
        self.y = math.fmod(two[0] / one[3] + (one[2] + 0.4) + two[2], 2.0)
        return self.seen(), one[0] + two[3], False, False, {}


class Point(NamedTuple):
    """A record with a method."""

    x: float
    y: float

    def plus(self, other):
        return Point(self.x + other.x * 0.3, self.y - other.y)


def described(p, q, *, scale=2.0, flip=False):
    """Records go in, a dict with a list comes out."""
    s = p.plus(q)
    if flip:
        return {"a": s.y * scale, "b": [s.x, 1]}
    return {"a": s.x * scale, "b": [s.y, 2]}


def perhaps(x):
    """Nothing, or a number."""
    return None if x > 0.3 else x * 2.0 + 0.1


class Tool:
    """An object that the environment holds, or that a step makes."""

    def __init__(self, gain):
        self.gain = gain

    def use(self, x):
        return self.gain * x + 0.2 * x


class Pushed(Walk):
    """A method that a subclass extends."""

    tool = Tool(0.7)

    def pushed(self, force):
        return self.x * 0.4 + force * 0.3


class Structures(Pushed):
    """Records, dicts, objects, `super()`, and a helper that may return None."""

    def pushed(self, force):
        return super().pushed(force) + super().pushed(force * 0.5)

    def step(self, action):
        one = described(Point(self.x, self.y), Point(self.y, 0.3))
        two = described(Point(self.y, one["a"]), Point(0.2, self.x), flip=True)
        three = described(Point(self.y, one["b"][0]), Point(0.2, self.x), flip=True)
        found = [perhaps(self.x), perhaps(self.y)]
        rest = sum(0.5 if f is None else f for f in found)
        used = self.tool.use(self.x) + self.tool.use(self.y) + Tool(self.x).use(rest)
        pushed = self.pushed(0.3) + self.pushed(used)
        self.x = math.fmod(one["a"] + two["b"][0] + three["a"] + one["b"][1], 1.0)
        self.y = math.fmod(rest + used + pushed, 1.0)
        return self.seen(), rest, False, False, {}


def arranged(values):
    """An array that is made here and written to."""
    out = np.zeros(3)
    out[0], out[1], out[2] = values[1] * 0.3, values[0], values[2] - values[0]
    return out


def best(values):
    """An index and what is there."""
    k = int(np.argmax(values))
    return k, values[k]


def how_many(items, limit):
    """Of a list."""
    return len([item for item in items if item > limit])


class Arrays(Toy):
    """Arrays and lists, made and read by helpers, written to by the step."""

    observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float64)

    def begin(self):
        self.v, self.marks = self.np_random.uniform(-1, 1, 3), [1, 2, 3]

    def seen(self):
        return self.v.copy()

    def step(self, action):
        a = arranged(self.v)
        b = arranged(a + 0.1)
        b[action % 3] = 0.5
        (k, most), (k2, most2) = best(a), best(b)
        many = how_many(self.marks, 1) + how_many([action, k, k2], 1)
        self.marks[action % 3] += int(k > 0)
        if many > 5:
            self.marks = [1, 2, 3]
        self.v = np.array([b[0] - a[2] * 0.3, math.fmod(most * most2 + many, 1.0), a[1]])
        return self.seen(), float(many), False, False, {}
