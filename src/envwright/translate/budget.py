"""Budget caps on dollars, tokens, turns and time."""

from __future__ import annotations

import math
from dataclasses import dataclass

from envwright.agents.base import Allowance
from envwright.schema.translation import Budget
from envwright.translate.deadline import Deadline
from envwright.translate.plan import Position

TURN_SECONDS = 1800.0  # one turn, at most


@dataclass(frozen=True)
class Meter:
    """Compares a budget with a run's position."""

    budget: Budget
    at: Position

    @property
    def exhausted(self) -> str:
        """The cap that is reached, in one sentence, or an empty string."""
        b, used = self.budget, self.at.usage
        if b.dollars is not None and used.dollars >= b.dollars:
            return f"${used.dollars:.4f} of ${b.dollars:g} are spent"
        if b.tokens is not None and used.tokens >= b.tokens:
            return f"{used.tokens:,} of {b.tokens:,} tokens are used"
        taken = self.at.turns - (self.at.pending is not None)  # an interrupted one may continue
        if b.iterations is not None and taken >= b.iterations:
            return f"{taken} of {b.iterations} turns are taken"
        return self.overtime

    @property
    def overtime(self) -> str:
        """Why the time is over, or an empty string. A judgement can reach no other cap."""
        minutes = self.budget.minutes
        if minutes is None or self._seconds_left > 0:
            return ""
        return f"{self.at.seconds / 60:.1f} of {minutes:g} minutes are over"

    def deadline(self) -> Deadline:
        """Return the deadline of the current work."""
        return Deadline.after(self._seconds_left)

    @property
    def _seconds_left(self) -> float:
        minutes = self.budget.minutes
        return math.inf if minutes is None else 60 * minutes - self.at.seconds

    def allowance(self, patient: bool = False) -> Allowance:
        """Return what the next turn may spend.

        A patient agent gets all the remaining time: a person may sleep on it.
        """
        b, used = self.budget, self.at.usage
        longest = math.inf if patient else TURN_SECONDS
        return Allowance(
            seconds=max(1.0, min(longest, self._seconds_left)),
            dollars=None if b.dollars is None else max(0.0, b.dollars - used.dollars),
            tokens=None if b.tokens is None else max(0, b.tokens - used.tokens),
        )
