"""Worker processes on this machine."""

from __future__ import annotations

import itertools
import multiprocessing
import multiprocessing.connection
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

from envwright.core.executor.answer import Answer, answer, packed
from envwright.core.executor.base import Item, Result, WorkerDied


class Process:
    """Worker processes, started afresh (JAX does not survive a fork)."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield the results; `fn` and the items must pickle."""
        work = list(items)
        waiting = iter(enumerate(work))
        pool: list[_Worker] = []
        answers: dict[int, Answer] = {}
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


class _Worker:
    """A process with one pipe and one item at a time, so that it can be stopped at any moment."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, fn))
        self.number: int | None = None  # the number of its item
        resource_tracker.ensure_running()  # it would unblock what is blocked now
        # Ctrl-C reaches the whole process group; this process decides what it means.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        theirs.close()

    def give(self, number: int | None, item: Any) -> None:
        """Send it an item; none if there is no number."""
        self.number = number
        if number is not None:
            with suppress(BrokenPipeError):  # take says what happened
                self.pipe.send(item)

    def take(self) -> Answer:
        """Wait for the answer and return it."""
        try:
            return self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            raise WorkerDied(
                f"a worker process terminated abruptly (exit code {self.process.exitcode})"
            ) from None

    def stop(self) -> None:
        """Stop it, whatever it does."""
        self.process.terminate()
        self.process.join()
        self.pipe.close()


def _ready(pool: list[_Worker]) -> dict[int, _Worker]:
    """Wait until workers have answered or died; return them by the number of their item."""
    busy = {worker.number: worker for worker in pool if worker.number is not None}
    heard = multiprocessing.connection.wait([worker.pipe for worker in busy.values()])
    return {number: worker for number, worker in busy.items() if worker.pipe in heard}


def _serve(pipe: Connection, fn: Callable[..., Any]) -> None:
    """Run a worker: answer item after item."""
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        pipe.send_bytes(packed(answer(fn, item), ForkingPickler.dumps))
