"""Generalised advantage estimation, right at both kinds of end."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


def advantages(
    reward: jax.Array,
    value: jax.Array,
    last_value: jax.Array,
    done: jax.Array,
    bootstrap: jax.Array,
    gamma: float,
    lam: float,
) -> jax.Array:
    """Estimate advantages, float[T, B], from rewards, values and dones `[T, B]`.

    `bootstrap` is the value of the observation in which a step was *truncated*, and zero elsewhere:
    rewards would go on after a time limit, but not after a termination. Steps after either kind of
    end belong to the next episode.
    """

    def back(carry: tuple[jax.Array, jax.Array], step: tuple[jax.Array, ...]) -> tuple:
        advantage, next_value = carry
        reward, value, done, bootstrap = step
        follows = jnp.where(done, bootstrap, next_value)
        surprise = reward + gamma * follows - value
        advantage = surprise + gamma * lam * jnp.where(done, 0.0, advantage)
        return (advantage, value), advantage

    start = (jnp.zeros_like(last_value), last_value)
    return lax.scan(back, start, (reward, value, done, bootstrap), reverse=True)[1]
