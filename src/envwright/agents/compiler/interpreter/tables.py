"""Turn containers into numbers and arrays, and look up tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.agents.compiler.interpreter.containers import Containers, described
from envwright.agents.compiler.trouble import Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Node,
    Poison,
    Ragged,
    Table,
    example,
    is_number,
    is_numeric,
    plain,
)


class Tables(Containers):
    """The layer that turns containers and tables into numbers and arrays."""

    def settled(self, value: Any) -> Any:
        """Prepare for arithmetic: arrays by their contents, tables looked up."""
        if isinstance(value, Poison):
            raise value.error
        if isinstance(value, Table):
            return self.resolved(value)
        return self.contents(value) if self.is_array(value) else value

    # --- as one array --------------------------------------------------------------------------

    def sequence_as_array(self, value: Any, dtype: Any = None) -> Any:
        """Convert nested lists and tuples of numbers for `graph.array`."""
        value = self.settled(value)
        if isinstance(value, Choice):
            return self.number(value, dtype)
        if self.is_list(value) or isinstance(value, tuple):
            contents = self.contents(value)
            if isinstance(contents, Growing) and not isinstance(contents.count, Node):
                return self.graph.index(contents.places, (slice(0, int(contents.count)),))
            if isinstance(contents, Growing | Ragged):
                raise Unsupported("a list of unknown length as an array")
            return tuple(self.sequence_as_array(v, dtype) for v in contents)
        return value

    def number(self, value: Any, dtype: Any = None) -> Any:
        """Return a node or number. A choice between numbers of two kinds becomes one array."""
        value = self.settled(value)
        if isinstance(value, Choice):
            yes, no = (self._number_or_none(v, dtype) for v in (value.yes, value.no))
            if yes is None or no is None:
                return no if yes is None else yes
            if dtype is None:
                found = np.result_type(np.asarray(example(yes)), np.asarray(example(no)))
                yes, no = self.graph.cast(yes, found), self.graph.cast(no, found)
            return self.graph.where(value.condition, yes, no)
        if self.is_list(value) or isinstance(value, tuple):
            items = self.sequence_as_array(value, dtype)
            return items if isinstance(items, Node | np.ndarray) else self.graph.array(items, dtype)
        if not is_numeric(value):
            raise Unsupported(f"arithmetic with {described(value)}")
        return value if dtype is None else self.graph.cast(value, dtype)

    def _number_or_none(self, value: Any, dtype: Any) -> Any:
        if value is None or (is_number(value) and dtype is not None):
            return value  # a bare number takes the dtype of the other
        return self.number(value, dtype)

    # --- tables ----------------------------------------------------------------------------

    def resolved(self, value: Any) -> Any:
        """Look up a table, unless its leaves are containers."""
        if not isinstance(value, Table):
            return value
        leaves = self._even_leaves(value)
        flat = list(_flat(leaves))
        if all(leaf is flat[0] or _equal(leaf, flat[0]) for leaf in flat[1:]):
            return flat[0]
        if all(is_number(leaf) for leaf in flat):
            return self.graph.index(self._constant(leaves, value), value.nodes)
        if all(is_number(leaf) or isinstance(leaf, Node) for leaf in flat):
            distinct: list[Any] = []
            places = _mapped(leaves, lambda leaf: _place(distinct, leaf))
            which = self.graph.index(self._constant(places, value), value.nodes)
            return self.graph.index(self.graph.array(distinct), (which,))
        if all(isinstance(leaf, np.ndarray) for leaf in flat) and _one_shape(flat):
            return self.graph.index(self._constant(leaves, value), value.nodes)
        return value

    def _even_leaves(self, table: Table) -> Any:
        return _even(self._leaves(table.base, table.index))

    def _constant(self, leaves: Any, table: Table) -> Node:
        known = [str(i) for i in table.index if not isinstance(i, Node)]
        known = [k for k in known if k.isalnum()]
        return self.graph.constant(np.array(leaves), "_".join([table.name, *known]).upper())

    def _leaves(self, base: Any, index: tuple) -> Any:
        """Return the values at an index for every value of its unknown parts."""
        if not index:
            return self.settled(base) if isinstance(base, np.ndarray) else base
        first, rest = index[0], index[1:]
        if not isinstance(first, Node):
            return self._leaves(self._within(base, first), rest)
        contents = self.contents(base)
        if isinstance(contents, dict):
            keys = sorted(contents)
            if keys != list(range(len(keys))):
                raise Unsupported("a dict with keys other than 0, 1, 2, …, looked up by a value")
            items = [contents[k] for k in keys]
        else:
            items = list(contents)
        if not items:
            raise Unsupported("an empty list, looked up by a value")
        return Rows(self._leaves(item, rest) for item in items)

    def _within(self, base: Any, key: Any) -> Any:
        """Return an element; past the end of a ragged table, the last one, which is never read."""
        contents = self.contents(base)
        try:
            return contents[key]
        except IndexError:
            return contents[-1]

    def table_map(self, table: Table, function: Callable[[Any], Any]) -> Any:
        """Apply a function to a table's leaves and look up the result."""
        made = _mapped(self._even_leaves(table), function)
        flat = list(_flat(made))
        if all(_equal(leaf, flat[0]) for leaf in flat[1:]):
            return flat[0]
        return self.graph.index(self._constant(made, table), table.nodes)

    def table_leaves(self, table: Table) -> list:
        """Return everything that a table may look up."""
        return list(_flat(self._even_leaves(table)))

    def table_lengths(self, table: Table) -> Any:
        """Return the lengths of the containers that are a table's leaves."""
        lengths = _mapped(self._even_leaves(table), lambda leaf: len(self.contents(leaf)))
        flat = list(_flat(lengths))
        if all(n == flat[0] for n in flat):
            return flat[0]
        constant = self.graph.constant(np.array(lengths), f"{table.name}_LENGTH".upper())
        return self.graph.cast(self.graph.index(constant, table.nodes), int)


class Rows(list):
    """The values under one unknown index, in order; not a leaf itself."""


def _flat(leaves: Any) -> Any:
    if isinstance(leaves, Rows):
        for leaf in leaves:
            yield from _flat(leaf)
    else:
        yield leaves


def _mapped(leaves: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(leaves, Rows):
        return Rows(_mapped(x, function) for x in leaves)
    return function(leaves)


def _even(leaves: Any) -> Any:
    """Pad rows to one length per level by repeating their last element, which is never read."""
    sizes: dict[int, int] = {}

    def measure(rows: Any, depth: int) -> None:
        if isinstance(rows, Rows):
            sizes[depth] = max(sizes.get(depth, 0), len(rows))
            for row in rows:
                measure(row, depth + 1)

    def padded(rows: Any, depth: int) -> Any:
        if not isinstance(rows, Rows):
            return rows
        full = [*rows, *[rows[-1]] * (sizes[depth] - len(rows))]
        return Rows(padded(row, depth + 1) for row in full)

    measure(leaves, 0)
    return padded(leaves, 0)


def _equal(a: Any, b: Any) -> bool:
    return is_number(a) and is_number(b) and type(plain(a)) is type(plain(b)) and bool(a == b)


def _place(distinct: list, leaf: Any) -> int:
    for place, other in enumerate(distinct):
        if other is leaf or _equal(other, leaf):
            return place
    distinct.append(leaf)
    return len(distinct) - 1


def _one_shape(arrays: list) -> bool:
    return len({a.shape for a in arrays}) == 1 and all(a.dtype.kind in "biuf" for a in arrays)
