"""Shuffle n rows without a sort, which would take a quarter of an update."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

ROUNDS = 6


def shuffled(key: jax.Array, count: int) -> jax.Array:
    """Return the numbers below `count`, int32[count], in an order that the key decides.

    Numbers of just enough bits are mixed by steps that can be undone (times an odd number, plus a
    number, high bits into low ones), so all stay distinct. A number outside the range is mixed
    again until it is inside.
    """
    bits = max(1, (count - 1).bit_length())
    mask, half = jnp.uint32(2**bits - 1), jnp.uint32((bits + 1) // 2)
    words = jax.random.bits(key, (ROUNDS, 2), jnp.uint32)

    def mix(x: jax.Array) -> jax.Array:
        for times, plus in words:
            x = (x * (times | jnp.uint32(1)) + plus) & mask
            x = x ^ (x >> half)
        return x

    def outside(x: jax.Array) -> jax.Array:
        return jnp.any(x >= count)

    def bring_back(x: jax.Array) -> jax.Array:
        return jnp.where(x >= count, mix(x), x)

    numbers = mix(jnp.arange(count, dtype=jnp.uint32))
    return lax.while_loop(outside, bring_back, numbers).astype(jnp.int32)
