"""Values of the interpreter: Python objects if known, these classes if unknown.

Every unknown value carries an example, a value that the reference could have there. NumPy's results
on examples give dtypes and shapes, so its rules need not be repeated here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

NUMBERS = (bool, int, float, np.bool_, np.number)


class Node:
    """An unknown number or array: an operation and its operands."""

    __slots__ = ("args", "attrs", "comment", "facts", "hint", "like", "number", "op", "product")

    def __init__(self, op: str, args: tuple, attrs: tuple, like: Any, number: int) -> None:
        self.op, self.args, self.attrs = op, args, attrs
        self.like = like  # an example
        self.number = number  # in the order in which the reference computes
        self.hint, self.comment = "", ""  # the name that the source gives it, and its remark
        self.product = False  # a product of floats, which a compiler may fuse with a sum
        self.facts: dict[str, bool] = {}  # cached results of analyses

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array; empty for a number."""
        return np.shape(self.like)

    @property
    def dtype(self) -> np.dtype:
        """NumPy's dtype."""
        return np.asarray(self.like).dtype

    def __repr__(self) -> str:
        return f"<{self.op} {self.hint or self.number}>"

    def __bool__(self) -> bool:
        raise TypeError("an unknown value has no truth")


@dataclass(frozen=True, eq=False)
class Choice:
    """One of two values that cannot be one array, because their types differ or one is None."""

    condition: Node
    yes: Any
    no: Any


@dataclass(frozen=True, eq=False)
class Table:
    """A known container, indexed by something unknown."""

    base: Any
    index: tuple  # known keys and nodes
    name: str = ""  # its name in the source

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The unknown parts of the index."""
        return tuple(i for i in self.index if isinstance(i, Node))

    def at(self, key: Any, name: str = "") -> Table:
        """Return the table indexed further."""
        return Table(self.base, (*self.index, key), self.name or name)


class Reference:
    """An object with an identity and contents on the heap: a list, a dict or an array."""

    __slots__ = ("borrowed", "capacity", "kind", "label", "views")

    def __init__(self, kind: str, borrowed: bool = False, capacity: int = 0) -> None:
        self.kind = kind  # list, dict, array or set
        self.borrowed = borrowed  # a view of another array, which must not be written to
        self.capacity = capacity  # for a list that may grow; 0: unknown
        self.label = ""  # the name that the source has for it
        self.views: tuple = ()  # arrays that share its memory, and what they held then


@dataclass(frozen=True)
class Growing:
    """Contents of a list of unknown length: places, of which the first `count` count."""

    places: Node  # [places, …]
    count: Any  # a node, or a number
    rows: str = ""  # what an element with several numbers is: a tuple, a list or an array

    @property
    def capacity(self) -> int:
        return self.places.shape[0]


@dataclass(frozen=True)
class Ragged:
    """A sequence of values of any kind, of which only the first `count` exist."""

    items: tuple
    count: Node


@dataclass(frozen=True)
class Text:
    """An unknown text, which only messages may depend on."""


@dataclass
class Method:
    """A method of an unknown value."""

    owner: Any
    name: str


@dataclass
class Poison:
    """A value that could not be translated. Using it raises the error."""

    error: Exception = field(default_factory=Exception)


class NamedFloat(float):
    """A known float with a name in the source."""

    label: str = ""


class NamedInt(int):
    """A known integer with a name in the source."""

    label: str = ""


def named(value: Any, label: str) -> Any:
    """Attach a name to a number, if its type can carry one."""
    kind = {float: NamedFloat, int: NamedInt}.get(type(value))
    if kind is None:
        return value
    made = kind(value)
    made.label = label
    return made


def plain(value: Any) -> Any:
    """Strip the name of a known number."""
    if isinstance(value, NamedFloat):
        return float(value)
    return int(value) if isinstance(value, NamedInt) else value


def example(value: Any) -> Any:
    """Return an example of a value."""
    if isinstance(value, Node):
        return value.like
    if isinstance(value, Choice):
        return example(value.no if value.yes is None else value.yes)
    if isinstance(value, tuple | list):
        return type(value)(example(v) for v in value)
    return plain(value)


def nodes_in(args: Any) -> list[Node]:
    """Return the unknown values in nested operands."""
    if isinstance(args, Node):
        return [args]
    if isinstance(args, dict):
        return nodes_in(tuple(args.values()))
    if isinstance(args, tuple | list):
        return [n for a in args for n in nodes_in(a)]
    if isinstance(args, slice):
        return nodes_in((args.start, args.stop, args.step))
    return []


def is_number(value: Any) -> bool:
    """Return whether a value is a known number."""
    return isinstance(value, NUMBERS)


def is_numeric(value: Any) -> bool:
    """Return whether a value is a number or an array, known or not."""
    return isinstance(value, (*NUMBERS, Node, np.ndarray))


def tuple_like(original: tuple, parts: list) -> tuple:
    """Return a tuple, or a named tuple of the original's kind."""
    return type(original)(*parts) if hasattr(original, "_fields") else tuple(parts)


def free_name(base: str, is_taken: Callable[[str], bool]) -> str:
    """Return the first of `base`, `base_2`, `base_3`, … that is not taken."""
    name, number = base, 1
    while is_taken(name):
        number += 1
        name = f"{base}_{number}"
    return name


def is_float(value: Any) -> bool:
    """Return whether a number or node is a float."""
    like = value.like if isinstance(value, Node) else value
    return np.asarray(like).dtype.kind == "f"
