"""What a benchmark found, as JSON and as a table.

The JSON (keys may be added, none changes its meaning without a new `schema` number):

    schema       1
    machine      see `describe_machine`
    env          id and version, "cartpole-v1"
    settings     kind, batches, repeats, seconds, seed, and in words: order, actions, spread
                 and, per implementation, `timed`
    rows         one per implementation and batch:
      implementation, role ("ours", "reference", "peer"), kind ("random", "rollout", "ppo"),
      batch, threads (that it may use), cores_used (processor time over time, measured)
      sps_mean, sps_std        steps per second over the repeats
      ratio                    to the reference: mean over repeats, each within its repeat;
                               null where the reference is missing
      ratio_low, ratio_high    smallest and largest of these
      compile_seconds          before the clock starts
      samples                  steps per second of each repeat
    comparisons  ours to each peer at the same batch: implementation, other, batch, ratio,
                 ratio_low, ratio_high
    skipped      implementation and reason
"""

from __future__ import annotations

import os
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from envwright.bench.implementation import Kind, Role
from envwright.core.files import write_json

SCHEMA = 1
ENOUGH_REPEATS = 5


@dataclass(frozen=True)
class Ratio:
    """How many times faster, with what the repeats spread over."""

    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None

    @classmethod
    def between(cls, these: list[float], those: list[float] | None) -> Ratio:
        """Repeat by repeat, so that what slows a whole repeat cancels."""
        if those is None:
            return cls(None, None, None)
        each = [a / b for a, b in zip(these, those, strict=True)]
        return cls(statistics.fmean(each), min(each), max(each))

    def __str__(self) -> str:
        if self.ratio is None:
            return "-"
        return f"{_short(self.ratio)} ({_short(self.ratio_low)}..{_short(self.ratio_high)})"


@dataclass(frozen=True)
class Row:
    """One implementation at one batch."""

    implementation: str
    role: Role
    kind: Kind
    batch: int
    threads: int
    sps_mean: float
    sps_std: float
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    compile_seconds: float
    cores_used: float
    samples: list[float]

    @property
    def to_reference(self) -> Ratio:
        """The ratio with its spread."""
        return Ratio(self.ratio, self.ratio_low, self.ratio_high)


@dataclass(frozen=True)
class Comparison:
    """Ours against a peer at the same batch."""

    implementation: str
    other: str
    batch: int
    ratio: float
    ratio_low: float
    ratio_high: float


@dataclass(frozen=True)
class Skipped:
    """An implementation that could not take part."""

    implementation: str
    reason: str


@dataclass(frozen=True)
class BenchResult:
    """Everything that one run found."""

    machine: dict[str, Any]
    env: str
    settings: dict[str, Any]
    rows: list[Row]
    skipped: list[Skipped] = field(default_factory=list)

    @property
    def comparisons(self) -> list[Comparison]:
        """Ours to each peer, within the same repeats."""
        return [
            Comparison(
                ours.implementation,
                peer.implementation,
                ours.batch,
                **asdict(Ratio.between(ours.samples, peer.samples)),
            )
            for ours in self.rows
            for peer in self.rows
            if ours.role == Role.OURS and peer.role == Role.PEER and ours.batch == peer.batch
        ]

    def to_json(self) -> dict[str, Any]:
        """Plain data in the schema that this module documents."""
        return {
            "schema": SCHEMA,
            "machine": self.machine,
            "env": self.env,
            "settings": self.settings,
            "rows": [asdict(row) for row in self.rows],
            "comparisons": [asdict(comparison) for comparison in self.comparisons],
            "skipped": [asdict(skipped) for skipped in self.skipped],
        }

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the JSON, all of it or nothing."""
        return write_json(path, self.to_json())

    def table(self) -> Any:
        """A `rich` table for people."""
        from rich.table import Table

        table = Table(title=f"{self.env}, {self.settings['kind']}", caption=self._caption())
        table.add_column("implementation")
        table.add_column("role")
        for heading in ("batch", "cores", "steps/s", "× reference", "ours ÷ it", "compile"):
            table.add_column(heading, justify="right")
        for row in self.rows:
            table.add_row(
                row.implementation,
                row.role,
                str(row.batch),
                f"{row.cores_used:.1f} of {row.threads}",
                f"{_steps(row.sps_mean)} ± {_steps(row.sps_std)}",
                str(row.to_reference),
                self._ours_to(row),
                f"{row.compile_seconds:.1f} s",
                style="bold" if row.role == Role.OURS else None,
            )
        return table

    def _ours_to(self, row: Row) -> str:
        return "\n".join(
            str(Ratio(c.ratio, c.ratio_low, c.ratio_high))
            for c in self.comparisons
            if (c.other, c.batch) == (row.implementation, row.batch)
        )

    def _caption(self) -> str:
        repeats = self.settings["repeats"]
        lines = [
            f"{self.machine['cpu']}, {self.machine['cores']} cores; {repeats} repeats, "
            "ratios within a repeat (lowest..highest)"
        ]
        if repeats < ENOUGH_REPEATS:
            lines.append(f"fewer than {ENOUGH_REPEATS} repeats: a first look, not a result")
        lines += [f"left out: {s.implementation}, {s.reason}" for s in self.skipped]
        return "\n".join(lines)


def _steps(sps: float) -> str:
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if sps >= size:
            return f"{sps / size:.2f}{unit}"
    return f"{sps:.0f}"


def _short(ratio: float | None) -> str:
    """Three digits that count."""
    if ratio is None:
        return "-"
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.3g}"
