"""The judge's verdict on a translation at a level."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import msgspec

from envwright.schema.results import Level, as_json


@dataclass(frozen=True)
class Failure:
    """A failed test, described well enough to repair it."""

    test: str
    module: str  # "" if it is not known which
    summary: str  # one line
    detail: str = ""


@dataclass
class Verdict:
    """The tests of a level and their failures."""

    level: int
    passed: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    undecided: str = ""  # why nothing can be said, through no fault of the code
    regressions: list[bytes] = field(default_factory=list)  # new tests
    shown: dict[str, Level] = field(default_factory=dict)  # what clean checks showed, by label

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
        data = asdict(self)
        del data["regressions"]
        data["shown"] = {label: as_json(level) for label, level in self.shown.items()}
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Verdict:
        """Parse what `to_json` wrote."""
        return msgspec.convert(data, cls, strict=False)
