"""Distributions of differences: counts that can be added, with quantiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from envwright.schema.results import Apart

PER_DECADE = 20  # a quantile is up to 12 % too large, never too small
_LOWEST, _HIGHEST = -20, 12  # powers of ten
_EDGES = 10.0 ** np.linspace(_LOWEST, _HIGHEST, (_HIGHEST - _LOWEST) * PER_DECADE + 1)
SHARES = {"median": 0.5, "p99": 0.99, "p99.9": 0.999}


@dataclass
class Spread:
    """The distribution of numbers from 0 upwards: counts by range, and the largest."""

    zeros: int = 0
    counts: np.ndarray = field(default_factory=lambda: np.zeros(len(_EDGES), np.int64))
    largest: float = 0.0

    @classmethod
    def of(cls, sizes: np.ndarray) -> Spread:
        """Count the numbers of an array. NaN counts as infinite."""
        sizes = np.where(np.isnan(sizes), np.inf, sizes).ravel()
        above = sizes[sizes > 0]
        # The place of the first edge that is not below; beyond the last one there is one more.
        places = np.minimum(np.searchsorted(_EDGES, above), len(_EDGES) - 1)
        return cls(
            zeros=int(sizes.size - above.size),
            counts=np.bincount(places, minlength=len(_EDGES)),
            largest=float(above.max(initial=0.0)),
        )

    @property
    def total(self) -> int:
        """The number of numbers."""
        return self.zeros + int(self.counts.sum())

    def add(self, other: Spread) -> None:
        """Add another's numbers."""
        self.zeros += other.zeros
        self.counts = self.counts + other.counts
        self.largest = max(self.largest, other.largest)

    def quantile(self, share: float) -> float:
        """Return a number that at least this share of all does not exceed."""
        needed = np.ceil(share * self.total - 1e-9)
        if needed <= self.zeros:
            return 0.0
        place = int(np.searchsorted(self.zeros + np.cumsum(self.counts), needed))
        return min(float(_EDGES[place]), self.largest) if place < len(_EDGES) - 1 else self.largest

    def quantiles(self) -> dict[str, float]:
        """Return some quantiles and the largest."""
        return {name: self.quantile(share) for name, share in SHARES.items()} | {
            "largest": self.largest
        }


@dataclass
class Differences:
    """Differences of one field, absolute and relative to the larger of both sides."""

    absolute: Spread = field(default_factory=Spread)
    relative: Spread = field(default_factory=Spread)

    @classmethod
    def of(cls, gaps: np.ndarray, sizes: np.ndarray) -> Differences:
        """Count differences, given the sizes of the numbers."""
        with np.errstate(invalid="ignore"):  # infinite differences of infinite numbers
            share = np.divide(gaps, sizes, out=np.zeros_like(gaps), where=gaps > 0)
        return cls(Spread.of(gaps), Spread.of(share))

    def add(self, other: Differences) -> None:
        """Add another's differences."""
        self.absolute.add(other.absolute)
        self.relative.add(other.relative)

    @property
    def exact(self) -> bool:
        """Whether all differences are zero."""
        return self.absolute.largest == 0

    def record(self) -> Apart:
        """Return both distributions and the number of numbers as stored."""
        return Apart(self.absolute.total, self.absolute.quantiles(), self.relative.quantiles())


ByField = dict[str, Differences]


def merged(parts: Iterable[dict[str, ByField]]) -> dict[str, ByField]:
    """Merge differences by check and field."""
    whole: dict[str, ByField] = {}
    for part in parts:
        for check, fields in part.items():
            own = whole.setdefault(check, {})
            for name, seen in fields.items():
                own.setdefault(name, Differences()).add(seen)
    return whole
