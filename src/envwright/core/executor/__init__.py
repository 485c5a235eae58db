"""Run independent pieces of work here, in worker processes, or on a ray cluster.

Results come back in the order of the items whatever the executor, so that a result
never depends on how it was computed.
"""

from __future__ import annotations

from envwright.core.executor.base import Executor, Serial, WorkerDied, split_evenly
from envwright.core.executor.process import Process
from envwright.core.executor.ray import Ray
from envwright.errors import EnvwrightError

__all__ = [
    "CHOICES",
    "Executor",
    "Process",
    "Ray",
    "Serial",
    "WorkerDied",
    "make_executor",
    "split_evenly",
]

CHOICES = "serial, process, process:N, ray or ray:N"


def make_executor(name: str) -> Executor:
    """Make an executor: `serial`, `process` or `ray`; `process:N`, `ray:N` for N items at once."""
    kind, colon, count = name.partition(":")
    if kind == "serial" and not colon:
        return Serial()
    parallel = {"process": Process, "ray": Ray}.get(kind)
    if parallel is not None and not colon:
        return parallel()
    if parallel is not None and count.isdecimal() and int(count) > 0:
        return parallel(int(count))
    raise EnvwrightError(f"unknown executor {name!r}; use {CHOICES}")
