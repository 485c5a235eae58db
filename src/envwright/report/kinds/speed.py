"""What `envwright bench` stored: throughput, and where the time goes."""

from __future__ import annotations

from dataclasses import dataclass

from envwright.report.kinds.values import (
    Json,
    Source,
    number,
    positive,
    skipped,
    whole,
)


@dataclass(frozen=True)
class BenchRow:
    """One implementation at one batch."""

    implementation: str
    role: str
    kind: str
    batch: int
    threads: int | None
    cores_used: float | None
    sps: float
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    compile_seconds: float | None
    samples: tuple[float, ...]
    bytes_per_env: float | None
    peak_memory_mb: float | None

    @property
    def spread(self) -> tuple[float, float]:
        """The slowest and the fastest repeat."""
        return min(self.samples, default=self.sps), max(self.samples, default=self.sps)


@dataclass(frozen=True)
class Bench:
    """Steps per second of ours, the reference and the peers."""

    source: Source
    env: str
    settings: Json
    rows: tuple[BenchRow, ...]
    skipped: tuple[tuple[str, str], ...]  # implementation, reason


def read_bench(source: Source, data: Json) -> Bench:
    """A stored result of this kind; raises on what is none."""
    settings = dict(data.get("settings") or {})
    return Bench(
        source,
        env=str(data["env"]),
        settings=settings,
        rows=tuple(_bench_row(row, settings) for row in data["rows"]),
        skipped=skipped(data),
    )


def _bench_row(row: Json, settings: Json) -> BenchRow:
    return BenchRow(
        implementation=str(row["implementation"]),
        role=str(row["role"]),
        kind=str(row.get("kind") or settings.get("kind", "random")),
        batch=int(row["batch"]),
        threads=whole(row.get("threads")),
        cores_used=number(row.get("cores_used")),
        sps=positive(row["sps_mean"]),
        **{k: number(row.get(k)) for k in ("ratio", "ratio_low", "ratio_high")},
        compile_seconds=number(row.get("compile_seconds")),
        samples=tuple(map(positive, row.get("samples", []))),
        bytes_per_env=number(row.get("bytes_per_env")),
        peak_memory_mb=number(row.get("peak_memory_mb")),
    )


PARTS = ("environment", "inference", "update", "transfer")


@dataclass(frozen=True)
class BreakdownRow:
    """Where the time of one training iteration goes."""

    implementation: str
    role: str
    size: str
    parameters: int | None
    batch: int | None
    seconds: dict[str, float]  # part -> seconds
    iteration_seconds: float

    @property
    def share(self) -> dict[str, float]:
        """Of the parts in their sum."""
        whole = sum(self.seconds.values()) or 1.0
        return {part: seconds / whole for part, seconds in self.seconds.items()}


@dataclass(frozen=True)
class Breakdown:
    """Time of a training iteration over network sizes."""

    source: Source
    env: str
    rows: tuple[BreakdownRow, ...]
    skipped: tuple[tuple[str, str], ...]


def read_breakdown(source: Source, data: Json) -> Breakdown:
    """A stored result of this kind; raises on what is none."""
    return Breakdown(
        source, str(data["env"]), tuple(map(_breakdown_row, data["rows"])), skipped(data)
    )


def _breakdown_row(row: Json) -> BreakdownRow:
    seconds = {part: float(row["seconds"].get(part) or 0.0) for part in PARTS}
    return BreakdownRow(
        implementation=str(row["implementation"]),
        role=str(row["role"]),
        size=str(row["size"]),
        parameters=whole(row.get("parameters")),
        batch=whole(row.get("batch")),
        seconds=seconds,
        iteration_seconds=float(row.get("iteration_seconds") or sum(seconds.values())),
    )
