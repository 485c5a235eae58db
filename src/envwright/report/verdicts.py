"""Verdicts for the page, and the worst of several."""

from __future__ import annotations

from collections.abc import Iterable

NOT_RUN = "not run"
TONES = {"equal": "equal", "equivalent": "equal", "different": "different", NOT_RUN: "none"}
MARKS = {"equal": "=", "different": "≠", "unsure": "?", "none": "·"}
NAMES = {1: "properties", 2: "interactions", 3: "rollouts", 4: "transfer"}


def tone(verdict: str) -> str:
    """Return the colour's name: `equal`, `different`, `unsure` or `none`."""
    return TONES.get(verdict, "unsure")


def mark(verdict: str) -> str:
    """Return a sign beside the colour, for readers who cannot see it."""
    return MARKS[tone(verdict)]


def worst(verdicts: Iterable[str]) -> str:
    """Return the worst: different outranks inconclusive outranks equal; `not run` if empty."""
    order = {"different": 0, "unsure": 1, "equal": 2, "none": 3}
    return min(verdicts, key=lambda v: order[tone(v)], default=NOT_RUN)
