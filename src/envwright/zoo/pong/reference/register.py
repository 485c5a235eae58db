"""The coming serves as a register of 64 bits, lowest first; a set bit serves level (vy = 0).

The reference draws a bit per serve from a stream that all of its environments share. As a register
in the state, chance becomes a part of the comparison: after 64 bits from the C library the register
continues by itself, the same way in every twin.
"""

from __future__ import annotations

import numpy as np

LENGTH = 64
MASK = (1 << 32) - 1


def shifted(register: int) -> int:
    """Return the register after a serve: a shift register, x^64 + x^63 + x^61 + x^60 + 1."""
    fed = (register ^ register >> 1 ^ register >> 3 ^ register >> 4) & 1
    return register >> 1 | fed << (LENGTH - 1)


def to_words(register: int) -> np.ndarray:
    """Return the register as uint32[2], the low word first."""
    return np.array([register & MASK, register >> 32], np.uint32)


def from_words(words: np.ndarray) -> int:
    """Return the register of uint32[2]."""
    low, high = words.tolist()
    return low | high << 32
