"""Dtypes: what NumPy makes of two operands, and what JAX would make of them.

The program that is written has one float dtype (`float`: that of the environment) beside an
explicit float32, and whole numbers are int32 where NumPy has int64. Where JAX would promote
otherwise than NumPy does, the operands are cast first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.agents.compiler.values import Node, example

FLOAT, WHOLE, TRUTH = "float", "jnp.int32", "bool"


def word(dtype: Any) -> str:
    """A dtype as the program writes it."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return TRUTH
    if dtype.kind == "f":
        return FLOAT if dtype.itemsize >= 8 else f"jnp.{dtype.name}"
    if dtype.kind in "iu" and dtype.itemsize < 4:
        return f"jnp.{dtype.name}"
    return WHOLE


def word_of(value: Any) -> str:
    """Of a node, or of a known number or array."""
    return word(np.asarray(example(value)).dtype)


def is_weak(value: Any) -> bool:
    """Whether it is written as a bare number, which takes the dtype of its neighbour."""
    return not isinstance(value, Node) and np.ndim(value) == 0


def promoted(a: Any, b: Any) -> str:
    """What JAX makes of two operands."""
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
    """The dtype in which NumPy compares or joins two operands."""
    return np.result_type(*(_typed(example(v)) for v in (a, b)))


def _typed(value: Any) -> Any:
    """Python's numbers as they are, since NumPy treats them as weak."""
    return value if isinstance(value, bool | int | float | np.generic) else np.asarray(value)
