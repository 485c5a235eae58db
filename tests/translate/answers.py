"""What a good agent writes for the lamp, and what a bad one writes."""

HEAT = '''"""Heat of the lamp."""

from envwright.core.exact import rounded


def warm(heat, level):
    return rounded(0.75 * heat) + 0.0625 * level * level


def golden_warm(inputs):
    return {"result": warm(inputs["heat"], inputs["level"])}
'''

ENV = '''"""The lamp as an Env."""

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.env import Env
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete
from fast_lamp.heat import warm


@pytree_dataclass
class Params:
    max_steps: jax.Array | int = 40


@pytree_dataclass
class State:
    level: jax.Array  # int32[]
    heat: jax.Array  # float[]
    time: jax.Array  # int32[]


class Lamp(Env[State, Params]):
    id = "lamp"
    version = 1
    default_params = Params()

    def __init__(self, dtype="float32"):
        self.dtype = np.dtype(dtype)

    def draw_start(self, key, params):
        k_level, k_heat = jax.random.split(key)
        return jax.random.randint(k_level, (), 0, 4), jax.random.uniform(k_heat, (), self.dtype)

    def start(self, noise, params):
        level, heat = noise
        return State(jnp.int32(level), jnp.asarray(heat, self.dtype), jnp.int32(0))

    def transition(self, state, action, noise, params):
        level = jnp.clip(state.level + jnp.int32(action) - 1, 0, 9)
        heat = warm(state.heat, level)
        melted = heat > 6.0
        reward = jnp.where(melted, -10.0, level).astype(jnp.float32)
        return State(level, heat, state.time + 1), reward, melted, {}

    def observe(self, state, player=0):
        return jnp.stack([state.level.astype(self.dtype), state.heat]).astype(jnp.float32)

    def time_is_up(self, state, params):
        return state.time >= params.max_steps

    def observation_space(self, params=None):
        return Box(np.zeros(2, np.float32), np.full(2, 10.0, np.float32))

    def action_space(self, params=None):
        return Discrete(3)
'''


def changed(text, old, new):
    """The text with something replaced that is there exactly once."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


WRONG_HEAT = HEAT.replace("0.0625 * level * level", "0.0625 * level")
WRONG_END = ENV.replace("melted = heat > 6.0", "melted = heat > 7.0")
WRONG_LIMIT = ENV.replace("max_steps: jax.Array | int = 40", "max_steps: jax.Array | int = 41")
BROKEN = "def warm(heat, level:\n"
ENDLESS = HEAT + "\nwhile True:\n    pass\n"

SRC = "src/fast_lamp"


def turn(**files):
    """Files of a turn: heat=…, env=…"""
    return {f"{SRC}/{name}.py": text for name, text in files.items()}
