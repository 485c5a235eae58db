"""Trace a run: how long each operation of a compiled program took by itself."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

BETWEEN = "ThunkExecutor::Execute"  # the thread that starts the operations of a program


@dataclass(frozen=True)
class Times:
    """The microseconds of a run, by operation, without the operations inside it."""

    operations: dict[str, float]
    between: float  # starting operations, and waiting for them
    events: int = 0  # events in the trace

    @property
    def total(self) -> float:
        """The total, summed over threads."""
        return sum(self.operations.values()) + self.between


def traced(run: Callable[[], Any], module: str) -> Times:
    """Run it once and return the time of each operation of a compiled module."""
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.host_tracer_level = 1
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder, create_perfetto_trace=True, profiler_options=options):
            jax.block_until_ready(run())
        return read_times(_events(Path(folder)), module)


def _events(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.rglob("perfetto_trace.json.gz"))
    if not files:
        return []
    with gzip.open(files[0]) as file:
        return json.load(file)["traceEvents"]


def read_times(events: Iterable[dict[str, Any]], module: str) -> Times:
    """Return the time of each operation by itself, without the operations inside it."""
    threads: dict[Any, list[tuple[float, float, str]]] = defaultdict(list)
    for event in events:
        name = _name(event, module)
        if name is not None:
            begin = float(event["ts"])
            threads[event["tid"]].append((begin, begin + float(event["dur"]), name))
    spent: dict[str, float] = defaultdict(float)
    for found in threads.values():
        found.sort(key=lambda event: (event[0], -event[1]))
        within: list[tuple[float, str]] = []  # where it ends, and its name; the innermost last
        for begin, end, name in found:
            while within and within[-1][0] <= begin:
                within.pop()
            spent[name] += end - begin
            if within:
                spent[within[-1][1]] -= min(end, within[-1][0]) - begin
            within.append((end, name))
    between = spent.pop(BETWEEN, 0.0)
    return Times(dict(spent), between, sum(map(len, threads.values())))


def _name(event: dict[str, Any], module: str) -> str | None:
    """Return the operation of an event; None if it is not one of this module."""
    if event.get("ph") != "X":
        return None
    told = event.get("args", {})
    if told.get("hlo_module") == module:
        return told.get("hlo_op")
    return BETWEEN if event.get("name") == BETWEEN else None
