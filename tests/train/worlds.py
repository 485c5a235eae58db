"""Tiny environments, each of which asks one thing of a learner."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from tests.games import EMPTY, NoParams, TicTacToe

from envwright.core.env import Env
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete

# --- pay: a coin at every step, and an end of either kind --------------------------------


@pytree_dataclass
class Clock:
    time: jax.Array  # int32[]


class Pay(Env[Clock, NoParams]):
    """Pays 1 at every step for ever; every `limit` steps it is cut off, or really ends.

    Nothing can be seen, so there is one value to be learnt: 1 / (1 - gamma) if the end is a
    time limit.
    """

    id, version, default_params = "pay", 1, NoParams()
    limit = 4

    def __init__(self, ends: bool = False) -> None:
        self.ends = ends

    def draw_start(self, key: jax.Array, params: Any) -> None:
        return None

    def start(self, noise: None, params: Any) -> Clock:
        return Clock(jnp.int32(0))

    def transition(self, state: Clock, action: Any, noise: None, params: Any) -> Any:
        following = Clock(state.time + 1)
        over = (following.time >= self.limit) & self.ends
        return following, jnp.float32(1), over, {}

    def time_is_up(self, state: Clock, params: Any) -> jax.Array:
        return state.time >= self.limit

    def observe(self, state: Clock, player: Any = 0) -> jax.Array:
        return jnp.ones(1, jnp.float32)

    def observation_space(self, params: Any = None) -> Box:
        return Box(0, 1, (1,))

    def action_space(self, params: Any = None) -> Discrete:
        return Discrete(2)


# --- recall: what was shown some steps ago ------------------------------------------------


@pytree_dataclass
class Cue:
    sign: jax.Array  # float32[], -1 or 1
    time: jax.Array  # int32[]


class Recall(Env[Cue, NoParams]):
    """A sign is shown at the start only; `delay` steps later it is to be named: 1 or -1."""

    id, version, default_params = "recall", 1, NoParams()

    def __init__(self, delay: int = 5) -> None:
        self.delay = delay

    def draw_start(self, key: jax.Array, params: Any) -> jax.Array:
        return jax.random.bernoulli(key)

    def start(self, noise: jax.Array, params: Any) -> Cue:
        return Cue(jnp.where(noise, 1.0, -1.0).astype(jnp.float32), jnp.int32(0))

    def transition(self, state: Cue, action: Any, noise: None, params: Any) -> Any:
        asked = state.time == self.delay
        right = (action == 1) == (state.sign > 0)
        reward = jnp.where(asked, jnp.where(right, 1.0, -1.0), 0.0).astype(jnp.float32)
        return Cue(state.sign, state.time + 1), reward, asked, {}

    def observe(self, state: Cue, player: Any = 0) -> jax.Array:
        shown = jnp.where(state.time == 0, state.sign, 0.0)
        return jnp.stack([shown, (state.time == self.delay).astype(jnp.float32)])

    def observation_space(self, params: Any = None) -> Box:
        return Box(-1, 1, (2,))

    def action_space(self, params: Any = None) -> Discrete:
        return Discrete(2)


# --- bright: which half of a picture is lit ----------------------------------------------


@pytree_dataclass
class Picture:
    pixels: jax.Array  # uint8[12, 12, 1]
    right: jax.Array  # bool[], the right half is the brighter one


class Bright(Env[Picture, NoParams]):
    """A noisy picture; name the brighter half for 1, or lose 1."""

    id, version, default_params = "bright", 1, NoParams()
    side = 12

    def draw_start(self, key: jax.Array, params: Any) -> tuple[jax.Array, jax.Array]:
        k_noise, k_side = jax.random.split(key)
        noise = jax.random.uniform(k_noise, (self.side, self.side, 1), jnp.float32)
        return noise, jax.random.bernoulli(k_side)

    def start(self, noise: tuple[jax.Array, jax.Array], params: Any) -> Picture:
        grain, right = noise
        lit = (jnp.arange(self.side) >= self.side // 2) == right
        pixels = 80 * grain + 120 * lit[None, :, None].astype(jnp.float32)
        return Picture(pixels.astype(jnp.uint8), right)

    def transition(self, state: Picture, action: Any, noise: None, params: Any) -> Any:
        named = jnp.where((action == 1) == state.right, 1.0, -1.0).astype(jnp.float32)
        return state, named, jnp.bool_(True), {}

    def observe(self, state: Picture, player: Any = 0) -> jax.Array:
        return state.pixels

    def observation_space(self, params: Any = None) -> Box:
        return Box(0, 255, (self.side, self.side, 1), np.uint8)

    def action_space(self, params: Any = None) -> Discrete:
        return Discrete(2)


# --- track: steer to a target -------------------------------------------------------------


@pytree_dataclass
class Track:
    target: jax.Array  # float32[]
    position: jax.Array  # float32[]
    given: jax.Array  # float32[1], the last action, as it came
    time: jax.Array  # int32[]


class Tracking(Env[Track, NoParams]):
    """Moves of at most half a unit towards a target; what is left of the way is the cost."""

    id, version, default_params = "tracking", 1, NoParams()
    bound, max_steps = 0.5, 8

    def draw_start(self, key: jax.Array, params: Any) -> jax.Array:
        return jax.random.uniform(key, (), jnp.float32, -1.5, 1.5)

    def start(self, noise: jax.Array, params: Any) -> Track:
        return Track(noise, jnp.float32(0), jnp.zeros(1, jnp.float32), jnp.int32(0))

    def transition(self, state: Track, action: jax.Array, noise: None, params: Any) -> Any:
        position = state.position + action[0]
        following = Track(state.target, position, action, state.time + 1)
        return following, -jnp.abs(state.target - position), jnp.bool_(False), {}

    def time_is_up(self, state: Track, params: Any) -> jax.Array:
        return state.time >= self.max_steps

    def observe(self, state: Track, player: Any = 0) -> jax.Array:
        return jnp.stack([state.target - state.position, state.given[0]])

    def observation_space(self, params: Any = None) -> Box:
        return Box(-np.inf, np.inf, (2,))

    def action_space(self, params: Any = None) -> Box:
        return Box(-self.bound, self.bound, (1,))


# --- strict tic-tac-toe -------------------------------------------------------------------


class StrictTicTacToe(TicTacToe):
    """An illegal move costs both players 100, so that a single one is seen in the rewards."""

    def transition(self, state: Any, action: Any, noise: None, params: Any) -> Any:
        following, reward, over, info = super().transition(state, action, noise, params)
        illegal = state.squares[action] != EMPTY
        return following, jnp.where(illegal, -100.0, reward), over, info


# --- ring: no chance at all ------------------------------------------------------------

RING, RING_LIMIT = 7, 6


@pytree_dataclass
class Place:
    at: jax.Array  # int32[]
    time: jax.Array  # int32[]


class Ring(Env[Place, NoParams]):
    """A walk around a ring without any chance; place 4 is a hole, and time is short."""

    id, version, default_params = "ring", 1, NoParams()

    def draw_start(self, key: jax.Array, params: Any) -> None:
        return None

    def start(self, noise: None, params: Any) -> Place:
        return Place(jnp.int32(0), jnp.int32(0))

    def transition(self, state: Place, action: Any, noise: None, params: Any) -> Any:
        at = (state.at + jnp.where(action == 1, 2, -1)) % RING
        return Place(at, state.time + 1), at.astype(jnp.float32), at == 4, {}

    def time_is_up(self, state: Place, params: Any) -> jax.Array:
        return state.time >= RING_LIMIT

    def observe(self, state: Place, player: Any = 0) -> jax.Array:
        return jnp.stack([state.at, state.time]).astype(jnp.float32)

    def observation_space(self, params: Any = None) -> Box:
        return Box(0, 10, (2,))

    def action_space(self, params: Any = None) -> Discrete:
        return Discrete(2)
