"""Tiny Gymnasium environments: an honest one, and the ways in which a twin goes wrong.

They are plain NumPy, so that a whole comparison takes a fraction of a second.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

LEFT, STAY, RIGHT = 0, 1, 2
RIM = 1.0


class Marble(gymnasium.Env):
    """A marble on a dome: push it left, not at all or right; beyond the rim it is lost.

    A step on the inner half pays 1. All arithmetic is float64; the observation is float32.
    """

    number = float  # what positions and velocities are made of

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float32)
        self.position = self.velocity = self.number(0.0)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.position = self.number(self.np_random.uniform(-0.5, 0.5))
        self.velocity = self.number(0.0)
        return self.observation(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        push = self.number(0.05) * self.number(action - 1)
        slope = self.number(0.05) * self.position
        self.velocity = self.number(0.9) * self.velocity + slope + push
        self.position = self.position + self.velocity
        return self.observation(), self.pay(), self.is_lost(), False, {}

    def observation(self) -> np.ndarray:
        return np.array([self.position, self.velocity], np.float32)

    def pay(self) -> float:
        return 1.0 if abs(self.position) < RIM / 2 else 0.0

    def is_lost(self) -> bool:
        return bool(abs(self.position) > RIM)


class Float32Marble(Marble):
    """The same game, rounded to float32 at every operation."""

    number = np.float32


class StrictRimMarble(Marble):
    """Lost at the rim already, which one float in 2**53 shows."""

    def is_lost(self) -> bool:
        return bool(abs(self.position) >= RIM)


class NarrowMarble(Marble):
    """Lost a little too early."""

    def is_lost(self) -> bool:
        return bool(abs(self.position) > RIM - 1e-3)


class WideStartMarble(Marble):
    """Starts a little farther out."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.position *= 1.1
        return self.observation(), {}


class RaisingMarble(Marble):
    """Has no answer far out on the right."""

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        if self.position > 0.6:
            raise ZeroDivisionError("the dome has no right side")
        return super().step(action)


class RaisingResetMarble(Marble):
    """Cannot be started with an even seed."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        if seed and seed % 2 == 0:
            raise ValueError("seeds must be odd")
        return super().reset(seed=seed)


class NaNMarble(Marble):
    """Pays NaN where it should pay nothing."""

    def pay(self) -> float:
        return super().pay() or float("nan")


class TiredMarble(Marble):
    """The third time that an action is held, it does nothing.

    `held` is plain data that a load puts back to 0, so that no single step shows it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.last, self.held = -1, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        self.last, self.held = -1, 0
        return super().reset(seed=seed)

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.held = self.held + 1 if action == self.last else 1
        self.last = action
        return super().step(STAY if self.held == 3 else action)


class BoxedMarble(Marble):
    """Its state is in an object that nobody can look into."""

    def __init__(self) -> None:
        self._box = SimpleNamespace(moves=[])
        super().__init__()

    @property
    def position(self) -> float:
        return self._box.position

    @position.setter
    def position(self, value: float) -> None:
        self._box.position = value

    @property
    def velocity(self) -> float:
        return self._box.velocity

    @velocity.setter
    def velocity(self, value: float) -> None:
        self._box.velocity = value


class ComboMarble(BoxedMarble):
    """Right, left, right in a row pays a bonus that nobody promised."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        self._box.moves = []
        return super().reset(seed=seed)

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self._box.moves = [*self._box.moves, int(action)][-3:]
        return super().step(action)

    def pay(self) -> float:
        return super().pay() + 5.0 * (self._box.moves == [RIGHT, LEFT, RIGHT])


class OwnStartMarble(BoxedMarble):
    """Boxed, and the same seed gives another start."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        return super().reset(seed=None if seed is None else seed + 1)


class RestlessMarble(Marble):
    """Every other tilt is reversed, by a counter that its attributes do not show."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        self._turns = itertools.cycle((1, -1))
        return super().reset(seed=seed)

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        return super().step(1 + next(self._turns) * (action - 1))


class UnseededMarble(Marble):
    """Forgets to seed its starts."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        return super().reset(seed=None)


class JitteryMarble(Marble):
    """Trembles by itself, with a generator that no seed reaches."""

    _made = itertools.count()

    def __init__(self) -> None:
        super().__init__()
        self._own = SimpleNamespace(rng=np.random.default_rng(next(self._made)))

    def pay(self) -> float:
        return super().pay() + 1e-3 * self._own.rng.random()


