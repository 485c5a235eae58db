"""Results of `envwright ablate` and `envwright optimise`."""

from __future__ import annotations

import statistics

import msgspec

from envwright.schema.results.base import Stored

Mean = tuple[float, float, float]  # mean, low, high (95 %)


class Trial(msgspec.Struct):
    """One run of one arm."""

    arm: str
    number: int
    outcome: str
    turns: int
    repairs: int
    tokens: int
    dollars: float
    seconds: float
    missed: int | None  # tests of all levels that its verified code fails; None: not verified


class Arm(msgspec.Struct):
    """The runs of one arm."""

    arm: str
    runs: int
    verified: int
    verified_interval: tuple[float, float]  # of the share, Clopper and Pearson
    wrong: int  # verified by the arm, and yet not right by all levels
    turns: Mean
    tokens: Mean
    dollars: Mean
    seconds: Mean


class Ablation(Stored, kw_only=True, tag="ablation"):
    """The full hierarchy against level 3 alone."""

    arms: list[Arm]
    trials: list[Trial]

    def __post_init__(self) -> None:
        if not self.arms:
            raise ValueError("`arms` is empty")


class Raced(msgspec.Struct):
    """Steps per second of both versions, repeat by repeat."""

    incumbent: list[float]
    candidate: list[float]

    def __post_init__(self) -> None:
        speeds = [*self.incumbent, *self.candidate]
        if not speeds or len(self.incumbent) != len(self.candidate) or min(speeds) <= 0:
            raise ValueError("a race needs a speed of both versions in every repeat")

    @property
    def medians(self) -> tuple[float, float]:
        return statistics.median(self.incumbent), statistics.median(self.candidate)

    @property
    def ratio(self) -> float:
        """The median of the ratios within repeats."""
        pairs = zip(self.candidate, self.incumbent, strict=True)
        return statistics.median(candidate / incumbent for candidate, incumbent in pairs)


class Race(msgspec.Struct, kw_only=True):
    """How fast a change is, against the version before it."""

    batches: dict[int, Raced]
    gain: float | None
    low: float | None  # the gain is above this with 95 % confidence
    implausible: bool = False
    wrong: str = ""
    unchecked: str = ""  # what of the timed runs could not be checked, and why


class Round(msgspec.Struct, kw_only=True):
    """One change that was tried."""

    round: int
    said: str
    kept: bool
    why: str
    gain: float | None = None  # None: it was not raced
    low: float | None = None
    unchecked: str = ""
    race: Race | None
    status: str = "ok"  # of the agent
    meddled: list[str] = []  # guarded files that it changed

    def __post_init__(self) -> None:
        if self.race is not None:
            self.gain, self.low = self.race.gain, self.race.low
            self.unchecked = self.race.unchecked

    @property
    def verdict(self) -> str:
        """Why it was kept or not, and what is unknown about that."""
        return f"{self.why}; not checked: {self.unchecked}" if self.unchecked else self.why

    def __str__(self) -> str:
        measured = "" if self.gain is None else f" ({self.gain:.3f} ×, above {self.low:.3f})"
        return f"round {self.round}: {self.said or 'no word'}: {self.verdict}{measured}"


class Optimisation(Stored, kw_only=True, tag="optimisation"):
    """All rounds after a run."""

    outcome: str
    reason: str
    gain: float
    usage: dict[str, float]
    rounds: list[Round]
