"""Steps per second of ours, the reference and the peers, alternating in one process.

A machine slows down and speeds up while a benchmark runs. So every implementation runs
once in every repeat, in an order that rotates, and ratios are formed within a repeat.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any, TypeVar

from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import describe_machine
from envwright.bench.memory import measure_memory
from envwright.bench.tables import Ratio, comparisons, reason_of
from envwright.core.limits import LANES, REPEATS, SECONDS, check_whole
from envwright.core.progress import Progress, quiet
from envwright.core.registry import find
from envwright.core.room import Room
from envwright.errors import EnvwrightError
from envwright.schema.results import Bench, BenchRow, Skipped
from envwright.sim.actions import SEED

T = TypeVar("T")

BATCHES = (32, 128, 512, 2048, 8192)


@dataclass
class Contender:
    """An implementation at one batch, and its measurements."""

    implementation: Implementation
    batch: int
    prepared: Prepared
    steps: int = 0  # steps of one repeat
    samples: list[float] = field(default_factory=list)  # steps per second
    cores: list[float] = field(default_factory=list)
    memory: dict[str, float | None] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return f"{self.implementation.name} × {self.batch}"

    def calibrate(self, seconds: float) -> None:
        """Warm up, and find the number of steps that takes about so long."""
        done, took = self._clocked(1)
        while took < seconds / 10:
            done, took = self._clocked(done * 4)
        self.steps = max(1, round(done * seconds / took))

    def measure(self) -> None:
        """Measure one repeat."""
        processor = self.prepared.processor()
        done, took = self._clocked(self.steps)
        self.samples.append(done / took)
        self.cores.append((self.prepared.processor() - processor) / took)

    def _clocked(self, steps: int) -> tuple[int, float]:
        began = time.perf_counter()
        done = self.prepared.run(steps)
        took = max(time.perf_counter() - began, 1e-9)
        if done < steps:
            raise EnvwrightError(f"{self.label} did {done} of {steps} steps; run must do them all")
        return done, took


def run_bench(
    env_name: str,
    batches: Sequence[int] = BATCHES,
    repeats: int = 5,
    kind: str = Kind.RANDOM,
    seconds: float = 1.0,
    progress: Progress = quiet,
    implementations: Sequence[Implementation] | None = None,
    memory: bool = False,
    options: dict[str, Any] | None = None,
) -> Bench:
    """Measure an environment's implementations, each for about `seconds` per repeat.

    An implementation whose package is missing or broken is left out with its reason, from the batch
    that failed on, unless it is ours. `implementations` replaces the declared ones; `options` are
    passed to the room's benchmark. With `memory`, each of them then runs alone in a new process to
    measure its memory.
    """
    wanted = check_effort(batches, repeats, seconds)
    name = env_name
    if implementations is None:
        spec = find(env_name)
        name, implementations = spec.name, declared_for(spec, options)
    places = list(_places(_of_kind(tuple(implementations), kind, name), wanted))
    machine = describe_machine()  # before we load it ourselves
    total = len(places) * (1 + repeats + memory)
    with ExitStack() as closing:
        contenders, skipped = [], []
        for done, (each, batch) in enumerate(places):
            progress(f"preparing {each.name} × {batch}", done, total)
            if each.name in [s.implementation for s in skipped]:
                continue
            try:
                contenders.append(_ready(each, batch, Kind(kind), seconds, closing))
            except Exception as error:
                if each.role == Role.OURS:
                    raise
                skipped.append(Skipped(each.name, f"batch {batch}: {reason_of(error)}"))
        for done, (repeat, contender) in enumerate(alternating(contenders, repeats)):
            progress(f"repeat {repeat + 1}: {contender.label}", len(places) + done, total)
            contender.measure()
    for done, contender in enumerate(contenders if memory else ()):
        before = len(places) + len(contenders) * repeats
        progress(f"memory: {contender.label}", before + done, total)
        skipped += _remembered(contender, Kind(kind))
    progress("done", total, total)
    rows = _rows(contenders, Kind(kind))
    return Bench(
        machine=machine,
        env=name,
        settings=(options or {}) | _settings(kind, wanted, repeats, seconds, contenders),
        rows=rows,
        comparisons=comparisons(rows),
        skipped=skipped,
    )


def _ready(
    implementation: Implementation, batch: int, kind: Kind, seconds: float, closing: ExitStack
) -> Contender:
    """Prepare and calibrate; the stack closes it when the benchmark ends."""
    prepared = implementation.prepare(batch, kind)
    closing.callback(prepared.close)
    contender = Contender(implementation, batch, prepared)
    contender.calibrate(seconds)
    return contender


def _remembered(contender: Contender, kind: Kind) -> list[Skipped]:
    """Measure the memory of one, and report if that is impossible."""
    try:
        contender.memory = measure_memory(contender.implementation, contender.batch, kind)
    except Exception as error:
        reason = f"memory at batch {contender.batch}: {reason_of(error)}"
        return [Skipped(contender.implementation.name, reason)]
    return []


def declared_for(room: Room, options: dict[str, Any] | None = None) -> tuple[Implementation, ...]:
    """Return what the room's benchmark declares as `IMPLEMENTATIONS`, or makes of its options.

    A benchmark with options has `OPTIONS`, each with the values that are worth a table, and a
    function `implementations` that takes them.
    """
    declaring = room.module("bench")
    known = getattr(declaring, "OPTIONS", {})
    for name in options or {}:
        if name not in known:
            raise EnvwrightError(f"the benchmark of {room.id} has no option {name}; leave it out")
    if declaring is None:
        from envwright.bench.undeclared import implementations_of

        return implementations_of(room)
    needed = "implementations" if known else "IMPLEMENTATIONS"
    if not hasattr(declaring, needed):
        raise EnvwrightError(f"{declaring.__name__} needs {needed}; write it, or leave out bench")
    return declaring.implementations(**(options or {})) if known else declaring.IMPLEMENTATIONS


def values_of(room: Room) -> list[dict[str, Any]]:
    """Return the combinations of options that are worth a table; if none, an empty one.

    An option without values is left as it is.
    """
    declaring = room.module("bench")
    known = {name: values for name, values in getattr(declaring, "OPTIONS", {}).items() if values}
    return [dict(zip(known, values, strict=True)) for values in product(*known.values())]


def alternating(contenders: list[T], repeats: int) -> Iterator[tuple[int, T]]:
    """Yield every contender once per repeat; each repeat begins with the next one."""
    for repeat in range(repeats):
        first = repeat % max(1, len(contenders))
        for contender in contenders[first:] + contenders[:first]:
            yield repeat, contender


def _places(
    chosen: Sequence[Implementation], wanted: tuple[int, ...]
) -> Iterator[tuple[Implementation, int]]:
    """Order by batch, so that implementations to be compared run close together."""
    batches = sorted({batch for each in chosen for batch in each.batches(wanted)})
    for batch in batches:
        for each in chosen:
            if batch in each.batches(wanted):
                yield each, batch


def check_effort(batches: Sequence[int], repeats: int, seconds: float) -> tuple[int, ...]:
    """Return the batches in order. Raises for numbers that nothing can be measured with."""
    if not batches or any(batch < 1 for batch in batches):
        raise EnvwrightError(f"batches must be at least 1, for instance 64,1024; not {batches}")
    check_whole("a batch", max(batches), 1, LANES)
    if repeats < 1:
        raise EnvwrightError(f"a benchmark needs at least 1 repeat (5 for a result), not {repeats}")
    check_whole("repeats", repeats, 1, REPEATS)
    if not seconds > 0:
        raise EnvwrightError(f"seconds per repeat must be above 0, not {seconds}")
    if seconds > SECONDS:
        raise EnvwrightError(f"seconds per repeat must be at most {SECONDS:,}, not {seconds}")
    return tuple(sorted(set(batches)))


def _of_kind(
    declared: tuple[Implementation, ...], kind: str, name: str
) -> tuple[Implementation, ...]:
    chosen = tuple(each for each in declared if kind in each.kinds)
    if not chosen:
        kinds = sorted({str(k) for each in declared for k in each.kinds})
        raise EnvwrightError(f"{name} has no benchmark of kind {kind!r}; use {' or '.join(kinds)}")
    names = [each.name for each in chosen]
    if len(set(names)) < len(names):
        raise EnvwrightError(f"two implementations of {name} have one name: {', '.join(names)}")
    if sum(each.role == Role.REFERENCE for each in chosen) > 1:
        raise EnvwrightError(f"{name} has two references to benchmark against; declare one")
    return chosen


def _reference_for(contender: Contender, references: list[Contender]) -> Contender | None:
    """Return the reference at the same batch; else its largest below, else its smallest."""
    smaller = [r for r in references if r.batch <= contender.batch]
    if smaller:
        return max(smaller, key=lambda r: r.batch)
    return min(references, key=lambda r: r.batch, default=None)


def _rows(contenders: list[Contender], kind: Kind) -> list[BenchRow]:
    references = [c for c in contenders if c.implementation.role == Role.REFERENCE]
    return [_row(c, kind, _reference_for(c, references)) for c in contenders]


def _row(c: Contender, kind: Kind, reference: Contender | None) -> BenchRow:
    return BenchRow(
        implementation=c.implementation.name,
        role=c.implementation.role,
        kind=kind,
        batch=c.batch,
        threads=c.implementation.threads,
        sps_mean=statistics.fmean(c.samples),
        sps_std=statistics.stdev(c.samples) if len(c.samples) > 1 else 0.0,
        **asdict(Ratio.between(c.samples, reference.samples if reference else None)),
        reference_batch=reference.batch if reference else None,
        compile_seconds=c.prepared.compile_seconds,
        cores_used=statistics.fmean(c.cores),
        samples=c.samples,
        **c.memory,
    )


def _settings(
    kind: str,
    batches: tuple[int, ...],
    repeats: int,
    seconds: float,
    contenders: list[Contender],
) -> dict[str, Any]:
    return {
        "kind": str(kind),
        "batches": list(batches),
        "repeats": repeats,
        "seconds": seconds,
        "seed": SEED,
        "order": "every implementation once per repeat, the order rotated by one each repeat",
        "spread": "ratios are formed within a repeat; low and high are the extremes",
        **_settings_of(kind, contenders),
        "steps": "environment steps: lanes times ticks, restarts included",
        "timed": {c.implementation.name: c.implementation.timed for c in contenders},
    }


def _settings_of(kind: str, contenders: list[Contender]) -> dict[str, Any]:
    if kind == Kind.RANDOM:
        return {"actions": "drawn beforehand, the same bank for every implementation of a batch"}
    from envwright.bench.ppo import ppo_settings

    networks = [c.implementation.network for c in contenders]  # type: ignore[attr-defined]
    if any(network != networks[0] for network in networks):
        raise EnvwrightError("implementations to compare must train the same network")
    return {"actions": "drawn from the policy", "ppo": ppo_settings(**networks[0])}
