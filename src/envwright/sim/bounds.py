"""Limits of an answer, checked before it is parsed: its length, its values and its depth.

A program whose shapes are known can say only so much. A longer line is not an answer, and parsing
it would cost the asker fifty times its length.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

SPARE = 1 << 21  # values of an answer of which nothing is known: spaces, a first state
SMALL = 1 << 16  # values beyond the expected ones: names, an error's text
TEXT = 32  # bytes of a number as text, with its separator; a packed number takes fewer
DEPTH = 16  # nested lists and objects: some axes below some names

_OPENING, _CLOSING = b"[{", b"]}"
_NOT_BRACKETS = bytes(set(range(256)) - set(_OPENING + _CLOSING))


class TooMuch(ValueError):
    """More than an answer can hold."""


def most_bytes(values: int) -> int:
    """Return how long an answer of so many values may be."""
    return TEXT * values


def parse(line: bytes, values: int) -> Any:
    """Parse JSON of at most so many values. Raises `TooMuch` before it takes memory."""
    if len(line) > most_bytes(values):
        raise TooMuch(f"an answer of more than {most_bytes(values):,} bytes")
    if sum(map(line.count, b"[{,:")) > 2 * values:
        raise TooMuch(f"an answer of more than {values:,} values")
    if _depth(line) > DEPTH:
        raise TooMuch(f"an answer of more than {DEPTH} levels")
    return json.loads(line)


def _depth(line: bytes) -> int:
    """Return how deep the brackets go. Those in texts count, too, which errs on the safe side."""
    brackets = np.frombuffer(line.translate(None, _NOT_BRACKETS), np.uint8)
    steps = np.where(np.isin(brackets, list(_OPENING)), 1, -1).astype(np.int8)
    return int(steps.cumsum(dtype=np.int32).max(initial=0))


def elements(value: Any) -> int:
    """Return how many numbers a decoded answer holds."""
    if isinstance(value, Mapping):
        return sum(map(elements, value.values()))
    return int(np.size(value))


def elements_of(space: gymnasium.Space[Any]) -> int:
    """Return how many numbers an element of a space has."""
    if isinstance(space, gymnasium.spaces.Dict):
        return sum(map(elements_of, space.spaces.values()))
    if isinstance(space, gymnasium.spaces.Tuple):
        return sum(map(elements_of, space.spaces))
    return math.prod(space.shape or ())
