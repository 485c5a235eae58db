"""The zoo at a glance: verdicts, bugs caught and speed of each environment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from envwright.bench.tables import Ratio
from envwright.report.pictures import frame_uri
from envwright.report.results import Environment
from envwright.report.verdicts import worst
from envwright.schema.results import Bench, BenchRow, Mutation, Verification

LEVELS = (1, 2, 3, 4)
KINDS = ("random", "rollout", "ppo")  # in the order of the page


@dataclass(frozen=True)
class Strip:
    """The verdicts of one backend, level by level."""

    backend: str
    verdicts: dict[int, str]


@dataclass(frozen=True)
class Speedup:
    """The ratio of ours to another at the batch where ours is fastest."""

    other: str
    role: str
    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class Headline:
    """Our fastest measurement, and what it is compared with."""

    kind: str
    row: BenchRow
    speedups: list[Speedup]


def strips(env: Environment) -> list[Strip]:
    """Return a strip for each verified backend, or a single empty one."""
    backends = list(dict.fromkeys(backend_of(v) for v in env.ours)) or [""]
    return [
        Strip(backend, {level: _verdict(env, backend, level) for level in LEVELS})
        for backend in backends
    ]


def backend_of(verification: Verification) -> str:
    """Return the compared backend; the default one for a comparison by simulator name."""
    return verification.backend or "default"


def _verdict(env: Environment, backend: str, number: int) -> str:
    return worst(
        level.verdict
        for v in env.ours
        if backend_of(v) == backend
        for level in v.levels
        if level.level == number
    )


def bugs(env: Environment) -> tuple[int, int] | None:
    """Return the number of seeded bugs that some level caught, and of those that can be caught."""
    found = env.of(Mutation)
    if not found:
        return None
    return sum(m.killed_by_any for m in found), sum(m.judged for m in found)


def rows_by_kind(env: Environment) -> dict[str, list[BenchRow]]:
    """Return the measurements of each kind: random actions, roll-outs, then training.

    Only the newest run of a kind: numbers of different runs must not be compared.
    """
    kinds = {row.kind for bench in env.of(Bench) for row in bench.rows}
    order = sorted(kinds, key=lambda k: (k not in KINDS, (*KINDS, k).index(k)))
    newest = {kind: _newest(env, kind) for kind in order}
    return {kind: [r for r in bench.rows if r.kind == kind] for kind, bench in newest.items()}


def _newest(env: Environment, kind: str) -> Bench:
    held = [bench for bench in env.of(Bench) if any(row.kind == kind for row in bench.rows)]
    return max(held, key=lambda bench: bench.date)


def is_outdated(bench: Bench, env: Environment) -> bool:
    """Return whether newer runs replace all of it."""
    return all(_newest(env, row.kind) is not bench for row in bench.rows)


def headline(env: Environment) -> Headline | None:
    """Return our fastest measurement (random actions first), with its ratios."""
    for kind, rows in rows_by_kind(env).items():
        ours = [row for row in rows if row.role == "ours"]
        if ours:
            best = max(ours, key=lambda row: row.sps_mean)
            return Headline(kind, best, _speedups(best, rows))
    return None


def _speedups(best: BenchRow, rows: Sequence[BenchRow]) -> list[Speedup]:
    found = []
    for other in rows:
        if other.role == "ours" or (other.role == "peer" and other.batch != best.batch):
            continue
        ratio, low, high = _ratio(best, other)
        found.append(Speedup(other.implementation, other.role, ratio, low, high))
    # The last entry of a key wins: the smallest ratio.
    strongest = {s.other: s for s in sorted(found, key=lambda s: -s.ratio)}
    return sorted(strongest.values(), key=lambda s: -s.ratio)


def _ratio(ours: BenchRow, other: BenchRow) -> tuple[float, float, float]:
    """Return the ratio, repeat by repeat if both were measured in the same repeats."""
    if ours.samples and len(ours.samples) == len(other.samples):
        within = Ratio.between(list(ours.samples), list(other.samples))
        assert within.ratio and within.ratio_low and within.ratio_high
        return within.ratio, within.ratio_low, within.ratio_high
    plain = ours.sps_mean / other.sps_mean
    return plain, plain, plain


@dataclass(frozen=True)
class Scale:
    """A logarithmic scale that all bars of the table share, in per cent of its width."""

    low: int  # powers of ten
    high: int

    @classmethod
    def over(cls, ratios: Sequence[float]) -> Scale:
        logs = [math.log10(r) for r in ratios if r > 0]
        return cls(
            min(0, *(math.floor(v) for v in logs), 0), max(1, *(math.ceil(v) for v in logs), 1)
        )

    def at(self, ratio: float) -> float:
        """Return the position of a ratio."""
        place = (math.log10(ratio) - self.low) / (self.high - self.low)
        return round(100 * min(max(place, 0), 1), 2)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Return position and text of every power of ten."""
        return [
            (self.at(10.0**power), f"{10**power:,}×" if power >= 0 else f"{10.0**power:g}×")
            for power in range(self.low, self.high + 1)
        ]


def thumbnail(env: Environment) -> str:
    """Draw a fresh start, or return None if the room cannot draw."""
    if env.spec is None:
        return ""
    try:
        import jax

        from envwright.core.registry import make

        room = make(env.spec.name)
        params = room.default_params
        # Not `reset`: observations of large games take half a minute to compile.
        state = room.start(room.draw_start(jax.random.key(0), params), params)
        return frame_uri(room.render(state))
    except Exception:  # a missing package or an unfinished room: the page does without
        return ""
