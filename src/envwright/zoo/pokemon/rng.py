"""The simulator's random numbers: a 64-bit linear congruential generator as two 32-bit words.

A state is a pair `(hi, lo)` of uint32 arrays. Neither NumPy nor JAX needs 64-bit integers here, so
the same code gives the same numbers in both.
"""

from __future__ import annotations

from typing import Any

from envwright.core.arrays import Array

MULTIPLIER_HI, MULTIPLIER_LO = 0x5D588B65, 0x6C078965
INCREMENT = 0x00269EC3


def _mul_hi(xp: Any, a: Array, b: int) -> Array:
    """Return the high word of the 64-bit product of a uint32 array and a constant."""
    low, high = xp.uint32(0xFFFF), xp.uint32(16)
    a0, a1 = a & low, a >> high
    b0, b1 = xp.uint32(b & 0xFFFF), xp.uint32(b >> 16)
    middle = a1 * b0 + ((a0 * b0) >> high)
    carry = a0 * b1 + (middle & low)
    return a1 * b1 + (middle >> high) + (carry >> high)


def advance(xp: Any, hi: Array, lo: Array) -> tuple[Array, Array]:
    """Return the state after one draw; the number is the new `hi`."""
    new_lo = lo * xp.uint32(MULTIPLIER_LO) + xp.uint32(INCREMENT)
    carry = (new_lo < xp.uint32(INCREMENT)).astype(xp.uint32)
    cross = lo * xp.uint32(MULTIPLIER_HI) + hi * xp.uint32(MULTIPLIER_LO)
    return _mul_hi(xp, lo, MULTIPLIER_LO) + cross + carry, new_lo


def below(xp: Any, number: Array, bound: Array | int) -> Array:
    """Scale the drawn number to 0..bound-1 as int32, for bounds of at most 65536."""
    bound = xp.uint32(bound) if isinstance(bound, int) else bound.astype(xp.uint32)
    high = xp.uint32(16)
    scaled = (number >> high) * bound + (((number & xp.uint32(0xFFFF)) * bound) >> high)
    return (scaled >> high).astype(xp.int32)


def words(seed: str) -> tuple[int, int]:
    """Return the words of a seed text `"a,b,c,d"`: four 16-bit numbers, the highest first."""
    a, b, c, d = (int(part) for part in seed.split(","))
    return a << 16 | b, c << 16 | d


def text(hi: int, lo: int) -> str:
    """Return the seed text of a pair of words."""
    return ",".join(str(part) for part in (hi >> 16, hi & 0xFFFF, lo >> 16, lo & 0xFFFF))
