"""What a breakdown found, as JSON and as a table.

The JSON (keys may be added, none changes its meaning without a new `schema` number):

    kind         "breakdown"
    schema       1
    machine      see `describe_machine`
    env          id and version, "cartpole-v1"
    settings     sizes, repeats, seed, ppo, and in words: order, share, iteration, transfer, timed
    rows         one per size and implementation:
      implementation, role ("ours", "reference"), size ("64x64", "2M", "20M", "200M"),
      parameters (how many there are), batch (environments), rollout (steps of each)
      seconds            environment, inference, update, transfer: mean over the repeats
      share              the same keys, of the sum of seconds
      iteration_seconds  of a whole iteration
      samples            the same keys and "iteration": seconds of each repeat
    skipped      implementation and reason
"""

from __future__ import annotations

import os
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from envwright.bench.implementation import Role
from envwright.bench.result import Skipped, caption_lines
from envwright.core.files import write_json

SCHEMA = 1


@dataclass(frozen=True)
class BreakdownRow:
    """One implementation with a network of one size."""

    implementation: str
    role: Role
    size: str
    parameters: int
    batch: int
    rollout: int
    seconds: dict[str, float]
    iteration_seconds: float
    samples: dict[str, list[float]]

    @property
    def share(self) -> dict[str, float]:
        """Of each part in their sum."""
        whole = sum(self.seconds.values())
        return {part: seconds / whole for part, seconds in self.seconds.items()}

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "share": self.share}


@dataclass(frozen=True)
class BreakdownResult:
    """Everything that one run found."""

    machine: dict[str, Any]
    env: str
    settings: dict[str, Any]
    rows: list[BreakdownRow]
    skipped: list[Skipped] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain data in the schema that this module documents."""
        return {
            "kind": "breakdown",
            "schema": SCHEMA,
            "machine": self.machine,
            "env": self.env,
            "settings": self.settings,
            "rows": [row.to_json() for row in self.rows],
            "skipped": [asdict(skipped) for skipped in self.skipped],
        }

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the JSON, all of it or nothing."""
        return write_json(path, self.to_json())

    def table(self) -> Any:
        """A `rich` table for people."""
        from rich.table import Table

        lines = caption_lines(self.machine, self.settings["repeats"], self.skipped)
        lines[0] += "; share of the sum of the parts, seconds ± deviation over the repeats"
        table = Table(title=f"{self.env}, one PPO iteration", caption="\n".join(lines))
        for heading in ("size", "implementation"):
            table.add_column(heading)
        parts = list(self.rows[0].seconds)
        for heading in ("envs × steps", *parts, "whole iteration"):
            table.add_column(heading, justify="right")
        for row in self.rows:
            table.add_row(
                row.size,
                row.implementation,
                f"{row.batch} × {row.rollout}",
                *(f"{row.share[part]:.1%}\n{_spread(row.samples[part])}" for part in parts),
                _spread(row.samples["iteration"]),
                style="bold" if row.role == Role.OURS else None,
            )
        return table


def _spread(samples: list[float]) -> str:
    """Mean and standard deviation, in a unit that fits."""
    mean = statistics.fmean(samples)
    deviation = statistics.stdev(samples) if len(samples) > 1 else 0.0
    unit, times = ("s", 1) if mean >= 1 else ("ms", 1e3)
    return f"{mean * times:.3g} ± {deviation * times:.2g} {unit}"
