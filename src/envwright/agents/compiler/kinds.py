"""Dtypes: how NumPy and JAX promote two operands.

The generated program has one float dtype (`float`, the environment's) besides an explicit float32,
and its whole numbers are int32 where NumPy has int64. Operands are cast first if JAX would promote
differently than NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.agents.compiler.values import Node, example

FLOAT, WHOLE, TRUTH = "float", "jnp.int32", "bool"


def word(dtype: Any) -> str:
    """Return a dtype as the program writes it."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return TRUTH
    if dtype.kind == "f":
        return FLOAT if dtype.itemsize >= 8 else f"jnp.{dtype.name}"
    if dtype.kind in "iu" and dtype.itemsize < 4:
        return f"jnp.{dtype.name}"
    return WHOLE


def word_of(value: Any) -> str:
    """Return the dtype of a node or a known number or array."""
    return word(np.asarray(example(value)).dtype)


def is_weak(value: Any) -> bool:
    """Return whether a value is a bare number, which takes its neighbour's dtype."""
    return not isinstance(value, Node) and np.ndim(value) == 0


def promoted(a: Any, b: Any) -> str:
    """Return the dtype that JAX gives two operands."""
    first, second = word_of(a), word_of(b)
    if is_weak(a) and is_weak(b):
        return word(np.result_type(np.asarray(a).dtype, np.asarray(b).dtype))
    if is_weak(a) or is_weak(b):
        literal, strong = (first, second) if is_weak(a) else (second, first)
        return strong if _rank(literal) <= _rank(strong) else literal
    if first == second:
        return first
    if _rank(first) != _rank(second):
        return first if _rank(first) > _rank(second) else second
    return FLOAT if FLOAT in (first, second) else WHOLE


def _rank(name: str) -> int:
    if name == TRUTH:
        return 0
    return 1 if "int" in name else 2


def common(a: Any, b: Any) -> np.dtype:
    """Return the dtype in which NumPy compares or joins two operands."""
    return np.result_type(*(_typed(example(v)) for v in (a, b)))


def _typed(value: Any) -> Any:
    """Keep Python's numbers as they are, since NumPy treats them as weak."""
    return value if isinstance(value, bool | int | float | np.generic) else np.asarray(value)
