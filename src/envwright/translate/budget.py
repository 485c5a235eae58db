"""Caps on dollars, tokens, turns and time: what is left, and what is spent."""

from __future__ import annotations

from dataclasses import dataclass

from envwright.agents.base import Allowance
from envwright.translate.plan import Position
from envwright.translate.spec import Budget

TURN_SECONDS = 1800.0  # one turn, at most


@dataclass(frozen=True)
class Meter:
    """A budget against where a run stands."""

    budget: Budget
    at: Position

    @property
    def exhausted(self) -> str:
        """Which cap is reached, in one sentence; empty if none is."""
        b, used = self.budget, self.at.usage
        if b.dollars is not None and used.dollars >= b.dollars:
            return f"${used.dollars:.4f} of ${b.dollars:g} are spent"
        if b.tokens is not None and used.tokens >= b.tokens:
            return f"{used.tokens:,} of {b.tokens:,} tokens are used"
        taken = self.at.turns - (self.at.pending is not None)  # one that was cut off may go on
        if b.iterations is not None and taken >= b.iterations:
            return f"{taken} of {b.iterations} turns are taken"
        if b.minutes is not None and self.at.seconds >= 60 * b.minutes:
            return f"{self.at.seconds / 60:.1f} of {b.minutes:g} minutes are over"
        return ""

    def allowance(self) -> Allowance:
        """For the next turn."""
        b, used = self.budget, self.at.usage
        left = None if b.minutes is None else 60 * b.minutes - self.at.seconds
        return Allowance(
            seconds=TURN_SECONDS if left is None else max(1.0, min(TURN_SECONDS, left)),
            dollars=None if b.dollars is None else max(0.0, b.dollars - used.dollars),
            tokens=None if b.tokens is None else max(0, b.tokens - used.tokens),
        )
