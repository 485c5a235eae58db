"""Tasks of ray: on the cluster at RAY_ADDRESS, or on this machine."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from envwright.core.executor.answer import Answer, answer, packed
from envwright.core.executor.base import Item, Result, WorkerDied
from envwright.core.executor.ray_cluster import count_cpus, joined, require_ray
from envwright.errors import EnvwrightError

RETRIES = 3  # retries of an item whose worker or machine died


class Ray:
    """Tasks of ray, each on one CPU.

    `RAY_ADDRESS` names a running cluster, which is joined and left again. Without it, one is
    started on this machine and ends with the work.
    """

    def __init__(self, workers: int | None = None) -> None:
        require_ray()
        self._asked = workers
        self._workers: int | None = workers or None

    @property
    def workers(self) -> int:
        """The number given, else the number of CPUs of the cluster at first use."""
        if self._workers is None:
            self._workers = count_cpus()
        return self._workers

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield the results; `fn` and the items must pickle. An item waits for a free worker."""
        waiting = enumerate(items)
        answers: dict[int, Answer] = {}
        due = 0
        with joined(self._asked):
            tasks = _Tasks(fn)
            try:
                for numbered in itertools.islice(waiting, self.workers):
                    tasks.start(*numbered)
                while tasks.running:
                    number, given = tasks.take()
                    answers[number] = given
                    for numbered in itertools.islice(waiting, 1):
                        tasks.start(*numbered)
                    while due in answers:
                        yield answers.pop(due).result()
                        due += 1
            finally:  # also after Ctrl-C, an error, or a caller who has seen enough
                tasks.cancel()


@dataclass(frozen=True)
class _Task:
    """An item on its way: its number, itself, and how often its worker died."""

    number: int
    item: bytes
    deaths: int = 0


class _Tasks:
    """The items in progress."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        import ray
        from ray import cloudpickle

        self.running: dict[ray.ObjectRef[Any], _Task] = {}
        self._dumps = cloudpickle.dumps  # also takes functions of a script
        self._fn = ray.put(self._dumps(fn))
        self._here = _Surroundings()
        # Ray's own retries have no end where memory is short.
        self._run = ray.remote(num_cpus=1, max_retries=0)(_run)

    def start(self, number: int, item: Any) -> None:
        """Give an item to a worker."""
        self._submit(_Task(number, self._dumps(item)))

    def take(self) -> tuple[int, Answer]:
        """Wait for the next item that is done; return its number."""
        import ray
        from ray import cloudpickle
        from ray.exceptions import RayError, RayTaskError

        while True:
            (done, *_), _ = ray.wait(list(self.running))
            task = self.running.pop(done)
            try:
                return task.number, cloudpickle.loads(ray.get(done))
            except RayTaskError as error:
                why = str(error).strip().splitlines()[-1]
                raise EnvwrightError(
                    f"a ray worker cannot run envwright; install it on every node ({why})"
                ) from error
            except RayError as error:
                if task.deaths == RETRIES:
                    return task.number, Answer(error=_died(error))
                self._submit(replace(task, deaths=task.deaths + 1))

    def cancel(self) -> None:
        """Stop what is still running, whatever it does."""
        if sys.is_finalizing():
            return  # ray has ended, and its workers with it
        import ray

        for task in self.running:
            ray.cancel(task, force=True)

    def _submit(self, task: _Task) -> None:
        self.running[self._run.remote(self._here, self._fn, task.item)] = task


def _died(error: Exception) -> WorkerDied:
    return WorkerDied(
        f"a ray worker terminated abruptly, {RETRIES + 1} times with the same item "
        f"({type(error).__name__}): it was killed, ran out of memory or crashed in native code"
    )


@dataclass(frozen=True)
class _Surroundings:
    """The folders in which this process finds modules and files."""

    folder: str = field(default_factory=os.getcwd)
    paths: tuple[str, ...] = field(
        default_factory=lambda: tuple(os.path.abspath(path) for path in sys.path)
    )

    def enter(self) -> None:
        """Look there, too; folders that this machine does not have are skipped."""
        with suppress(OSError):
            os.chdir(self.folder)
        sys.path[:] = [*self.paths, *(path for path in sys.path if path not in self.paths)]


def _run(here: _Surroundings, fn: bytes, item: bytes) -> bytes:
    """Work on an item in a worker. `fn` and item are unpickled once modules can be found."""
    from ray import cloudpickle

    here.enter()
    given = answer(lambda item: cloudpickle.loads(fn)(cloudpickle.loads(item)), item)
    return packed(given, cloudpickle.dumps)
