"""Results of `envwright verify`: levels, divergences, transfer."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from envwright.schema.results.base import Stored

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
QUANTILES = {"median", "p99", "p99.9", "largest"}


class PairedTest(msgspec.Struct):
    """A test of paired returns; a unit is a training seed.

    What is not defined is None: everything but the means with too few units, and both p when the
    returns are saturated.
    """

    n: int  # units
    mean_reference: float | None
    mean_twin: float | None
    difference: float | None  # twin - reference
    sd: float | None  # of the paired differences
    low: float | None  # of the 1 - 2 alpha interval of the difference
    high: float | None
    p: float | None  # TOST: the larger of the two one-sided p
    p_difference: float | None  # two-sided paired t-test of "no difference"
    power: float  # probability of "equivalent" for a perfect twin with this sd
    margin: float
    alpha: Share
    case: str


class Direction(PairedTest, kw_only=True):
    """Policies trained on one side, played on both."""

    trained_in: str
    policies: int
    verdict: str
    reason: str


class PolicyReturns(msgspec.Struct):
    """One policy in both environments: mean returns."""

    trained_in: str
    seed: int
    stage: int
    steps: int
    return_reference: float
    return_twin: float


class Correlation(msgspec.Struct, kw_only=True):
    """The correlation of paired returns; None where it is not defined."""

    pearson: float | None = None
    spearman: float | None = None  # of the ranks: the order of the policies
    policies: int = 0


class Visitation(msgspec.Struct, frozen=True):
    """Jensen-Shannon divergence of visited observations, in bits: 0 is one law, 1 disjoint.

    A finite sample never gives 0, so each number has beside it what two samples of one law
    and of this size give.
    """

    jsd_mean: float  # over the dimensions
    jsd_max: float
    noise: float  # mean of jsd_mean when episodes are shuffled among both sides
    noise_max: float  # the same of jsd_max
    p: float  # of one law: how rarely shuffled episodes lie as far apart, in mean or maximum
    dims: int  # of an observation
    compared: int  # histograms: the dimensions, or 32 random projections of them
    rows: tuple[int, int]


class MarginProposal(msgspec.Struct, kw_only=True):
    """A margin with what it rests on; `why` is a sentence for translation.toml."""

    margin: float
    sd_seed: float  # of the returns among training seeds, evaluation noise removed if known
    sd_noise: float | None  # of the difference of two evaluations of one policy
    seeds: int  # in the pilot
    stages: int
    units: int  # seeds that level 4 will train
    power: float | None  # of level 4 with this margin and noise, for a perfect twin
    smallest: float | None  # margin that this noise would allow with the wanted power
    wanted: float
    why: str
    powered: bool | None = None  # whether a perfect twin is shown with the wanted power

    def __post_init__(self) -> None:
        self.powered = None if self.power is None else self.power >= self.wanted


class Transfer(msgspec.Struct, kw_only=True):
    """Level 4: does a policy notice?"""

    margin: float | None
    margin_why: str
    alpha: Share
    horizon: int | None
    episodes: int
    stages: list[float]
    config: dict[str, Any]
    directions: list[Direction]
    correlation: Correlation
    visitation: Visitation | None
    proposed_margin: MarginProposal | None
    policies: list[PolicyReturns]


class Apart(msgspec.Struct):
    """Quantiles of the differences in a field, absolute and relative."""

    numbers: int
    absolute: dict[str, float]
    relative: dict[str, float]

    def __post_init__(self) -> None:
        if not self.absolute.keys() == self.relative.keys() == QUANTILES:
            raise ValueError(f"quantiles are {', '.join(sorted(QUANTILES))}")


class Level(msgspec.Struct, kw_only=True):
    """One level's verdict with the evidence behind it."""

    level: int
    passed: bool
    verdict: str
    cases: int
    episodes: int
    steps: int
    bound: float | None  # the failure rate that clean trials still allow (95 %)
    near_boundary: int
    largest_gaps: dict[str, float]
    differences: dict[str, dict[str, Apart]] = {}  # by check and field, of those not exact
    inconclusive: str = ""  # why nothing could be said
    notes: list[str]
    divergences: list[dict[str, Any]]  # see `schema.divergence`
    transfer: Transfer | None = None

    @property
    def remarks(self) -> list[str]:
        """The notes, and why it is inconclusive."""
        return [*self.notes, *([self.inconclusive] if self.inconclusive else [])]


class Verification(Stored, kw_only=True, tag="verify"):
    """All levels of one comparison."""

    backend: str
    reference: str
    twin: str
    seed: int
    notes: list[str]
    levels: list[Level]
