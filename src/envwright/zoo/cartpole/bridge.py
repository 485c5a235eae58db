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


def golden_step(inputs: Fields) -> Fields:
    """Apply our transition in float64 to recorded inputs of `CartPoleEnv.step`."""
    with jax.enable_x64(True):
        env = CartPole(np.float64)
        motion = Motion(*jnp.asarray(inputs["self.state"]).T)
        states = State(motion, time=jnp.zeros(len(inputs["action"]), jnp.int32))
        step = jax.vmap(lambda s, a: env.advance(None, s, a))  # type: ignore[arg-type]
        after = jax.jit(step)(states, jnp.asarray(inputs["action"], jnp.int32))
        m = after.state.motion
        return {
            "result.0": np.asarray(after.obs),
            "result.1": np.asarray(after.reward, np.float64),
            "result.2": np.asarray(after.terminated),
            "self.state": np.stack([m.x, m.x_dot, m.theta, m.theta_dot], axis=-1),
        }
