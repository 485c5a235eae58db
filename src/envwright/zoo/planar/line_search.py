"""Find how far to go along a Newton step.

Along a line the cost is a parabola for inertia, and one for each row where it pushes. Its slope
grows all the way, so that the minimum is where the slope is 0: at 1, the end of the step, if the
rows that push are the same at both ends.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

_TRIALS = 4


class Edge(NamedTuple):
    """A row of constraints along a step."""

    weight: jax.Array
    before: jax.Array  # violation at the start
    after: jax.Array  # and at the end

    def keeps(self) -> jax.Array:
        """Return whether it pushes at both ends or at neither."""
        return ((self.before < 0) == (self.after < 0)) | (self.weight == 0)


def length_of_step(edges: list[Edge], inertial: jax.Array) -> jax.Array:
    """Return how far to go: 1 is the whole step.

    `inertial` is the step's own square, measured by the mass matrix.
    """
    # One array for all rows: this seldom runs, but is always compiled.
    weight, a, b = (jnp.stack(part) for part in zip(*edges, strict=True))
    pulls = weight * (b - a)
    # Twice, if the rows that push at the start did so all along.
    gain = inertial + jnp.sum(jnp.where(a < 0, pulls * (b - a), 0.0), 0)

    def slope(length: jax.Array | float) -> jax.Array:
        reached = a + jnp.broadcast_to(length, a.shape) * (b - a)
        change = jnp.minimum(reached, 0.0) - jnp.minimum(a, 0.0)
        return length * inertial - gain + jnp.sum(pulls * change, 0)

    def narrow(_: int, bracket: tuple) -> tuple:
        """Narrow by false position: the slope grows from below 0 at `low` to above at `high`."""
        low, high, at_low, at_high = bracket
        middle = low - at_low * (high - low) / (at_high - at_low)
        value = slope(middle)
        lower = value <= 0
        return (
            jnp.where(lower, middle, low),
            jnp.where(lower, high, middle),
            jnp.where(lower, value, at_low),
            jnp.where(lower, 0.5 * at_high, value),  # the Illinois variant
        )

    zero, one, end = jnp.zeros_like(gain), jnp.ones_like(gain), slope(1.0)
    bracket = (zero, one, -gain, end)
    low, high, _, _ = jax.lax.fori_loop(0, _TRIALS, narrow, bracket)
    return jnp.where(end <= 0, one, jnp.where(low > 0, low, 0.5 * high))
