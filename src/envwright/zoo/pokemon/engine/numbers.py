"""The simulator's fixed-point arithmetic."""

from __future__ import annotations

import numpy as np

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine.context import Context

ONE = 4096
# 2^18 / d rounded up: n * RECIPROCAL[d] >> 18 is n // d for the stats that occur
RECIPROCAL = np.asarray([0, 0] + [-(-(1 << 18) // d) for d in range(2, 9)], np.int32)


def modify(value: Array, modifier: Array | int) -> Array:
    """Multiply a value by a modifier in 4096ths, half rounded down."""
    return (value * modifier + 2047) >> 12


def chain(first: Array, then: Array | int) -> Array:
    """Multiply two modifiers in 4096ths."""
    return (first * then + 2048) >> 12


def boosted(c: Context, stat: Array, boost: Array) -> Array:
    """Return a stat at a stage of -6..6."""
    down = (stat * 2 * c.look(c.xp.asarray(RECIPROCAL), 2 + c.xp.maximum(-boost, 0))) >> 18
    return c.where(boost >= 0, (stat * (2 + boost)) >> 1, down)


def rounded(c: Context, value: Array, numerator: Array | int, denominator: Array | int) -> Array:
    """Return value * numerator / denominator, half rounded up."""
    return c.div(value * numerator * 2 + denominator, denominator * 2)
