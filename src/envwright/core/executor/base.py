"""The protocol of executors, and the serial executor."""

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
        """The number of items that are worked on at the same time."""
        ...

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield the results in the order of the items; an error in any item is raised here."""
        ...


class WorkerDied(EnvwrightError):
    """A worker was killed or crashed; its item has no result."""


class Serial:
    """Runs everything in this process, one item after the other."""

    workers = 1

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield the results lazily: an item starts when its result is requested."""
        return map(fn, items)


def split_evenly(items: list[Any], parts: int) -> list[list[Any]]:
    """Split `items` into consecutive runs whose lengths differ by at most one."""
    parts = max(1, min(parts, len(items)))
    size, extra = divmod(len(items), parts)
    cuts = [i * size + min(i, extra) for i in range(parts + 1)]
    return [items[a:b] for a, b in itertools.pairwise(cuts)]
