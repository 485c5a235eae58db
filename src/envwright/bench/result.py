"""What a benchmark found, as JSON and as a table.

The JSON (keys may be added, none changes its meaning without a new `schema` number):

    kind         "bench"
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
      reference_batch          of the reference in that ratio: the row's own, or if the
                               reference does not run it, its largest below, else its smallest
      compile_seconds          before the clock starts
      bytes_per_env            of state and observation; null unless memory was asked for
      peak_memory_mb           of a process that runs nothing else; see `memory`
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
from envwright.errors import EnvwrightError

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
    reference_batch: int | None = None
    bytes_per_env: float | None = None
    peak_memory_mb: float | None = None

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
            "kind": "bench",
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
        remembered = any(row.peak_memory_mb is not None for row in self.rows)
        headings = ["batch", "cores", "steps/s", "× reference", "ours ÷ it", "compile"]
        for heading in headings + ["one env", "peak"] * remembered:
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
                *([_bytes(row.bytes_per_env), _megabytes(row.peak_memory_mb)] * remembered),
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
        lines = caption_lines(self.machine, self.settings["repeats"], self.skipped)
        lines[0] += ", ratios within a repeat (lowest..highest)"
        return "\n".join(lines)


def caption_lines(machine: dict[str, Any], repeats: int, skipped: list[Skipped]) -> list[str]:
    """Where and how often was measured, and what was left out."""
    lines = [f"{machine['cpu']}, {machine['cores']} cores; {repeats} repeats"]
    if repeats < ENOUGH_REPEATS:
        lines.append(f"fewer than {ENOUGH_REPEATS} repeats: a first look, not a result")
    return lines + [f"left out: {s.implementation}, {s.reason}" for s in skipped]


def reason_of(error: Exception) -> str:
    """Why something was left out, in one line."""
    first = (str(error).splitlines() or [""])[0]
    if isinstance(error, ImportError | EnvwrightError):
        return first or type(error).__name__
    return f"{type(error).__name__}: {first}"


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


def _bytes(size: float | None) -> str:
    if size is None:
        return "-"
    return f"{size:.0f} B" if size < 1e4 else f"{size / 1e3:.0f} kB"


def _megabytes(size: float | None) -> str:
    return "-" if size is None else f"{size:.0f} MB"
