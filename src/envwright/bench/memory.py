"""Memory of an environment, and of a process that runs nothing else.

`bytes_per_env`: the memory of one more environment. For JAX the arrays of state and observation
divided by the batch; for Python the growth of the resident memory of a fresh process in which many
are made, divided by how many.

`peak_memory_mb`: the most that a fresh process ever held while it prepared this implementation
alone at this batch and ran it: Python, libraries, compiler and compiled programs included, and
processes that work for it.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from envwright.bench.implementation import Implementation, Kind
from envwright.errors import EnvwrightError

MEGABYTE = 2**20
PATIENCE = 600.0  # seconds that a child may take
CHILD = "envwright.bench.memory_child"


def measure_memory(implementation: Implementation, batch: int, kind: Kind) -> dict[str, Any]:
    """Measure both numbers, each in a fresh process; None if this system does not report one."""
    return {
        question: _ask_child(question, implementation, batch, kind)
        for question in ("bytes_per_env", "peak_memory_mb")
    }


def _ask_child(
    question: str, implementation: Implementation, batch: int, kind: Kind
) -> float | None:
    child = subprocess.run(
        [sys.executable, "-m", CHILD],
        input=pickle.dumps((question, implementation, batch, kind)),
        capture_output=True,
        timeout=PATIENCE,
    )
    if child.returncode != 0:
        last = child.stderr.decode(errors="replace").strip().splitlines()[-1:]
        said = last[0] if last else f"exit code {child.returncode}"
        raise EnvwrightError(f"its memory could not be measured: {said}")
    return json.loads(child.stdout.splitlines()[-1])


def answer(question: str, implementation: Implementation, batch: int, kind: Kind) -> float | None:
    """Answer a question in a fresh process."""
    if question == "bytes_per_env":
        return implementation.bytes_per_env(batch)
    prepared = implementation.prepare(batch, kind)
    prepared.run(1)
    prepared.run(1)  # also what only a second call holds, as results beside their successors
    peaks = [peak_bytes(process) for process in ("self", *prepared.processes)]
    prepared.close()
    known = [peak for peak in peaks if peak is not None]
    return sum(known) / MEGABYTE if len(known) == len(peaks) else None


def pytree_bytes(shapes: Any) -> int:
    """Return the bytes of all arrays, or shapes of arrays, in a pytree."""
    import jax

    return sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in jax.tree.leaves(shapes))


def growth_per_item(make: Callable[[int], Any], count: int) -> float | None:
    """Return how much this process grows with each of `count` objects that `make` makes."""
    few = make(1)  # imports and caches come with the first
    before = resident_bytes()
    many = make(count)
    after = resident_bytes()
    del few, many
    return None if before is None or after is None else (after - before) / count


def resident_bytes() -> int | None:
    """Return the memory that this process holds now; None if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_bytes(process: int | str = "self") -> int | None:
    """Return the most memory that a process has held; None if the system does not report it."""
    # Not getrusage: Linux lets a child begin with the peak of the process that started it.
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0]) * 1024 if peaks else None  # in kilobytes
