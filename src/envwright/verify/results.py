"""The results of levels, in words and as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from envwright.errors import Exit
from envwright.schema.divergence import Divergence
from envwright.schema.results import Level, Verification
from envwright.verify.differences import ByField, merged
from envwright.verify.stats import clean_bound
from envwright.verify.tally import Tally

Verdict = Literal["equal", "different", "inconclusive"]


@dataclass
class LevelResult:
    """One level's verdict with the evidence behind it."""

    level: int
    tally: Tally = field(default_factory=Tally)
    divergences: list[Divergence] = field(default_factory=list)
    inconclusive: str = ""  # why it is inconclusive
    notes: list[str] = field(default_factory=list)
    checks: dict[str, ByField] = field(default_factory=dict)  # differences, where there are checks

    @property
    def differences(self) -> dict[str, ByField]:
        """Differences by check and field; without checks, the name is empty."""
        return self.checks or {"": self.tally.differences}

    @property
    def verdict(self) -> Verdict:
        """The verdict: different outranks inconclusive."""
        if self.divergences:
            return "different"
        return "inconclusive" if self.inconclusive else "equal"

    @property
    def trials(self) -> int:
        """The trials that the bound counts: episodes on level 3, else cases."""
        return self.tally.episodes if self.level == 3 else self.tally.cases

    @property
    def bound(self) -> float | None:
        """The failure rate that this many clean trials do not exclude (95 %)."""
        return clean_bound(self.trials) if self.verdict == "equal" else None

    def merge(self, other: LevelResult) -> None:
        """Add the result of the same level of another check."""
        self.tally.add(other.tally)
        self.divergences += other.divergences
        self.inconclusive = self.inconclusive or other.inconclusive
        self.notes += [n for n in other.notes if n not in self.notes]
        self.checks = merged([self.checks, other.checks])

    def record(self) -> Level:
        """Return the stored form."""
        apart = {
            check: {name: seen.record() for name, seen in fields.items() if not seen.exact}
            for check, fields in self.differences.items()
        }
        return Level(
            level=self.level,
            passed=self.verdict in ("equal", "equivalent"),
            verdict=self.verdict,
            cases=self.tally.cases,
            episodes=self.tally.episodes,
            steps=self.tally.steps,
            bound=self.bound,
            near_boundary=self.tally.near_boundary,
            largest_gaps=self.tally.gaps,
            differences={check: fields for check, fields in apart.items() if fields},
            inconclusive=self.inconclusive,
            notes=self.notes,
            divergences=[d.to_json() for d in self.divergences],
        )


@dataclass
class VerifyReport:
    """All levels of one comparison."""

    env: str
    backend: str
    reference: str
    twin: str
    seed: int
    levels: list[LevelResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def divergences(self) -> list[Divergence]:
        """The divergences of all levels, in order."""
        return [d for level in self.levels for d in level.divergences]

    @property
    def exit_code(self) -> Exit:
        """The exit code: different outranks inconclusive outranks equal."""
        verdicts = {level.verdict for level in self.levels}
        if "different" in verdicts:
            return Exit.DIFFERENT
        return Exit.INCONCLUSIVE if "inconclusive" in verdicts else Exit.EQUAL

    def record(self) -> Verification:
        """Return the result that `envwright verify --json` stores."""
        return Verification(
            env=self.env,
            backend=self.backend,
            reference=self.reference,
            twin=self.twin,
            seed=self.seed,
            notes=self.notes,
            levels=[level.record() for level in self.levels],
        )
