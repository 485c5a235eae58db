"""Results of `envwright bench`: throughput, and where the time of training goes."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from envwright.schema.results.base import Stored

PARTS = ("environment", "inference", "update", "transfer")  # of an iteration of training
Speed = Annotated[float, msgspec.Meta(ge=1e-9, le=1e18)]  # steps per second
Batch = Annotated[int, msgspec.Meta(ge=1)]


class BenchRow(msgspec.Struct, kw_only=True):
    """One implementation at one batch."""

    implementation: str
    role: str  # "ours", "reference" or "peer"
    kind: str  # "random", "rollout", "ppo", …
    batch: Batch
    threads: int  # that it may use
    sps_mean: Speed  # over the repeats
    sps_std: float
    ratio: float | None  # to the reference: mean of the ratios within a repeat
    ratio_low: float | None  # smallest and largest of these ratios
    ratio_high: float | None
    compile_seconds: float  # before the clock starts
    cores_used: float  # processor time over time
    samples: list[Speed]  # of each repeat
    # Of the reference in that ratio: the row's own, or if the reference does not run it, its
    # largest below, else its smallest.
    reference_batch: int | None = None
    bytes_per_env: float | None = None  # of state and observation, if memory was measured
    peak_memory_mb: float | None = None  # of a process that runs nothing else

    @property
    def spread(self) -> tuple[float, float]:
        """The slowest and the fastest repeat."""
        return min(self.samples, default=self.sps_mean), max(self.samples, default=self.sps_mean)


class Comparison(msgspec.Struct):
    """Ours against a peer at the same batch."""

    implementation: str
    other: str
    batch: int
    ratio: float
    ratio_low: float
    ratio_high: float


class Skipped(msgspec.Struct, frozen=True):
    """An implementation that could not take part."""

    implementation: str
    reason: str


class Bench(Stored, kw_only=True, tag="bench"):
    """Steps per second of ours, the reference and the peers."""

    settings: dict[str, Any]  # kind, batches, repeats, seconds, seed; the rest in words
    rows: list[BenchRow]
    comparisons: list[Comparison] = []
    skipped: list[Skipped] = []


class BreakdownRow(msgspec.Struct, kw_only=True):
    """Where the time of one training iteration goes, for a network of one size."""

    implementation: str
    role: str
    size: str  # "64x64", "2M", …
    parameters: int
    batch: int
    rollout: int
    seconds: dict[str, float]  # of each of PARTS: mean over the repeats
    share: dict[str, float]  # of the sum of these
    iteration_seconds: float  # of a whole iteration
    samples: dict[str, list[float]]  # of each repeat, "iteration" too

    def __post_init__(self) -> None:
        if missing := [p for p in PARTS if p not in self.seconds or p not in self.share]:
            raise ValueError(f"`seconds` and `share` need {missing[0]!r}")


class Breakdown(Stored, kw_only=True, tag="breakdown"):
    """Time of a training iteration over network sizes."""

    settings: dict[str, Any]
    rows: list[BreakdownRow]
    skipped: list[Skipped] = []
