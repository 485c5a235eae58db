"""What an executor is, and the simplest one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from envwright.errors import EnvwrightError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Maps a function over items; results arrive in the order of the items."""

    @property
    def workers(self) -> int:
        """How many items are worked on at the same time."""
        ...

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of the items; an error in any item is raised here."""
        ...


class WorkerDied(EnvwrightError):
    """A worker was killed or crashed; its item has no result."""


class Serial:
    """Everything in this process, one item after the other."""

    workers = 1

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Lazily: an item starts when its result is asked for."""
        return map(fn, items)


def split_evenly(items: list[Any], parts: int) -> list[list[Any]]:
    """Consecutive runs of `items`, their lengths differing by at most one."""
    parts = max(1, min(parts, len(items)))
    size, extra = divmod(len(items), parts)
    cuts = [i * size + min(i, extra) for i in range(parts + 1)]
    return [items[a:b] for a, b in itertools.pairwise(cuts)]
