"""Running mean and variance, to normalise observations and rewards."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from envwright.core.pytree import pytree_dataclass

SMALLEST = 1e-8
BOUND = 10.0  # largest normalised number


@pytree_dataclass
class Moments:
    """Mean and variance of all values so far."""

    mean: jax.Array  # float32[…]
    var: jax.Array  # float32[…]
    count: jax.Array  # float32[]

    @classmethod
    def unseen(cls, shape: tuple[int, ...]) -> Moments:
        """Return the moments before any value: normalising changes nothing."""
        return cls(jnp.zeros(shape), jnp.ones(shape), jnp.float32(1e-4))

    def seen(self, x: jax.Array) -> Moments:
        """Add the rows of `x[rows, …]` (Chan's parallel update)."""
        rows = jnp.float32(x.shape[0])
        mean, var = jnp.mean(x, axis=0), jnp.var(x, axis=0)
        total = self.count + rows
        shift = mean - self.mean
        squares = self.var * self.count + var * rows
        squares = squares + jnp.square(shift) * self.count * rows / total
        return Moments(self.mean + shift * rows / total, squares / total, total)

    def normalise(self, x: jax.Array) -> jax.Array:
        """Normalise `x` to mean zero and deviation one, and clip outliers."""
        return self.scale(x - jnp.broadcast_to(self.mean, x.shape))

    def scale(self, x: jax.Array) -> jax.Array:
        """Divide `x` by the deviation; its sign stays."""
        deviation = jnp.broadcast_to(jnp.sqrt(self.var + SMALLEST), x.shape)
        return jnp.clip(x / deviation, -BOUND, BOUND)
