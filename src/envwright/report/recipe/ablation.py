"""An ablation as stored: both arms with their intervals, and every run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from envwright.report import words
from envwright.report.recipe import amounts

if TYPE_CHECKING:
    from envwright.report.kinds import Source

NUMBERS = ("turns", "tokens", "dollars", "seconds")
SAID = {
    "turns": words.digits,
    "tokens": amounts.tokens,
    "dollars": amounts.dollars,
    "seconds": amounts.duration,
}


@dataclass(frozen=True)
class Mean:
    """A mean with its 95 % interval."""

    name: str
    mean: float
    low: float
    high: float

    @property
    def said(self) -> str:
        return SAID[self.name](self.mean)

    @property
    def interval(self) -> str:
        """Empty where nothing varies. Costs are never below nothing."""
        if self.low == self.high:
            return ""
        low = SAID[self.name](self.low) if self.low > 0 else "0"
        return f"{low} … {SAID[self.name](self.high)}"


@dataclass(frozen=True)
class Arm:
    """The runs of one arm."""

    name: str
    runs: int
    verified: int
    wrong: int  # verified, and yet not right by all levels
    share: tuple[float, float]
    means: tuple[Mean, ...]


@dataclass(frozen=True)
class Trial:
    """One run."""

    arm: str
    number: int
    outcome: str
    turns: int
    repairs: int
    tokens: str
    dollars: str
    seconds: str

    @property
    def tone(self) -> str:
        """The colour's name."""
        return "equal" if self.outcome == "verified" else "unsure"


@dataclass(frozen=True)
class Ablation:
    """The full hierarchy against level 3 alone."""

    source: Source
    env: str
    arms: tuple[Arm, ...]
    trials: tuple[Trial, ...]

    @property
    def answer(self) -> str:
        """What it comes to."""
        shares = [f"{arm.verified} of {arm.runs} with {arm.name}" for arm in self.arms]
        wrong = [f"{arm.wrong} with {arm.name}" for arm in self.arms]
        return (
            f"Runs that ended verified: {words.listed(shares)}. Of these, judged by all levels "
            f"afterwards, wrong: {words.listed(wrong)}."
        )


def read_ablation(source: Source, data: dict[str, Any]) -> Ablation:
    """What `envwright ablate --json` wrote."""
    arms = tuple(map(_arm, data["arms"]))
    if not arms:
        raise ValueError("it has no arms")
    return Ablation(source, str(data["env"]), arms, tuple(map(_trial, data["trials"])))


def _arm(data: dict[str, Any]) -> Arm:
    low, high = map(float, data["verified_interval"])
    return Arm(
        str(data["arm"]),
        int(data["runs"]),
        int(data["verified"]),
        int(data["wrong"]),
        (low, high),
        tuple(Mean(name, *map(float, data[name])) for name in NUMBERS),
    )


def _trial(data: dict[str, Any]) -> Trial:
    return Trial(
        str(data["arm"]),
        int(data["number"]),
        str(data["outcome"]),
        int(data["turns"]),
        int(data["repairs"]),
        amounts.tokens(float(data["tokens"])),
        amounts.dollars(float(data["dollars"])),
        amounts.duration(float(data["seconds"])),
    )
