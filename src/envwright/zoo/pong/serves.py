"""Chance in Pong is one bit per serve: a register whose bits are the coming serves.

The bits of a maximal shift register (x^64 + x^63 + x^61 + x^60 + 1) are what it will give next, so
that a game can follow the serves of another one, and steps do not draw.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from envwright.core.pytree import pytree_dataclass


@pytree_dataclass
class Serves:
    """The coming serves, lowest bit first: 1 is straight, 0 is down."""

    low: jax.Array  # uint32[]
    high: jax.Array  # uint32[]


def draw_serves(key: jax.Array) -> Serves:
    """Draw a register of fair bits; never all 0, which it would stay."""
    low, high = jax.random.bits(key, (2,), jnp.uint32)
    return Serves(jnp.where(low | high == 0, jnp.uint32(1), low), high)


def next_serve(serves: Serves) -> tuple[jax.Array, Serves]:
    """Return whether the next serve is straight (bool[]), and the serves after it."""
    low, high = serves.low, serves.high
    fed_back = (low ^ low >> 1 ^ low >> 3 ^ low >> 4) & 1
    after = Serves(low >> 1 | high << 31, high >> 1 | fed_back << 31)
    return (low & 1).astype(bool), after
