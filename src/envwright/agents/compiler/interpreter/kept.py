"""What a call of a library function must leave as it was."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np


class Kept:
    """A value that a library function is given, and what it held before."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self._parts = _parts_of(thing)

    def restored(self) -> bool:
        """Put back what was changed. Returns whether anything was."""
        if self._parts is None or _same(self._parts, _parts_of(self.thing)):
            return False
        _restorer(self.thing)(self._parts)
        return True


def _parts_of(thing: Any) -> Any:
    """Return a shallow copy of what a thing holds, or None if it cannot change."""
    if isinstance(thing, np.ndarray):
        return thing.copy()
    if isinstance(thing, dict):
        return list(thing.items())
    if isinstance(thing, list | set | deque):
        return list(thing)
    if isinstance(thing, type | ModuleType) or not hasattr(thing, "__dict__"):
        return None
    return list(vars(thing).items())


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, np.ndarray):
        return before.tobytes() == after.tobytes()
    if len(before) != len(after):
        return False
    return all(
        a is b or (isinstance(a, tuple) and isinstance(b, tuple) and _same_pair(a, b))
        for a, b in zip(before, after, strict=True)
    )


def _same_pair(a: tuple, b: tuple) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))


def _restorer(thing: Any) -> Callable[[Any], None]:
    def restore(parts: Any) -> None:
        if isinstance(thing, np.ndarray):
            thing[...] = parts
        elif isinstance(thing, dict | set):
            thing.clear()
            thing.update(parts)
        elif isinstance(thing, list | deque):
            thing.clear()
            thing.extend(parts)
        else:
            vars(thing).clear()
            vars(thing).update(parts)

    return restore
