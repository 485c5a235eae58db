"""Where independent pieces of work run: here, or in worker processes.

Results come back in the order of the items whatever the executor, so that a result
never depends on how it was computed.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Protocol, TypeVar

from envwright.errors import EnvwrightError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Maps a function over items; results arrive in the order of the items."""

    workers: int

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of the items; an error in any item is raised here."""
        ...


class Serial:
    """Everything in this process, one item after the other."""

    workers = 1

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Lazily: an item starts when its result is asked for."""
        return map(fn, items)


class Process:
    """Worker processes, started afresh (JAX does not survive a fork)."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """`fn` and the items must pickle."""
        work = list(items)
        pool = ProcessPoolExecutor(
            max_workers=max(1, min(self.workers, len(work))),
            mp_context=multiprocessing.get_context("spawn"),
            # Ctrl-C reaches the whole process group; this process decides what it means.
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        )
        try:
            yield from pool.map(fn, work)
        except BaseException:
            # Ctrl-C, an error, or a caller who has seen enough: what runs is stopped, since
            # cancelling leaves the items that wait in the workers' own queue.
            for worker in list((pool._processes or {}).values()):
                worker.terminate()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def make_executor(name: str) -> Executor:
    """`serial`, `process`, or `process:N` for N workers."""
    kind, _, count = name.partition(":")
    if kind == "serial" and not count:
        return Serial()
    if kind == "process" and (not count or (count.isdecimal() and int(count) > 0)):
        return Process(int(count) if count else None)
    raise EnvwrightError(f"unknown executor {name!r}; use serial, process or process:N")


def split_evenly(items: list[Any], parts: int) -> list[list[Any]]:
    """Consecutive runs of `items`, their lengths differing by at most one."""
    parts = max(1, min(parts, len(items)))
    size, extra = divmod(len(items), parts)
    cuts = [i * size + min(i, extra) for i in range(parts + 1)]
    return [items[a:b] for a, b in itertools.pairwise(cuts)]
