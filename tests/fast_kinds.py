"""Twins in JAX of walks whose actions have several parts."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from tests.kinds import LAST, LIMIT

from envwright.core.env import Env
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete, DiscreteTuple, Tuple


@pytree_dataclass
class State:
    """Where the walker stands."""

    place: jax.Array  # int32[]
    steps: jax.Array  # int32[]


@pytree_dataclass
class NoParams:
    """Nothing can be changed."""


class FastPairs(Env[State, NoParams]):
    """The twin of `Pairs`: a row of whole numbers."""

    id = "fast_pairs"
    version = 1
    default_params = NoParams()

    def draw_start(self, key: Any, params: Any) -> Any:
        return jax.random.randint(key, (), 0, 3, jnp.int32)

    def start(self, noise: Any, params: Any) -> State:
        return State(noise, jnp.int32(0))

    def push(self, action: Any) -> Any:
        return (action[0] - 1) * (1 + action[1])

    def transition(self, state: State, action: Any, noise: Any, params: Any) -> Any:
        place = jnp.clip(state.place + self.push(action), 0, LAST)
        ended = place == LAST
        return State(place, state.steps + 1), ended.astype(jnp.float32), ended, {}

    def time_is_up(self, state: State, params: Any) -> Any:
        return state.steps >= LIMIT

    def observe(self, state: State, player: Any = 0) -> Any:
        return jnp.stack([state.place, state.place % 2])

    def observation_space(self, params: Any = None) -> Any:
        return DiscreteTuple((7, 2))

    def action_space(self, params: Any = None) -> Any:
        return DiscreteTuple((3, 2))


class FastMixed(FastPairs):
    """The twin of `Mixed`: tuples of arrays."""

    id = "fast_mixed"

    def push(self, action: Any) -> Any:
        way, strength = action
        return (way - 1) * (1 + (strength[0] > strength[1]).astype(jnp.int32))

    def observe(self, state: State, player: Any = 0) -> Any:
        place = state.place.astype(jnp.float32)
        return state.place, jnp.stack([place, place / 2])

    def observation_space(self, params: Any = None) -> Any:
        return Tuple((Discrete(LAST + 1), Box(0, LAST, (2,))))

    def action_space(self, params: Any = None) -> Any:
        return Tuple((Discrete(3), Box(0, 2, (2,))))


class SlowMixed(FastMixed):
    """A mistake: strength never counts."""

    id = "slow_mixed"

    def push(self, action: Any) -> Any:
        return action[0] - 1
