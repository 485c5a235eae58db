"""The things an interpreted program can change: contents of objects, and the draws so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from envwright.agents.compiler.trouble import Impossible
from envwright.agents.compiler.values import Reference

MISSING = object()


@dataclass
class World:
    """Contents by identity. They are replaced, never changed, so a copy is cheap."""

    heap: dict[int, tuple[Any, Any]] = field(default_factory=dict)  # id -> who, contents
    cursors: dict[str, Any] = field(default_factory=dict)  # draws of each channel so far

    def copy(self) -> World:
        """Return a copy."""
        return World(dict(self.heap), dict(self.cursors))

    def put(self, who: Any, contents: Any) -> None:
        """Replace the contents of an object."""
        self.heap[id(who)] = (who, contents)

    def get(self, who: Any) -> Any:
        """Return the current contents of an object, or its real ones if it never changed."""
        known = self.heap.get(id(who))
        return original(who) if known is None else known[1]

    def attributes(self, who: Any) -> Any:
        """Return the changed attributes of an object."""
        return self.get(who) if self.touched(who) else {}

    def touched(self, who: Any) -> bool:
        """Return whether the interpreted program changed an object."""
        return id(who) in self.heap

    def all(self) -> Iterator[Any]:
        """Yield every changed object."""
        return (who for who, _ in self.heap.values())


def original(who: Any) -> Any:
    """Return the contents of a real list, dict, set or array; no changes for an object."""
    if isinstance(who, Reference):
        return MISSING  # it was made in another branch
    if isinstance(who, list):
        return tuple(who)
    if isinstance(who, dict):
        return dict(who)
    if isinstance(who, set):
        return frozenset(who)
    if isinstance(who, np.ndarray):
        return who
    return {}


@dataclass
class Channel:
    """Draws of one kind, as laid out in the specification."""

    name: str
    method: str
    shape: tuple[int, ...]
    kind: str
    places: int


@dataclass
class Law:
    """A call of the generator."""

    channel: str
    position: int | None  # None: it depends on what happened before
    method: str
    args: tuple
    keywords: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Span:
    """`range` with unknown bounds."""

    start: Any
    stop: Any
    step: int


@dataclass
class Exit:
    """One way in which statements end, with its condition and result."""

    condition: Any  # True, or a node
    names: dict[str, Any]
    world: World
    value: Any = None


Flow = dict[str, Exit]  # by kind: next, return, break, continue; a missing kind never happens


class DeadEnd(dict):
    """An impossible flow, and why."""

    def __init__(self, why: Impossible) -> None:
        super().__init__()
        self.why = why


def things_in(env: Any) -> dict[int, str]:
    """Return the objects in an environment by identity, with their attribute."""
    found: dict[int, str] = {}
    todo = [(f"self.{name}", value) for name, value in vars(env).items()]
    while todo:
        name, value = todo.pop()
        if id(value) not in found and not isinstance(value, str | int | float | type | ModuleType):
            found[id(value)] = name
            todo += [(name, part) for part in _parts(value)]
    return found


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple):
        return list(value)
    return list(getattr(value, "__dict__", {}).values())
