"""Rules on RAM in plain Python, which the Rust code must share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from envwright.zoo.gameboy.settings import Condition, Number, Reward

Peek = Callable[[int], int]


def read(number: Number, peek: Peek) -> int:
    """Read a number in RAM; addresses wrap at the end of the map."""
    data = [peek((number.address + i) & 0xFFFF) for i in range(number.bytes)]
    if number.encoding == "bits":
        return sum(byte.bit_count() for byte in data)
    if number.encoding in ("big", "bcd-big"):
        data.reverse()
    if number.encoding.startswith("bcd"):
        return sum((10 * (b >> 4) + (b & 15)) * 100**i for i, b in enumerate(data))
    return sum(byte << 8 * i for i, byte in enumerate(data))


def holds(condition: Condition, peek: Peek) -> bool:
    """Return whether a condition is met."""
    number, value = read(condition, peek), condition.value
    match condition.test:
        case "==":
            return number == value
        case "!=":
            return number != value
        case "<":
            return number < value
        case ">":
            return number > value
        case _:
            return number & value != 0


def reward_of(terms: Sequence[Reward], before: Sequence[int], now: Sequence[int]) -> np.float32:
    """Return the sum of all terms, in the order of the file, in float64."""
    total = 0.0
    for term, old, new in zip(terms, before, now, strict=True):
        total += term.scale * float(new - old if term.kind == "change" else new)
    return np.float32(total)
