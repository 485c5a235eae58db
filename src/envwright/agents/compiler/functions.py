"""Helpers of the reference that stay functions, each with its own graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envwright.agents.compiler.values import Node, nodes_in

ARGUMENT, ATTRIBUTE = "", "self."


@dataclass(frozen=True)
class Origin:
    """Where a parameter comes from: an argument or attribute, and the path within it."""

    kind: str
    name: str
    path: tuple = ()

    @property
    def recorded(self) -> str:
        """Name in golden pairs."""
        return f"{self.kind}{self.name}"

    @property
    def word(self) -> str:
        """Return a name for the parameter."""
        return "_".join([self.name.strip("_") or "value", *map(str, self.path)])


@dataclass(eq=False)
class Function:
    """A helper for arguments of one kind."""

    source: Callable  # the reference's own
    sign: Hashable  # the kind of its arguments
    parameters: tuple[Node, ...]
    origins: tuple[Origin, ...]
    results: tuple  # nodes, and numbers that are known
    single: bool  # one value, not a tuple
    name: str = ""
    same: Function | None = None  # another one with equal text that replaces this one

    @property
    def one(self) -> Function:
        """Return the function that represents this one."""
        return self.same or self

    @property
    def operations(self) -> int:
        """The number of operations."""
        free = ("input", "table", "same", "part")
        return sum(node.op not in free for node in nodes_below(self.results))


@dataclass
class Helpers:
    """The functions of a program, each once, and which calls may become one."""

    wanted: frozenset | None = frozenset()  # signs; None: whatever is possible
    functions: dict[tuple, Function] = field(default_factory=dict)

    def admits(self, sign: Hashable) -> bool:
        """Return whether a call of this kind may stay a call."""
        return self.wanted is None or sign in self.wanted

    def one(self, function: Function) -> Function:
        """Return the known function that does the same, or this one."""
        key = (function.sign, _fingerprint(function.results))
        return self.functions.setdefault(key, function)


def nodes_below(roots: Any) -> Iterator[Node]:
    """Yield all nodes below the roots, except those within functions."""
    todo, seen = nodes_in(tuple(roots)), set()
    while todo:
        node = todo.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            todo += nodes_in(node.args)


def functions_below(roots: Any) -> list[Function]:
    """Return the functions that are called, directly or indirectly, callees first."""
    found: dict[Function, None] = {}

    def collect(nodes: Any) -> None:
        called = sorted((n.number, n.attrs[0]) for n in nodes_below(nodes) if n.op == "invoke")
        for _, function in called:
            if function not in found:
                collect(function.results)
                found.setdefault(function)

    collect(roots)
    return list(found)


def all_nodes_below(roots: Any) -> Iterator[Node]:
    """Yield all nodes below the roots and, once for each function, those within functions."""
    for body in [roots, *(function.results for function in functions_below(roots))]:
        yield from nodes_below(body)


def loops_below(roots: Any) -> int:
    """Count loops, including those within functions."""
    return sum(node.op == "while" for node in all_nodes_below(roots))


def result_of(call: Node) -> Any:
    """Return what a call, or a part of its result, is within the function."""
    if call.op == "part":
        return call.args[0].attrs[0].results[call.attrs[0]]
    return call.attrs[0].results[0]


def whole_call(items: Iterable[Any]) -> Node | None:
    """Return the call whose results these are, complete and in order, or None."""
    items = list(items)
    calls = [item.args[0] for item in items if isinstance(item, Node) and item.op == "part"]
    if not calls or any(call is not calls[0] for call in calls):
        return None
    results = calls[0].attrs[0].results
    if len(results) != len(items):
        return None
    for place, (item, result) in enumerate(zip(items, results, strict=True)):
        part = isinstance(item, Node) and item.op == "part" and item.attrs[0] == place
        if not part and item is not result:
            return None
    return calls[0]


def _fingerprint(roots: tuple) -> tuple:
    """Return a value that is equal for graphs of one program with equal structure."""
    places: dict[int, int] = {}
    lines: list[tuple] = []

    def visit(value: Any) -> Hashable:
        if isinstance(value, Node):
            return visit_node(value)
        if isinstance(value, tuple | list):
            return tuple(map(visit, value))
        if isinstance(value, slice):
            return "slice", visit((value.start, value.stop, value.step))
        if isinstance(value, np.ndarray):
            return value.dtype.str, value.shape, value.tobytes()
        return type(value), repr(value)

    def visit_node(node: Node) -> Hashable:
        if node.op in ("input", "table"):
            return node.op, id(node)
        if id(node) not in places:
            places[id(node)] = len(places)
            kind = type(node.like), str(node.dtype), node.shape
            lines.append((places[id(node)], node.op, node.attrs, kind, visit(node.args)))
        return "node", places[id(node)]

    return visit(roots), tuple(lines)
