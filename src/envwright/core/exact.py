"""Arithmetic that XLA must not improve.

A compiled program may differ from NumPy in the last bit for two reasons: XLA turns a
division by a scalar into a multiplication by its reciprocal (also when the scalar is
traced), and LLVM contracts a product and a sum into one fused operation. A plain
optimisation barrier stops neither, since it is removed before code is generated and
`vmap` leaves a scalar divisor a scalar. What does stop them is a value that depends on
the data; both helpers cost one comparison and one selection.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike


def exact_div(a: ArrayLike, b: ArrayLike) -> jax.Array:
    """`a / b` rounded as IEEE 754 says, also where `b` is a constant or a parameter."""
    # An integer always equals itself, which XLA knows; a float may not.
    a = jnp.asarray(a, jnp.result_type(a, b, 1.0))
    # A divisor that depends on the dividend cannot be replaced by its reciprocal.
    return a / jnp.where(a != a, a, b)


def rounded(product: ArrayLike) -> jax.Array:
    """A product that is rounded by itself, not fused with the sum that uses it."""
    product = jnp.asarray(product)
    if not jnp.issubdtype(product.dtype, jnp.inexact):
        return product  # integers are exact as they are
    return jnp.where(product != product, jnp.nan, product)
