"""The jobs of a benchmark: which environments and kinds, for how long, and stored where."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.bench.breakdown import PLANS, check_sizes, run_breakdown, taken_apart
from envwright.bench.implementation import Kind
from envwright.bench.throughput import (
    BATCHES,
    check_effort,
    declared_for,
    run_bench,
    values_of,
)
from envwright.core.progress import Progress, quiet
from envwright.core.registry import find, rooms
from envwright.core.room import Room
from envwright.errors import EnvwrightError
from envwright.schema.results import Bench, Breakdown

BREAKDOWN = "breakdown"


@dataclass(frozen=True)
class Effort:
    """How much is measured, and for how long."""

    batches: tuple[int, ...] = BATCHES
    sizes: tuple[str, ...] = tuple(PLANS)
    repeats: int = 5
    seconds: float = 0.5
    memory: bool = False

    def check(self) -> None:
        """Reject what cannot be measured, before the first measurement."""
        check_effort(self.batches, self.repeats, self.seconds)
        check_sizes(self.sizes)


@dataclass(frozen=True)
class Job:
    """One kind of benchmark of one environment."""

    env: str  # id
    kind: str  # a `Kind`, or BREAKDOWN
    effort: Effort
    options: tuple[tuple[str, Any], ...] = ()  # the benchmark's options, such as frame_skip

    @property
    def name(self) -> str:
        """The name of its file: `cartpole-ppo`, `pong-random-frame-skip-8`."""
        # Only the file name of a path.
        said = [(name.replace("_", "-"), Path(str(value)).stem) for name, value in self.options]
        return "-".join([self.env, self.kind, *(part for pair in said for part in pair)])

    def run(self, progress: Progress = quiet) -> Bench | Breakdown:
        """Run the measurement."""
        effort = self.effort
        if self.kind == BREAKDOWN:
            return run_breakdown(self.env, effort.sizes, effort.repeats, progress)
        return run_bench(
            self.env,
            effort.batches,
            effort.repeats,
            self.kind,
            effort.seconds,
            progress,
            memory=effort.memory,
            options=dict(self.options),
        )

    def command(self, target: Path | None) -> str:
        """Return the command that makes this result again."""
        effort = self.effort
        words = ["envwright", "bench", self.env, "--kind", self.kind]
        for name, value in self.options:
            words += [f"--{name.replace('_', '-')}", str(value)]
        words += ["--repeats", str(effort.repeats)]
        if self.kind == BREAKDOWN:
            words += ["--sizes", ",".join(effort.sizes)]
        else:
            words += ["--batch", ",".join(map(str, effort.batches))]
            words += ["--seconds", f"{effort.seconds:g}", *["--memory"] * effort.memory]
        return shlex.join([*words, *(["--json", str(target)] if target else [])])


def jobs_of(
    name: str, kinds: Sequence[str], effort: Effort, options: dict[str, Any] | None = None
) -> list[Job]:
    """Return the jobs of some kinds. Raises for unknown kinds before any is run."""
    spec = find(name)
    declared_for(spec, options)
    known = kinds_of(spec)
    for kind in kinds:
        if kind not in known:
            raise EnvwrightError(
                f"{spec.name} has no benchmark of kind {kind!r}; use {' or '.join(known)}"
            )
    chosen = tuple((options or {}).items())
    return [Job(spec.id, kind, effort, chosen) for kind in dict.fromkeys(kinds)]


def all_jobs(name: str | None, effort: Effort) -> list[Job]:
    """Return the jobs of every environment that declares benchmarks, or of the one named."""
    ids = [find(name).id] if name else dict.fromkeys(spec.id for spec in rooms())
    chosen = [find(each) for each in ids]
    if name is None:
        chosen = [spec for spec in chosen if is_declared(spec)]
    return [
        Job(spec.id, kind, effort, tuple(options.items()))
        for spec in chosen
        for kind in kinds_of(spec)
        for options in (values_of(spec) if kind != BREAKDOWN else [{}])
    ]


def is_declared(spec: Room) -> bool:
    """Return whether an environment declares benchmarks."""
    try:
        declared_for(spec)
    except EnvwrightError:
        return False
    return True


def kinds_of(spec: Room) -> list[str]:
    """Return the kinds of benchmarks that an environment has."""
    declared = declared_for(spec)
    kinds = [str(kind) for kind in Kind if any(kind in each.kinds for each in declared)]
    return kinds + [BREAKDOWN] * bool(taken_apart(declared))
