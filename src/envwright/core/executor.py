"""Where independent pieces of work run: here, or in worker processes.

Results come back in the order of the items whatever the executor, so that a result
never depends on how it was computed.
"""

from __future__ import annotations

import itertools
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
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
        waiting = iter(enumerate(work))
        pool: list[_Worker] = []
        answers: dict[int, _Answer] = {}
        try:
            for numbered in itertools.islice(waiting, self.workers):
                pool.append(_Worker(fn))
                pool[-1].give(*numbered)
            for due in range(len(work)):
                while due not in answers:
                    for number, worker in _ready(pool).items():
                        answers[number] = worker.take()
                        worker.give(*next(waiting, (None, None)))
                yield answers.pop(due).result()
        finally:  # also after Ctrl-C, an error, or a caller who has seen enough
            for worker in pool:
                worker.stop()


@dataclass(frozen=True)
class _Answer:
    """What an item gave: a value or an error."""

    value: Any = None
    error: Exception | None = None

    def result(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


class _Worker:
    """A process with one pipe and one item at a time, so that it can be stopped at any moment."""

    def __init__(self, fn: Callable) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, fn))
        self.number: int | None = None  # of the item that it works on
        resource_tracker.ensure_running()  # it would unblock what is blocked now
        # Ctrl-C reaches the whole process group; this process decides what it means.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        theirs.close()

    def give(self, number: int | None, item: Any) -> None:
        """Let it work on an item; on none if there is no number."""
        self.number = number
        if number is not None:
            with suppress(BrokenPipeError):  # take says what happened
                self.pipe.send(item)

    def take(self) -> _Answer:
        """The answer; waits for it."""
        try:
            return self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            raise WorkerDied(
                f"a worker process terminated abruptly (exit code {self.process.exitcode})"
            ) from None

    def stop(self) -> None:
        """End it, whatever it does."""
        self.process.terminate()
        self.process.join()
        self.pipe.close()


class WorkerDied(EnvwrightError):
    """A worker was killed or crashed; its item has no result."""


def _ready(pool: list[_Worker]) -> dict[int, _Worker]:
    """Workers that have answered or died, by the number of their item; waits for one."""
    busy = {worker.number: worker for worker in pool if worker.number is not None}
    heard = multiprocessing.connection.wait([worker.pipe for worker in busy.values()])
    return {number: worker for number, worker in busy.items() if worker.pipe in heard}


def _serve(pipe: Connection, fn: Callable) -> None:
    """What a worker does: answer item after item."""
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        try:
            answer = _Answer(fn(item))
        except Exception as error:
            error.add_note(traceback.format_exc())
            answer = _Answer(error=error)
        try:
            pipe.send(answer)
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            pipe.send(_Answer(error=TypeError(f"a result cannot be sent back: {error}")))


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
