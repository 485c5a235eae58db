"""What of the reference changes while it is played: everything that attributes hold."""

from __future__ import annotations

import enum
import random
from collections import deque
from collections.abc import Hashable
from types import FunctionType, MethodType, ModuleType
from typing import Any

import gymnasium
import numpy as np

from envwright.sim.gymnasium_env import CHANCE, IGNORED

DEEPEST, MOST = 8, 4000  # levels and values of one attribute that are looked at
CONSTANT = (
    np.random.Generator,
    np.random.RandomState,
    random.Random,
    gymnasium.spaces.Space,
    ModuleType,
    FunctionType,
    MethodType,
    type,
)


def contents_of(env: Any) -> dict[str, Hashable]:
    """Return what each attribute, also of its class, holds, in a form that can be compared."""
    held = {**_of_class(type(env)), **vars(env)}
    names = (n for n in held if n not in CHANCE and n not in IGNORED)
    return {name: _Look().at(held[name], 0) for name in names}


def _of_class(kind: type) -> dict[str, Any]:
    """Return the attributes of a class and its bases, except those of the framework."""
    own = [cls for cls in reversed(kind.__mro__) if cls.__module__ != gymnasium.Env.__module__]
    return {
        name: value
        for cls in own
        for name, value in vars(cls).items()
        if not name.startswith("__") and not callable(value) and not hasattr(value, "__get__")
    }


class _Look:
    """One attribute, looked at to the end."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._left = MOST

    def at(self, value: Any, depth: int) -> Hashable:
        self._left -= 1
        if value is None or isinstance(value, bool | int | float | str | bytes | np.generic):
            return type(value).__name__, repr(value)
        if isinstance(value, enum.Enum):
            return type(value).__name__, value.name
        if isinstance(value, np.ndarray) and value.dtype != object:
            return value.dtype.str, value.shape, value.tobytes()
        if isinstance(value, CONSTANT) or id(value) in self._seen:
            return None
        if depth > DEEPEST or self._left < 0:
            return None
        self._seen.add(id(value))
        if isinstance(value, dict):
            pairs = [(k, v) for k, v in value.items()]
            return "dict", tuple((self.at(k, depth + 1), self.at(v, depth + 1)) for k, v in pairs)
        if isinstance(value, set | frozenset):
            return "set", frozenset(self.at(v, depth + 1) for v in value)
        if isinstance(value, list | tuple | deque):
            return type(value).__name__, tuple(self.at(v, depth + 1) for v in value)
        held = getattr(value, "__dict__", {})
        held = {**held, **{n: getattr(value, n, None) for n in _slots(type(value))}}
        parts = ((name, self.at(part, depth + 1)) for name, part in held.items())
        return type(value).__name__, tuple(parts)


def _slots(kind: type) -> list[str]:
    found = []
    for cls in kind.__mro__:
        slots = cls.__dict__.get("__slots__", ())
        found += [slots] if isinstance(slots, str) else list(slots)
    return [name for name in found if name not in ("__dict__", "__weakref__")]
