"""Arithmetic whose rounding XLA must not change.

A compiled program may differ from NumPy in the last bit for two reasons: XLA turns a
division by a scalar into a multiplication by its reciprocal (also when the scalar is
traced), and LLVM contracts a product and a sum into one fused operation. A plain
optimisation barrier stops neither, since it is removed before code is generated and
`vmap` leaves a scalar divisor a scalar. What does stop them is a value that depends on
the data; both helpers cost one comparison and one selection.

A third: Python and NumPy raise a single number to a power with the system's `pow`, which may
round otherwise than a product does (`x ** 2` is not always `x * x`), and XLA makes products of it.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike


def exact_div(a: ArrayLike, b: ArrayLike) -> jax.Array:
    """Divide with IEEE 754 rounding, also where `b` is a constant or a parameter."""
    with jax.numpy_dtype_promotion("standard"):  # a quotient of integers is a float
        dtype = jnp.result_type(a, b, 1.0)
    # An integer always equals itself, which XLA knows; a float may not.
    a, b = jnp.asarray(a, dtype), jnp.asarray(b, dtype)
    # A divisor that depends on the dividend cannot be replaced by its reciprocal.
    return a / jnp.where(a != a, a, b)


def rounded(product: ArrayLike, whole: bool = False) -> jax.Array:
    """Round a product by itself, so that it is not fused with the sum that uses it.

    Say `whole` if its factors are only whole numbers and constants. LLVM can then prove that the
    product is not a NaN and would remove the comparison, so its bits are compared instead, which
    has no derivative.
    """
    product = jnp.asarray(product)
    if not jnp.issubdtype(product.dtype, jnp.inexact):
        return product  # integers are exact as they are
    if whole:
        bits = jax.lax.bitcast_convert_type(product, f"int{product.dtype.itemsize * 8}")
        # All bits set is a NaN, and becomes another one.
        return jax.lax.bitcast_convert_type(jnp.where(bits == -1, -2, bits), product.dtype)
    return jnp.where(product != product, jnp.nan, product)


def scalar_power(base: ArrayLike, exponent: ArrayLike) -> jax.Array:
    """Raise one number to a power as the system's `pow` rounds it, in a float64 context.

    In other contexts, such as training, it is XLA's own power, which is several times faster and
    may differ in the last digit. Do not pass NaN: `pow(nan, 0)` would be 1.
    """
    if jnp.result_type(float) != jnp.float64:
        return jnp.asarray(base**exponent)  # type: ignore[operator]
    base, exponent = jnp.asarray(base), jnp.asarray(exponent)
    dtype = jnp.result_type(base, exponent, float)
    base, exponent = base.astype(dtype), exponent.astype(dtype)
    # An exponent that depends on the base is not known, nor a base that depends on the exponent.
    return jax.lax.pow(
        jnp.where(exponent != exponent, exponent, base), jnp.where(base != base, base, exponent)
    )
