"""The result of level 4."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import asdict, replace

from envwright.schema.results import (
    Correlation,
    Direction,
    Level,
    MarginProposal,
    PolicyReturns,
    Transfer,
    Visitation,
)
from envwright.verify.results import LevelResult
from envwright.verify.transfer.plan import TransferPlan
from envwright.verify.transfer.tost import Equivalence


def direction(trained_in: str, policies: int, test: Equivalence) -> Direction:
    """Return the result of a test of policies trained in one of the two."""
    said = {"verdict": test.verdict, "reason": test.reason}
    return Direction(trained_in=trained_in, policies=policies, **said, **asdict(test))


@dataclass
class TransferResult(LevelResult):
    """Level 4: equivalent, different or inconclusive, by the worst of its directions."""

    plan: TransferPlan | None = None
    directions: list[Direction] = field(default_factory=list)
    policies: list[PolicyReturns] = field(default_factory=list)
    correlation: Correlation | None = None
    visitation: Visitation | None = None
    proposal: MarginProposal | None = None

    @property
    def verdict(self) -> Any:
        """The verdict: different outranks inconclusive outranks equivalent."""
        verdicts = {direction.verdict for direction in self.directions}
        for worst in ("different", "inconclusive"):
            if worst in verdicts:
                return worst
        return "equivalent" if verdicts else "inconclusive"

    @property
    def bound(self) -> None:
        """None: this level does not count clean trials."""
        return None

    def record(self) -> Level:
        """Return the stored form, with `transfer`."""
        assert self.plan is not None
        correlation = self.correlation or Correlation()
        level = super().record()
        level.transfer = Transfer(
            margin=self.plan.margin,
            margin_why=self.plan.why,
            alpha=self.plan.alpha,
            horizon=self.plan.horizon,
            episodes=self.plan.episodes,
            stages=list(self.plan.stages),
            config=self.plan.config.to_json(),
            directions=self.directions,
            correlation=replace(correlation, policies=len(self.policies)),
            visitation=self.visitation,
            proposed_margin=self.proposal,
            policies=self.policies,
        )
        return level
