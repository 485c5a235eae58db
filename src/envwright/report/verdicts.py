"""Verdicts as the page shows them, and what several of them come to."""

from __future__ import annotations

from collections.abc import Iterable

NOT_RUN = "not run"
TONES = {"equal": "equal", "equivalent": "equal", "different": "different", NOT_RUN: "none"}
MARKS = {"equal": "=", "different": "≠", "unsure": "?", "none": "·"}
NAMES = {1: "properties", 2: "interactions", 3: "rollouts", 4: "transfer"}


def tone(verdict: str) -> str:
    """The colour's name: `equal`, `different`, `unsure` or `none`."""
    return TONES.get(verdict, "unsure")


def mark(verdict: str) -> str:
    """A sign beside the colour, for those who do not see it."""
    return MARKS[tone(verdict)]


def worst(verdicts: Iterable[str]) -> str:
    """Different outranks inconclusive outranks equal; nothing is `not run`."""
    order = {"different": 0, "unsure": 1, "equal": 2, "none": 3}
    return min(verdicts, key=lambda v: order[tone(v)], default=NOT_RUN)
