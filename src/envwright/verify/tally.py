"""What a level counted."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Tally:
    """Cases, episodes and steps, and the largest difference seen in each float field."""

    cases: int = 0
    episodes: int = 0
    steps: int = 0
    near_boundary: int = 0
    gaps: dict[str, float] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Add another's counts to these."""
        self.cases += other.cases
        self.episodes += other.episodes
        self.steps += other.steps
        self.near_boundary += other.near_boundary
        self.widen(other.gaps)

    def widen(self, gaps: dict[str, float]) -> None:
        """Keep the larger of each gap."""
        for name, gap in gaps.items():
            self.gaps[name] = max(gap, self.gaps.get(name, 0.0))
