"""What level 4 found, in numbers and as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from envwright.verify.results import LevelResult
from envwright.verify.transfer.correlation import Correlation
from envwright.verify.transfer.margin import MarginProposal
from envwright.verify.transfer.plan import TransferPlan
from envwright.verify.transfer.tost import Equivalence
from envwright.verify.transfer.visitation import Visitation


@dataclass(frozen=True)
class PolicyReturns:
    """One policy in both environments: mean returns."""

    trained_in: str
    seed: int
    stage: int
    steps: int
    return_reference: float
    return_twin: float


@dataclass(frozen=True)
class Direction:
    """Policies that were trained in one of the two."""

    trained_in: str
    policies: int
    equivalence: Equivalence

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        about = {"trained_in": self.trained_in, "policies": self.policies}
        return {**about, **self.equivalence.to_json()}


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
        """Different outranks inconclusive outranks equivalent."""
        verdicts = {direction.equivalence.verdict for direction in self.directions}
        for worst in ("different", "inconclusive"):
            if worst in verdicts:
                return worst
        return "equivalent" if verdicts else "inconclusive"

    @property
    def bound(self) -> None:
        """Clean trials are not what this level counts."""
        return None

    def to_json(self) -> dict[str, Any]:
        """One entry of `levels`, with `transfer`."""
        assert self.plan is not None
        correlation = {} if self.correlation is None else asdict(self.correlation)
        return {
            **super().to_json(),
            "passed": self.verdict == "equivalent",
            "transfer": {
                "margin": self.plan.margin,
                "margin_why": self.plan.why,
                "alpha": self.plan.alpha,
                "horizon": self.plan.horizon,
                "episodes": self.plan.episodes,
                "stages": list(self.plan.stages),
                "config": self.plan.config.to_json(),
                "directions": [direction.to_json() for direction in self.directions],
                "correlation": {**correlation, "policies": len(self.policies)},
                "visitation": None if self.visitation is None else self.visitation.to_json(),
                "proposed_margin": None if self.proposal is None else self.proposal.to_json(),
                "policies": [asdict(policy) for policy in self.policies],
            },
        }
