"""A slippery walk in NumPy, its twins in JAX, and the bridges that carry the dice across."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces
from tests.games import SlipperyWalk, Walk, WalkParams

from envwright.core.bridge import SameNames
from envwright.sim.tape import Draw

LENGTH = 9


class IcyWalk(gymnasium.Env):
    """The reference: `SlipperyWalk` as somebody would write it in NumPy."""

    slip = 0.25

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(
            np.zeros(2, np.float32), np.array([LENGTH - 1, 1], np.float32)
        )

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        where, self.heading = self.np_random.random(2, dtype=np.float32)
        self.position = 2 + int(where * np.float32(LENGTH - 4))
        return self._observation(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        slips = self.np_random.random(dtype=np.float32) < self.slip
        self.position += 1 if (action == 1) != slips else -1
        at_goal, fell = self.position >= LENGTH - 1, self.position <= 0
        reward = 1.0 if at_goal else -1.0 if fell else 0.0
        return self._observation(), reward, at_goal or fell, False, {}

    def _observation(self) -> np.ndarray:
        return np.array([self.position, self.heading], np.float32)


class SlickWalk(IcyWalk):
    """Slips a little more often."""

    slip = 0.3


class WarmedUpWalk(IcyWalk):
    """The same game with other dice: a number is drawn and thrown away."""

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.np_random.random(dtype=np.float32)
        return super().step(action)


def icy_walk() -> gymnasium.Env:
    return gymnasium.wrappers.TimeLimit(IcyWalk(), 20)


def slick_walk() -> gymnasium.Env:
    return gymnasium.wrappers.TimeLimit(SlickWalk(), 20)


def warmed_up_walk() -> gymnasium.Env:
    return gymnasium.wrappers.TimeLimit(WarmedUpWalk(), 20)


class TapedWalk(SlipperyWalk):
    """Draws the number itself, so that the threshold is part of the rules."""

    def draw(self, key: jax.Array, state: Walk, action: Any, params: WalkParams) -> jax.Array:
        return jax.random.uniform(key, (), jnp.float32)

    def transition(
        self, state: Walk, action: jax.Array, noise: jax.Array, params: WalkParams
    ) -> tuple[Walk, jax.Array, jax.Array, dict]:
        return super().transition(state, action, noise < params.slip, params)


class WrongSlip(TapedWalk):
    """Slips a little more often."""

    default_params = WalkParams(slip=0.3)


class LoadedDice(TapedWalk):
    """The same rules, but its own numbers are small more often than they should be."""

    def draw(self, key: jax.Array, state: Walk, action: Any, params: WalkParams) -> jax.Array:
        return super().draw(key, state, action, params) ** 4


class StartDice(SameNames):
    """The start follows the reference's draws, the steps do not."""

    def start_noise(self, draws: Sequence[Draw]) -> jax.Array:
        (draw,) = draws
        return jnp.asarray(draw.value)


class Dice(StartDice):
    """Everything follows the reference's draws."""

    def step_noise(self, draws: Sequence[Draw]) -> jax.Array:
        (draw,) = draws
        return jnp.asarray(draw.value)
