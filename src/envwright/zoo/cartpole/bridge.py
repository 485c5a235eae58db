"""Gymnasium's CartPole state in our words, its draws as our noise, its step as ours."""

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
    """`state[4]` is our motion; TimeLimit's counter is our time."""

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
    """What `CartPoleEnv.step` was given, through our transition, in float64."""
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
