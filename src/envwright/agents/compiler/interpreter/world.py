"""What the interpreted program can change: contents of things, and how much was drawn."""

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
    """Contents by identity. They are never changed, only replaced: a copy is cheap."""

    heap: dict[int, tuple[Any, Any]] = field(default_factory=dict)  # id -> who, contents
    cursors: dict[str, Any] = field(default_factory=dict)  # draws of each channel so far

    def copy(self) -> World:
        """Another world that begins as this one."""
        return World(dict(self.heap), dict(self.cursors))

    def put(self, who: Any, contents: Any) -> None:
        """Replace what something holds."""
        self.heap[id(who)] = (who, contents)

    def get(self, who: Any) -> Any:
        """What something holds now; what was never touched holds what it really holds."""
        known = self.heap.get(id(who))
        return original(who) if known is None else known[1]

    def touched(self, who: Any) -> bool:
        """Whether the interpreted program has changed it."""
        return id(who) in self.heap

    def all(self) -> Iterator[Any]:
        """Everything that was touched."""
        return (who for who, _ in self.heap.values())


def original(who: Any) -> Any:
    """The contents of a real list, dict, set or array; of an object, no changes."""
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
    """Draws of one kind, as the specification lays them out."""

    name: str
    method: str
    shape: tuple[int, ...]
    kind: str
    places: int


@dataclass
class Law:
    """One call of the generator."""

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
    """One way in which statements end, under which condition, and with what."""

    condition: Any  # True, or a node
    names: dict[str, Any]
    world: World
    value: Any = None


Flow = dict[str, Exit]  # by kind: next, return, break, continue; a kind that is not there never is


class DeadEnd(dict):
    """A flow that goes nowhere, and why."""

    def __init__(self, why: Impossible) -> None:
        super().__init__()
        self.why = why


def things_in(env: Any) -> dict[int, str]:
    """What an environment holds, by identity, and below which of its attributes."""
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
