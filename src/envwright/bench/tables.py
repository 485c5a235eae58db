"""Results of benchmarks as tables for people; `schema.results` defines their fields."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from envwright.bench.implementation import Role
from envwright.errors import EnvwrightError
from envwright.schema.results import Bench, BenchRow, Breakdown, Comparison, Skipped

ENOUGH_REPEATS = 5


@dataclass(frozen=True)
class Ratio:
    """A ratio of speeds, with its spread over the repeats."""

    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None

    @classmethod
    def between(cls, these: list[float], those: list[float] | None) -> Ratio:
        """Divide repeat by repeat, so that whatever slows a whole repeat cancels."""
        if those is None:
            return cls(None, None, None)
        each = [a / b for a, b in zip(these, those, strict=True)]
        return cls(statistics.fmean(each), min(each), max(each))

    def __str__(self) -> str:
        if self.ratio is None:
            return "-"
        return f"{_short(self.ratio)} ({_short(self.ratio_low)}..{_short(self.ratio_high)})"


def comparisons(rows: Sequence[BenchRow]) -> list[Comparison]:
    """Compare ours with each peer at the same batch, within the same repeats."""
    return [
        Comparison(
            ours.implementation,
            peer.implementation,
            ours.batch,
            **asdict(Ratio.between(ours.samples, peer.samples)),
        )
        for ours in rows
        for peer in rows
        if ours.role == Role.OURS and peer.role == Role.PEER and ours.batch == peer.batch
    ]


def result_table(result: Bench | Breakdown) -> Table:
    """Return the table that the command line prints."""
    return _bench_table(result) if isinstance(result, Bench) else _breakdown_table(result)


def _bench_table(result: Bench) -> Table:
    lines = caption_lines(result.machine, result.settings["repeats"], result.skipped)
    lines[0] += ", ratios within a repeat (lowest..highest)"
    table = Table(title=f"{result.env}, {result.settings['kind']}", caption="\n".join(lines))
    table.add_column("implementation")
    table.add_column("role")
    remembered = any(row.peak_memory_mb is not None for row in result.rows)
    headings = ["batch", "cores", "steps/s", "× reference", "ours ÷ it", "compile"]
    for heading in headings + ["one env", "peak"] * remembered:
        table.add_column(heading, justify="right")
    for row in result.rows:
        table.add_row(
            row.implementation,
            row.role,
            str(row.batch),
            f"{row.cores_used:.1f} of {row.threads}",
            f"{_steps(row.sps_mean)} ± {_steps(row.sps_std)}",
            str(Ratio(row.ratio, row.ratio_low, row.ratio_high)),
            _ours_to(row, result.comparisons),
            f"{row.compile_seconds:.1f} s",
            *([_bytes(row.bytes_per_env), _megabytes(row.peak_memory_mb)] * remembered),
            style="bold" if row.role == Role.OURS else None,
        )
    return table


def _ours_to(row: BenchRow, found: Sequence[Comparison]) -> str:
    return "\n".join(
        str(Ratio(c.ratio, c.ratio_low, c.ratio_high))
        for c in found
        if (c.other, c.batch) == (row.implementation, row.batch)
    )


def _breakdown_table(result: Breakdown) -> Table:
    lines = caption_lines(result.machine, result.settings["repeats"], result.skipped)
    lines[0] += "; share of the sum of the parts, seconds ± deviation over the repeats"
    table = Table(title=f"{result.env}, one PPO iteration", caption="\n".join(lines))
    for heading in ("size", "implementation"):
        table.add_column(heading)
    parts = list(result.rows[0].seconds)
    for heading in ("envs × steps", *parts, "whole iteration"):
        table.add_column(heading, justify="right")
    for row in result.rows:
        table.add_row(
            row.size,
            row.implementation,
            f"{row.batch} × {row.rollout}",
            *(f"{row.share[part]:.1%}\n{_spread(row.samples[part])}" for part in parts),
            _spread(row.samples["iteration"]),
            style="bold" if row.role == Role.OURS else None,
        )
    return table


def caption_lines(machine: dict[str, Any], repeats: int, skipped: list[Skipped]) -> list[str]:
    """Return where and how often was measured, and what was left out."""
    lines = [f"{machine['cpu']}, {machine['cores']} cores; {repeats} repeats"]
    if repeats < ENOUGH_REPEATS:
        lines.append(f"fewer than {ENOUGH_REPEATS} repeats: a first look, not a result")
    return lines + [f"left out: {s.implementation}, {s.reason}" for s in skipped]


def reason_of(error: Exception) -> str:
    """Return in one line why something was left out."""
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
    """Format a number with three significant digits."""
    if ratio is None:
        return "-"
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.3g}"


def _bytes(size: float | None) -> str:
    if size is None:
        return "-"
    return f"{size:.0f} B" if size < 1e4 else f"{size / 1e3:.0f} kB"


def _megabytes(size: float | None) -> str:
    return "-" if size is None else f"{size:.0f} MB"


def _spread(samples: list[float]) -> str:
    """Format mean and standard deviation in a fitting unit."""
    mean = statistics.fmean(samples)
    deviation = statistics.stdev(samples) if len(samples) > 1 else 0.0
    unit, times = ("s", 1) if mean >= 1 else ("ms", 1e3)
    return f"{mean * times:.3g} ± {deviation * times:.2g} {unit}"
