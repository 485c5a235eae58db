"""The eight buttons, as one byte."""

from __future__ import annotations

from collections.abc import Iterable

from envwright.errors import EnvwrightError

NAMES = ("right", "left", "up", "down", "a", "b", "select", "start")  # bit 0 first
BIT = {name: 1 << bit for bit, name in enumerate(NAMES)}


def mask_of(names: Iterable[str]) -> int:
    """Return buttons such as `["up", "a"]` as a byte."""
    mask = 0
    for name in names:
        if name.lower() not in BIT:
            raise EnvwrightError(f"there is no button {name!r}; use {', '.join(NAMES)}")
        mask |= BIT[name.lower()]
    return mask


def names_of(mask: int) -> tuple[str, ...]:
    """Return the buttons of a byte."""
    return tuple(name for name, bit in BIT.items() if mask & bit)


def described(mask: int) -> str:
    """Describe a byte of buttons: `up + a`, or `none`."""
    return " + ".join(names_of(mask)) or "none"
