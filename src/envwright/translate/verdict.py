"""The judge's verdict on a translation at a level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Failure:
    """A failed test, described well enough to repair it."""

    test: str
    module: str  # "" if it is not known which
    summary: str  # one line
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return plain data for the journal."""
        return dict(self.__dict__)


@dataclass
class Verdict:
    """The tests of a level and their failures."""

    level: int
    passed: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    undecided: str = ""  # why nothing can be said, through no fault of the code
    regressions: list[bytes] = field(default_factory=list)  # new tests

    @property
    def green(self) -> bool:
        """Whether everything passed."""
        return not self.failures and not self.undecided

    @property
    def total(self) -> int:
        """Number of tests that ran."""
        return len(self.passed) + len(self.failures)

    def add(self, test: str, failure: Failure | None) -> None:
        """Add a test."""
        if failure is None:
            self.passed.append(test)
        else:
            self.failures.append(failure)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for the journal; new tests are stored elsewhere."""
        return {
            "level": self.level,
            "passed": self.passed,
            "failures": [f.to_json() for f in self.failures],
            "notes": self.notes,
            "undecided": self.undecided,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Verdict:
        """Parse what `to_json` wrote."""
        failures = [Failure(**f) for f in data["failures"]]
        told = list(data["notes"]), data.get("undecided", "")
        return cls(data["level"], list(data["passed"]), failures, *told)
