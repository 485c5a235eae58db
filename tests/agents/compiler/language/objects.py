"""Attributes, properties, classes, enums, closures and other objects."""

import dataclasses
import enum
import functools
from functools import cached_property, lru_cache

import numpy as np
from gymnasium import spaces
from tests.agents.compiler.language.game import Game, equal, refused


class Mood(enum.Enum):
    CALM = 0
    ANGRY = 1


class Way(enum.IntEnum):
    UP = 0
    RIGHT = 1
    DOWN = 2
    LEFT = 3


@equal
class PropertySetter(Game):
    @property
    def speed(self):
        return self.x

    @speed.setter
    def speed(self, value):
        self.x = max(-3, min(3, value))

    def play(self, action):
        self.speed = self.speed + action - 1
        return self.speed


@equal
class PropertyAugmented(Game):
    @property
    def speed(self):
        return self.x

    @speed.setter
    def speed(self, value):
        self.y += 1
        self.x = max(-3, min(3, value))

    def play(self, action):
        self.speed += action - 1
        self.speed -= 1
        return self.speed


@refused("AttributeHook, which has a __setattr__")
class AttributeHook(Game):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, min(value, 3) if name == "x" else value)

    def play(self, action):
        self.x = self.x + action
        return self.x


@equal
class MissingAttributeHook(Game):
    def __getattr__(self, name):
        if name == "bonus":
            return self.x * 2
        raise AttributeError(name)

    def play(self, action):
        self.x += action - 1
        return self.bonus


@refused("the cached property gain")
class CachedProperty(Game):
    @cached_property
    def gain(self):
        return self.x + 1

    def play(self, action):
        self.x = action
        return self.gain


@refused("the method gain with a cache")
class CachedMethod(Game):
    @lru_cache  # noqa: B019
    def gain(self, k):
        return self.x + k

    def play(self, action):
        self.x = action
        return self.gain(2)


@refused("the attribute mood (a Mood), which a step reads, which")
class EnumState(Game):
    def begin(self):
        super().begin()
        self.mood = Mood.CALM

    def play(self, action):
        if action == 3:
            self.mood = Mood.ANGRY
        return -1.0 if self.mood is Mood.ANGRY else 1.0


@refused("the attribute mood (a Mood), which a step reads, which")
class EnumChosenAtReset(Game):
    def begin(self):
        super().begin()
        self.mood = Mood(int(self.np_random.integers(2)))

    def play(self, action):
        return -1.0 if self.mood == Mood.ANGRY else 1.0


@refused("a member of Mood of an unknown value")
class EnumFromNumber(Game):
    def play(self, action):
        mood = Mood(action % 2)
        return 1.0 if mood == Mood.CALM else 2.0


@refused("== with a value of a kind that is not known here")
class EnumName(Game):
    def play(self, action):
        way = Way(action)
        return 1.0 if way.name == "UP" else 2.0


@equal
class EnumOfNumbers(Game):
    def play(self, action):
        way = Way(action)
        if way == Way.UP:
            self.x += 1
        elif way in (Way.LEFT, Way.RIGHT):
            self.x -= way
        return Way.DOWN.value + len(Way)


@refused("a decision that depends on an unknown text")
class TextState(Game):
    def begin(self):
        super().begin()
        self.mode = "walk"

    def play(self, action):
        if action == 2:
            self.mode = "run"
        elif action == 3:
            self.mode = "walk"
        self.x += 2 if self.mode == "run" else 1
        return self.x


@refused("the attribute mode (a str), which a step reads, which")
class TextChosenAtReset(Game):
    def begin(self):
        super().begin()
        self.mode = "walk" if self.np_random.random() < 0.5 else "run"

    def play(self, action):
        return 2.0 if self.mode == "run" else 1.0


@dataclasses.dataclass
class Spot:
    x: int
    y: int = 0

    def moved(self, by):
        return Spot(self.x + by, self.y)


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __bool__(self):
        return self.x != 0

    def __len__(self):
        return 7

    def __getitem__(self, k):
        return (self.x, self.y)[k]

    def __contains__(self, value):
        return value in (self.x, self.y)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __call__(self, k):
        return self.x * k


