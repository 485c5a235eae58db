"""What somebody else writes who is handed the environment: the starts that the compiler cannot."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from fast_lostmarble.dynamics import State, advance

from envwright.core.env import Env
from envwright.core.pytree import pytree_dataclass, updated
from envwright.core.spaces import Box, Discrete


@pytree_dataclass
class Params:
    """What may be changed without compiling."""

    max_steps: int | jax.Array = 40


class LostMarble(Env[State, Params]):
    """Rolls on a line."""

    id = "lostmarble"
    version = 1
    default_params = Params()

    def __init__(self, dtype="float32"):
        self.dtype = np.dtype(dtype)

    def draw_start(self, key, params):
        return jax.random.uniform(key, (2,), self.dtype, -1.0, 1.0)

    def start(self, noise, params):
        place, speed = jnp.sort(noise)
        return State(place=place, speed=speed, time=jnp.int32(0))

    def transition(self, state, action, noise, params):
        following, reward, terminated = advance(state, action)
        following = updated(following, time=state.time + 1)
        return following, reward.astype(self.dtype), terminated, {}

    def observe(self, state, player=0):
        return jnp.stack([state.place, state.speed])

    def time_is_up(self, state, params):
        return state.time >= params.max_steps

    def observation_space(self, params=None):
        return Box(-10.0, 10.0, (2,), np.float64)

    def action_space(self, params=None):
        return Discrete(2)