class FourWayMarble(Marble):
    """Takes an action more."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.Discrete(4)


def timed(steps: int = 8) -> gymnasium.Env:
    """A marble with a time limit."""
    return gymnasium.wrappers.TimeLimit(Marble(), steps)


def timed_too_long() -> gymnasium.Env:
    """The same limit, off by one."""
    return timed(9)


class CountingMarble(Marble):
    """Counts its episodes and steps for its owner; the game takes no notice."""

    def __init__(self) -> None:
        super().__init__()
        self.episodes = self.steps_in_all = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        self.episodes += 1
        return super().reset(seed=seed)

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.steps_in_all += 1
        return super().step(action)


class ReusingMarble(Marble):
    """Shows one and the same array at every step, with new numbers in it."""

    def __init__(self) -> None:
        super().__init__()
        self._shown = np.zeros(2, np.float32)

    def observation(self) -> np.ndarray:
        self._shown[:] = self.position, self.velocity
        return self._shown


class Snake(gymnasium.Env):
    """A snake on a ring that grows when it moves on: a state whose shape varies."""

    longest = 6

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(20)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict]:
        super().reset(seed=seed)
        self.body = [int(self.np_random.integers(20))]
        return self.body[-1], {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict]:
        self.body = [*self.body, (self.body[-1] + 1) % 20] if action else self.body[-1:]
        return self.body[-1], float(len(self.body)), len(self.body) >= self.longest, False, {}


class LongSnake(Snake):
    """May grow by one more."""

    longest = 7


def snake() -> gymnasium.Env:
    return gymnasium.wrappers.TimeLimit(Snake(), 30)


def long_snake() -> gymnasium.Env:
    return gymnasium.wrappers.TimeLimit(LongSnake(), 30)


class ForgetfulMarble(Marble):
    """Shows the wrong thing at the start, the right thing ever after."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        shown, info = super().reset(seed=seed)
        return -shown, info


class LateMarble(Marble):
    """Reads well for a while, then raises: a reference that cannot be relied on."""

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        if abs(self.velocity) > 0.12:
            raise ArithmeticError("too fast")
        return super().step(action)


class MoodyMarble(Marble):
    """Pays otherwise now and then, by dice that no seed reaches."""

    dice = np.random.default_rng(0)

    def pay(self) -> float:
        return super().pay() - 1.0 * (self.dice.random() < 0.02)


class Growing(gymnasium.Env):
    """A number that grows by a tenth; it ends beyond 1. Products round in ulps only."""

    number = float

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(0, 2, (1,), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.x = self.number(self.np_random.uniform(0.3, 0.9))
        return np.array([self.x], np.float32), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.x = self.x * self.number(1.1 + 0.1 * action)
        return np.array([self.x], np.float32), 1.0, bool(self.x > 1), False, {}


class Float32Growing(Growing):
    """The same, rounded to float32."""

    number = np.float32


class OwnStartPlainMarble(Marble):
    """The same seed gives another start, which everybody may see."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        return super().reset(seed=None if seed is None else seed + 1)


class UnboundedClaimMarble(Marble):
    """Says that its observations are smaller than they are."""

    def __init__(self) -> None:
        super().__init__()
        self.observation_space = spaces.Box(-1, 1, (2,), np.float32)


class DeadMarble(Marble):
    """Raises at every step."""

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        raise RuntimeError("dead")


class GhostMarble(Marble):
    """Pays otherwise once it was beyond the rim, where nobody plays on."""

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        was_lost = self.is_lost()
        obs, reward, lost, truncated, info = super().step(action)
        return obs, reward - was_lost, lost, truncated, info


class SleepyMarble(Marble):
    """Raises after five steps on end: a clock that a load puts back to 0."""

    def __init__(self) -> None:
        super().__init__()
        self.awake = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        self.awake = 0
        return super().reset(seed=seed)

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.awake += 1
        if self.awake == 5:
            raise TimeoutError("asleep")
        return super().step(action)


class MortalMarble(Marble):
    """Can be started only so many times."""

    def __init__(self) -> None:
        super().__init__()
        self._box = SimpleNamespace(births=0)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        self._box.births += 1
        if self._box.births > 60:
            raise RuntimeError("born too often")
        return super().reset(seed=seed)


class DriftingMarble(Marble):
    """Off by less than the tolerance in every step, by more along an episode."""

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.velocity += 3e-7
        return super().step(action)


class RacingMarble(Marble):
    """Pays otherwise at a speed that no push can give it."""

    def pay(self) -> float:
        return super().pay() + (abs(self.velocity) > 0.6)
