"""The counts of a level."""

from __future__ import annotations

from dataclasses import dataclass, field

from envwright.verify.differences import Differences


@dataclass
class Tally:
    """Cases, episodes and steps, and the differences seen in each float field."""

    cases: int = 0
    episodes: int = 0
    steps: int = 0
    near_boundary: int = 0
    differences: dict[str, Differences] = field(default_factory=dict)

    @property
    def gaps(self) -> dict[str, float]:
        """Return the largest difference of each field."""
        return {name: seen.absolute.largest for name, seen in self.differences.items()}

    def add(self, other: Tally) -> None:
        """Add another's counts to these."""
        self.cases += other.cases
        self.episodes += other.episodes
        self.steps += other.steps
        self.near_boundary += other.near_boundary
        self.see(other.differences)

    def see(self, differences: dict[str, Differences]) -> None:
        """Add differences."""
        for name, seen in differences.items():
            self.differences.setdefault(name, Differences()).add(seen)
