"""Format numbers for people."""

from __future__ import annotations

import math
from datetime import datetime

SIZES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def steps(number: float | None) -> str:
    """Format `56.1 M`, with three significant digits."""
    if number is None:
        return "–"
    for size, unit in SIZES:
        if abs(number) >= size:
            return f"{digits(number / size)}\u202f{unit}"
    return digits(number)


def digits(number: float) -> str:
    """Format three significant digits, usually without an exponent; a dash for NaN."""
    if math.isnan(number):
        return "–"
    if number and not 1e-4 <= abs(number) < 1e6:
        return f"{number:.2e}"
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}"


def whole(number: float) -> str:
    """The nearest whole number."""
    return str(round(number)) if math.isfinite(number) else f"{number:g}"


def known(number: float | None) -> str:
    """Format the digits of a number, or a dash for None."""
    return "–" if number is None else digits(number)


def signed(number: float | None) -> str:
    """`+1.4`, or a dash for none."""
    return "–" if number is None else f"{number:+.3g}".replace("-", "−")


def times(ratio: float | None) -> str:
    """`340×`."""
    return "–" if ratio is None else f"{digits(ratio)}×"


def count(number: float | None) -> str:
    """`405,254`, or a dash for none."""
    return f"{number:,.0f}" if number else "–"


def percent(share: float | None) -> str:
    """Format `0.3 %`, `100 %`; never rounded up to 100 %."""
    if share is None:
        return "–"
    text = f"{100 * share:.3g}"
    if text == "100" and share < 1:
        text = f"{100 * share:.2f}" if share < 0.9999 else "99.99"
    return f"{text}\u202f%"


def probability(p: float | None) -> str:
    """`< 0.001`, or two digits."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.2g}"


def seconds(duration: float | None) -> str:
    """`1.2 s`, `35 ms`."""
    if duration is None:
        return "–"
    if duration and duration < 1e-3:
        return f"{digits(duration * 1e6)}\u202fµs"
    if duration and duration < 1:
        return f"{digits(duration * 1e3)}\u202fms"
    return f"{digits(duration)}\u202fs"


def memory(size: float | None) -> str:
    """`36 B`, `1.2 kB`."""
    if size is None:
        return "–"
    for unit_size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit_size:
            return f"{digits(size / unit_size)}\u202f{unit}"
    return f"{digits(size)}\u202fB"


def day(date: str) -> str:
    """Format an ISO date as `15 November 2026, 23:22 UTC`; return other text as it is."""
    try:
        moment = datetime.fromisoformat(date)
    except ValueError:
        return date
    zone = f" {moment.tzname()}" if moment.tzinfo else ""
    return f"{moment.day} {moment:%B %Y, %H:%M}{zone}"


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
