"""The same tanks in JAX, written by hand in an afternoon."""

import jax
import jax.numpy as jnp

from envwright.core import Box, Discrete, Env, pytree_dataclass

CAPACITY = 12
FLOW = 3
DEMAND = jnp.array([0, 1, 1, 2, 4, 2])


@pytree_dataclass
class State:
    """Levels of the tanks, and the hour."""

    level: jax.Array  # int32[3], litres
    hour: jax.Array  # int32[]


@pytree_dataclass
class Params:
    """Numbers that may be traced."""

    max_steps: jax.Array | int = 100


class FastTanks(Env[State, Params]):
    """Action k opens the valve below tank k; action 3 opens none."""

    id = "fast_tanks"
    version = 1
    default_params = Params()

    def draw_start(self, key, params):
        return jax.random.randint(key, (3,), 2, 8)

    def start(self, noise, params):
        return State(noise.astype(jnp.int32), jnp.int32(0))

    def transition(self, state, action, noise, params):
        level = state.level
        water = jnp.minimum(FLOW, level)
        out = jnp.where(jnp.arange(3) == action, water, 0)
        level = level - out + jnp.array([2, 0, 0]) + jnp.roll(out, 1).at[0].set(0)
        wanted = DEMAND[state.hour % 6]
        given = jnp.minimum(wanted, level[2])
        level = level.at[2].add(-given)
        spilled = jnp.any(level >= CAPACITY)
        reward = (given - 2 * (wanted - given)).astype(jnp.float32)
        return State(level, state.hour + 1), reward, spilled, {}

    def observe(self, state, player=0):
        return jnp.concatenate([state.level, state.hour[None]])

    def time_is_up(self, state, params):
        return state.hour >= params.max_steps

    def observation_space(self, params=None):
        return Box(0, 100, (4,), jnp.int32)

    def action_space(self, params=None):
        return Discrete(4)
