"""The result of a race."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from typing import Any

import scipy

from envwright.schema.results import Race, Raced, as_json

GAIN = 0.02  # the smallest gain worth keeping, on the mean over batches
IMPLAUSIBLE = 20.0  # times faster; such a claim is checked


@dataclass
class Contest:
    """Steps per second of both, per batch and repeat, and the faults of either."""

    batches: tuple[int, ...] = ()
    incumbent: dict[int, list[float]] = field(default_factory=dict)
    candidate: dict[int, list[float]] = field(default_factory=dict)
    wrong: str = ""  # errors of the candidate's timed runs, or how it failed
    unchecked: str = ""  # why parts of its runs could not be checked

    def ratios(self, batch: int) -> list[float]:
        """Candidate over incumbent, repeat by repeat."""
        return [c / i for c, i in zip(self.candidate[batch], self.incumbent[batch], strict=True)]

    @property
    def gains(self) -> list[float]:
        """Logarithm of the ratio per repeat, averaged over batches."""
        table = [[math.log(r) for r in self.ratios(batch)] for batch in self.batches]
        return [statistics.fmean(column) for column in zip(*table, strict=True)]

    @property
    def gain(self) -> float:
        """Speed-up of the candidate over all batches."""
        return math.exp(statistics.fmean(self.gains))

    @property
    def low(self) -> float:
        """Lower bound of the gain with 95 % confidence."""
        gains = self.gains
        spread = statistics.stdev(gains) / math.sqrt(len(gains))
        return math.exp(statistics.fmean(gains) - scipy.stats.t.ppf(0.95, len(gains) - 1) * spread)

    @property
    def implausible(self) -> bool:
        """Whether the gain is too large to accept without checks."""
        return any(statistics.median(self.ratios(b)) > IMPLAUSIBLE for b in self.batches)

    @property
    def incredible(self) -> bool:
        """Whether the gain is unchecked and too large for that."""
        return bool(self.unchecked) and self.implausible

    @property
    def faster(self) -> bool:
        """Whether the gain is beyond the noise, worth keeping, and from the same computation."""
        if self.wrong or self.incredible:
            return False
        return self.low > 1.0 and self.gain > 1.0 + GAIN

    def to_json(self) -> dict[str, Any]:
        """Return plain data for the journal."""
        speeds = {b: Raced(self.incumbent[b], self.candidate[b]) for b in self.batches}
        race = Race(
            batches=speeds,
            gain=self.gain if speeds else None,
            low=self.low if speeds else None,
            implausible=self.implausible,
            wrong=self.wrong,
            unchecked=self.unchecked,
        )
        return as_json(race)
