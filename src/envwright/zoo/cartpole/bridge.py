"""The bridge to Gymnasium's CartPole: states, draws and steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.bridge import Columns, Fields
from envwright.zoo.cartpole.env import CartPole, State
from envwright.zoo.cartpole.rules import Motion


class CartPoleBridge(Columns):
    """Maps `state[4]` to our motion, and TimeLimit's counter to our time."""

    def start_noise(self, draws: Sequence[Any]) -> jax.Array:
        """A reset draws once: four uniform numbers."""
        (draw,) = draws
        return jnp.asarray(draw.value)


BRIDGE = CartPoleBridge(
    {
        "state": ("motion.x", "motion.x_dot", "motion.theta", "motion.theta_dot"),
        "time": "time",
    }
)


def golden_step(inputs: Fields) -> dict[str, Any]:
    """Apply our transition in float64 to one recorded call of `CartPoleEnv.step`."""
    motion = Motion(*jnp.asarray(inputs["self.state"]))
    state = State(motion, time=jnp.int32(0))
    unused = jax.random.key(0)  # a step draws nothing
    after = CartPole(np.float64).advance(unused, state, jnp.int32(inputs["action"]))
    m = after.state.motion
    return {
        "result.0": after.obs,
        "result.1": after.reward.astype(np.float64),
        "result.2": after.terminated,
        "self.state": jnp.stack([m.x, m.x_dot, m.theta, m.theta_dot]),
    }
