"""Twins of CartPole: the same game, and the ways in which a port goes wrong.

Level 4 is told of them by name: `python:tests.verify.transfer.poles:pole?gravity=15`.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.spaces import Box
from envwright.sim.records import Fields
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import Simulator
from envwright.zoo.cartpole.env import CartPole, Params, State
from envwright.zoo.cartpole.rules import Motion, Physics, accelerations, has_fallen

HERE = "python:tests.verify.transfer.poles"


def pole(start_range: float = 0.05, max_steps: int = 500, **physics: float) -> CartPole:
    """CartPole, with other numbers if asked for."""
    env = CartPole()
    env.default_params = Params(Physics(**physics), start_range, max_steps)
    return env


class Mirrored(CartPole):
    """Left is right."""

    def transition(self, state: State, action: Any, noise: None, params: Params) -> Any:
        return super().transition(state, 1 - action, noise, params)


class SemiImplicit(CartPole):
    """Positions follow the *new* velocities."""

    def transition(self, state: State, action: Any, noise: None, params: Params) -> Any:
        m, p = state.motion, params.physics
        x_acc, theta_acc = accelerations(m, jnp.where(action == 1, p.push, -p.push), p)
        x_dot, theta_dot = m.x_dot + p.tick * x_acc, m.theta_dot + p.tick * theta_acc
        moved = Motion(m.x + p.tick * x_dot, x_dot, m.theta + p.tick * theta_dot, theta_dot)
        fallen = has_fallen(moved, p)
        return State(moved, state.time + 1), self._reward(fallen), fallen, {}


class HalfPay(CartPole):
    """Pays half."""

    def _reward(self, fallen: jax.Array) -> jax.Array:
        return super()._reward(fallen) / 2


class UnpaidFall(CartPole):
    """Pays nothing for the step that ends in a fall: off by one, once an episode."""

    def _reward(self, fallen: jax.Array) -> jax.Array:
        return jnp.where(fallen, 0.0, 1.0).astype(jnp.float32)


class SwappedColumns(CartPole):
    """Shows the angle where the cart's velocity belongs."""

    def observe(self, state: State, player: Any = 0) -> jax.Array:
        return super().observe(state)[jnp.array([0, 2, 1, 3])]


class LastDigit(CartPole):
    """Every observation is off by one unit in the last place."""

    def observe(self, state: State, player: Any = 0) -> jax.Array:
        return jnp.nextafter(super().observe(state), jnp.float32(jnp.inf))


class Taller(CartPole):
    """Shows five numbers instead of four."""

    def observe(self, state: State, player: Any = 0) -> jax.Array:
        return jnp.append(super().observe(state), 0.0)

    def observation_space(self, params: Params | None = None) -> Box:
        return Box(-np.inf, np.inf, (5,))


class Wrapped(Simulator):
    """CartPole as a simulator of somebody's own making."""

    def __init__(self) -> None:
        self.inner = open_simulator("gymnasium:CartPole-v1")
        self.name = "wrapped"
        self.observation_space = self.inner.observation_space
        self.action_space = self.inner.action_space

    def reset(self, seed: int) -> Fields:
        return self.inner.reset(seed)

    def step(self, action: Any) -> Fields:
        return self.inner.step(action)

    def close(self) -> None:
        self.inner.close()


class Brittle(gymnasium.Wrapper):
    """Has no answer to a tilted pole."""

    def __init__(self) -> None:
        super().__init__(gymnasium.make("CartPole-v1"))

    def step(self, action: Any) -> Any:
        obs, *rest = super().step(action)
        if abs(obs[2]) > 0.1:
            raise ZeroDivisionError("the pole\nis tilted")
        return obs, *rest
