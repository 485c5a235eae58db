"""Describe an ablation: both arms with their intervals."""

from __future__ import annotations

from envwright.report import words
from envwright.report.recipe import amounts
from envwright.schema.results import Ablation, Arm

SAID = {
    "turns": words.digits,
    "tokens": amounts.tokens,
    "dollars": amounts.dollars,
    "seconds": amounts.duration,
}


def means(arm: Arm) -> list[tuple[str, str]]:
    """Return mean turns, tokens, dollars and time, each with its 95 % interval."""
    return [_row(name, *getattr(arm, name)) for name in SAID]


def _row(name: str, mean: float, low: float, high: float) -> tuple[str, str]:
    """Format a mean and its interval, empty if nothing varies. Costs are never negative."""
    said = SAID[name]
    interval = "" if low == high else f"{said(low) if low > 0 else '0'} … {said(high)}"
    return said(mean), interval


def ablation_answer(found: Ablation) -> str:
    """Summarise the ablation."""
    shares = [f"{arm.verified} of {arm.runs} with {arm.arm}" for arm in found.arms]
    wrong = [f"{arm.wrong} with {arm.arm}" for arm in found.arms]
    return (
        f"Runs that ended verified: {words.listed(shares)}. Of these, judged by all levels "
        f"afterwards, wrong: {words.listed(wrong)}."
    )