@equal
class OperatorsOfAClass(Game):
    def play(self, action):
        a = Vector(self.x, 1) + Vector(action, 2)
        self.x = a.x % 7
        found = 5 if a == Vector(2, 3) else 0
        return found + (1 if a else 2) + a(3) + (-a).y


@equal
class ContainerOfAClass(Game):
    def play(self, action):
        a = Vector(self.x, action)
        return len(a) + a[1] + (3 in a)


@refused("the attribute goal (a Spot), which a step reads, which")
class ObjectChosenAtReset(Game):
    def begin(self):
        super().begin()
        self.goal = Spot(int(self.np_random.integers(4)))

    def play(self, action):
        return 1.0 if action == self.goal.x else 0.0


@refused("a step that changes a Spot in self.spot, which is not part of")
class ObjectState(Game):
    def begin(self):
        super().begin()
        self.spot = Spot(0)

    def play(self, action):
        self.spot.x += action
        return self.spot.x


@refused("the attribute spot (a Spot), which a step reads, which")
class ObjectReplaced(Game):
    def begin(self):
        super().begin()
        self.spot = Spot(0)

    def play(self, action):
        self.spot = self.spot.moved(action)
        return self.spot.x


@equal
class DataclassesEqual(Game):
    def play(self, action):
        a, b = Spot(self.x), Spot(action)
        return 1.0 if a == b else 2.0 if a != Spot(3) else 3.0


@refused("a step that changes CountsOnTheClass, which is not part of")
class CountsOnTheClass(Game):
    made = 0

    def play(self, action):
        CountsOnTheClass.made += 1
        return CountsOnTheClass.made


@refused("the attribute level (an int), which a step reads, which")
class ChosenOnTheClass(Game):
    level = 1

    def begin(self):
        super().begin()
        ChosenOnTheClass.level = int(self.np_random.integers(1, 9))

    def play(self, action):
        return self.level


class Base(Game):
    gain = 2

    @property
    def level(self):
        return self.x + self.gain

    @staticmethod
    def twice(value):
        return value * 2

    @classmethod
    def gained(cls, value):
        return value * cls.gain

    def worth(self, action):
        return action + self.gain


@equal
class SuperEverything(Base):
    gain = 5

    @property
    def level(self):
        return super().level + 1

    def worth(self, action):
        return super().worth(action) * 10 + super().twice(3) + super().gained(2)

    def play(self, action):
        self.x += action - 1
        return self.worth(action) + self.level + self.twice(self.x) + self.gained(1)


class Left(Base):
    def worth(self, action):
        return super().worth(action) + 100


class Right(Base):
    def worth(self, action):
        return super().worth(action) * 3


@equal
class Diamond(Left, Right):
    def play(self, action):
        return self.worth(action)


def doubled(function):
    @functools.wraps(function)
    def inner(self, action):
        return function(self, action) * 2 + 1

    return inner


@equal
class Decorated(Game):
    @doubled
    def worth(self, action):
        return action + self.x

    def play(self, action):
        self.x = (self.x + 1) % 4
        return self.worth(action)


@lru_cache
def triangle(n):
    return n * (n + 1) // 2


@equal
class CachedFunction(Game):
    def play(self, action):
        return triangle(action) + triangle(4)


@equal
class LateClosure(Game):
    def play(self, action):
        k = 1

        def scaled(value):
            return value * k

        if action == 0:
            k = 5
            self.x = scaled(2)
        k = 3
        return scaled(self.x)


@equal
class LambdasThatKeep(Game):
    def play(self, action):
        early = [lambda v, i=i: v * i for i in range(3)]
        late = [lambda v: v * i for i in range(3)]  # noqa: B023
        return early[1](self.x) + late[0](action) * 10


