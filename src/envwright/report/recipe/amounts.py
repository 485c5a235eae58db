"""Format costs and times for people. A sum of zero means that it was not counted."""

from __future__ import annotations

import math

UNKNOWN = "not known"


def duration(seconds: float) -> str:
    """`35 s`, `4 min 56 s`, `2 h 5 min`."""
    if not math.isfinite(seconds):
        return UNKNOWN
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f}\u202fs" if seconds < 10 else f"{whole}\u202fs"
    minutes, left = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}\u202fmin {left}\u202fs"
    return f"{minutes // 60}\u202fh {minutes % 60}\u202fmin"


def tokens(number: float) -> str:
    """`12,345`."""
    return f"{number:,.0f}" if number else UNKNOWN


def dollars(amount: float) -> str:
    """`$0.0123`, `$0.25`, `$12.30`."""
    if not amount:
        return UNKNOWN
    return f"${amount:,.2f}" if amount >= 0.1 else f"${amount:.4f}"


def plural(number: int, one: str, many: str = "") -> str:
    """`1 turn`, `2 turns`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
