"""Running mean and variance, to bring observations and rewards to size one."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from envwright.core.pytree import pytree_dataclass

SMALLEST = 1e-8
BOUND = 10.0  # of a normalised number


@pytree_dataclass
class Moments:
    """Mean and variance of everything seen."""

    mean: jax.Array  # float32[…]
    var: jax.Array  # float32[…]
    count: jax.Array  # float32[]

    @classmethod
    def unseen(cls, shape: tuple[int, ...]) -> Moments:
        """Before anything was seen: normalising changes nothing."""
        return cls(jnp.zeros(shape), jnp.ones(shape), jnp.float32(1e-4))

    def seen(self, x: jax.Array) -> Moments:
        """With the rows of `x[rows, …]` added (Chan's parallel update)."""
        rows = jnp.float32(x.shape[0])
        mean, var = jnp.mean(x, axis=0), jnp.var(x, axis=0)
        total = self.count + rows
        shift = mean - self.mean
        squares = self.var * self.count + var * rows
        squares = squares + jnp.square(shift) * self.count * rows / total
        return Moments(self.mean + shift * rows / total, squares / total, total)

    def normalise(self, x: jax.Array) -> jax.Array:
        """`x` with mean zero and deviation one, outliers cut."""
        return self.scale(x - jnp.broadcast_to(self.mean, x.shape))

    def scale(self, x: jax.Array) -> jax.Array:
        """`x` divided by the deviation; its sign stays."""
        deviation = jnp.broadcast_to(jnp.sqrt(self.var + SMALLEST), x.shape)
        return jnp.clip(x / deviation, -BOUND, BOUND)