@refused("a global variable that is written to")
class CountingClosure(Game):
    def play(self, action):
        count = 0

        def mark():
            nonlocal count
            count += 1

        mark()
        self.x += action
        return count


@equal
class PartialFunction(Game):
    def play(self, action):
        power = functools.partial(pow_of, exponent=2)
        return power(self.x) + action


def pow_of(base, exponent):
    return base**exponent


@equal
class MethodCalledError(Game):
    def error(self):
        return 3 - self.x

    def info(self):
        return self.x * 2

    def play(self, action):
        self.x += action - 1
        return self.error() + self.info()


@equal
class MethodCalledRender(Game):
    def render_state(self):
        return self.x + 10

    def play(self, action):
        self.x += action - 1
        return self.render_state()


@refused("sample of a Discrete")
class SampledSpace(Game):
    def play(self, action):
        return self.action_space.sample()


@refused("whether a space contains a value")
class InSpace(Game):
    inner = spaces.Discrete(3)

    def play(self, action):
        self.x = (self.x + action) % 5
        return 1.0 if self.inner.contains(self.x) else 0.0


@refused("`in` of a Discrete")
class InSpaceByOperator(Game):
    inner = spaces.Discrete(3)

    def play(self, action):
        self.x = (self.x + action) % 5
        return 1.0 if self.x in self.inner else 0.0


@equal
class SetByName(Game):
    def play(self, action):
        setattr(self, "x", 3)  # noqa: B010
        return self.x + action


@refused("the attribute __dict__")
class SetInTheDict(Game):
    def play(self, action):
        self.__dict__["x"] = 3
        return self.x + action


@refused("del of an attribute")
class DeletedAttribute(Game):
    def play(self, action):
        self.flag = 1
        del self.flag
        return 1.0 if hasattr(self, "flag") else 2.0


@refused("the attribute episode (an int), which a step reads, which")
class CountsEpisodes(Game):
    def __init__(self):
        self.episode = 0

    def begin(self):
        super().begin()
        self.episode += 1
        self.y = self.episode

    def play(self, action):
        return self.episode


@refused("the attribute y (an int), which a step reads, which changes,")
class RememberedAcrossEpisodes(Game):
    def __init__(self):
        self.best = 0

    def begin(self):
        super().begin()
        self.y = self.best

    def play(self, action):
        self.x += action
        if action == 3:
            self.best = self.x % 5
        return self.best


@equal
class OptionalNumber(Game):
    def play(self, action):
        target = None
        if action > 1:
            target = self.x
        self.y = 0 if target is None else 1
        return -5 if target is None else target


@refused("the attribute target, which becomes None")
class OptionalState(Game):
    def begin(self):
        super().begin()
        self.target = 1.0

    def play(self, action):
        if self.target is None:
            self.target = 2.0
        elif action > 1:
            self.target = None
        return 0.0 if self.target is None else self.target


@equal
class IsOfTruths(Game):
    def play(self, action):
        big = action > 1
        self.y = 1 if big is True else 0
        return 2 if (self.x is None) is False else 3


@refused("`is` between one of NumPy's truths and Python's")
class IsOfNumPyTruths(Game):
    def play(self, action):
        values = np.array([self.x, action])
        return 1.0 if (values[0] > 1) is True else 2.0


@refused("`is` between unknown values")
class IsOfNumbers(Game):
    def play(self, action):
        two = 2
        return 1.0 if (action + 1) is two else 0.0


@refused("a call of one of several containers")
class OneOfManyFunctions(Game):
    def left(self):
        self.x -= 1

    def right(self):
        self.x += 1

    def play(self, action):
        [self.left, self.right, self.left, self.right][action]()
        return self.x


@equal
class NamesOfClasses(Game):
    def play(self, action):
        return (type(self).__name__ == "NamesOfClasses") + isinstance(self, Game) * 2 + action


@equal
class Walrus(Game):
    def play(self, action):
        y = 7
        if action > 1 and (y := self.x * 2) > 2:
            self.y = 1
        return y
