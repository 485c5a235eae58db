"""Read and write lists, dicts, tuples, tables and arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.agents.compiler.interpreter.base import Interpreter
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Node,
    Poison,
    Ragged,
    Reference,
    Table,
    example,
    is_number,
    is_numeric,
    plain,
    tuple_like,
)


class Containers(Interpreter):
    """The layer that reads and writes containers."""

    # --- looking -----------------------------------------------------------------------------

    def contents(self, value: Any) -> Any:
        """Return what a list, dict or array holds now."""
        if isinstance(value, Reference | list | dict | set | np.ndarray):
            return self.world.get(value)
        return value

    def settled(self, value: Any) -> Any:
        """Prepare for arithmetic: arrays by their contents, tables looked up."""
        if isinstance(value, Poison):
            raise value.error
        if isinstance(value, Table):
            return self.resolved(value)
        return self.world.get(value) if self.is_array(value) else value

    def is_array(self, value: Any) -> bool:
        return isinstance(value, np.ndarray) or reference_to("array", value)

    def is_list(self, value: Any) -> bool:
        return isinstance(value, list) or reference_to("list", value)

    def is_dict(self, value: Any) -> bool:
        return isinstance(value, dict) or reference_to("dict", value)

    def is_known(self, value: Any) -> bool:
        """Return whether every part of a value is known."""
        if isinstance(value, Node | Choice | Table | Growing | Ragged | Poison):
            return False
        if isinstance(value, tuple):
            return all(map(self.is_known, value))
        if isinstance(value, Reference | list | dict | np.ndarray | set):
            contents = self.contents(value)
            if isinstance(contents, np.ndarray):
                return True
            if isinstance(contents, dict):
                return all(map(self.is_known, contents.values()))
            return not isinstance(contents, Node | Growing | Ragged) and all(
                map(self.is_known, contents)
            )
        if isinstance(value, slice):
            return all(map(self.is_known, (value.start, value.stop, value.step)))
        return True

    def real(self, value: Any) -> Any:
        """Return a known value as a Python object."""
        if isinstance(value, tuple):
            return tuple_like(value, [self.real(v) for v in value])
        changed = isinstance(value, list | dict | np.ndarray) and self.world.touched(value)
        if not changed and not isinstance(value, Reference):
            return plain(value)
        contents = self.world.get(value)
        if isinstance(contents, np.ndarray):
            return contents
        if isinstance(contents, dict):
            return {k: self.real(v) for k, v in contents.items()}
        made = [self.real(v) for v in contents]
        return set(made) if reference_to("set", value) else made

    def new(self, kind: str, contents: Any, borrowed: bool = False) -> Reference:
        """Create an object of the interpreted program."""
        made = Reference(kind, borrowed)
        self.world.put(made, contents)
        return made

    def new_list(self, items: Any) -> Reference:
        return self.new("list", items if isinstance(items, Growing | Ragged) else tuple(items))

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
            raise Unsupported(f"arithmetic with {_described(value)}")
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

    def table_lengths(self, table: Table) -> Any:
        """Return the lengths of the containers that are a table's leaves."""
        lengths = _mapped(self._even_leaves(table), lambda leaf: len(self.contents(leaf)))
        flat = list(_flat(lengths))
        if all(n == flat[0] for n in flat):
            return flat[0]
        constant = self.graph.constant(np.array(lengths), f"{table.name}_LENGTH".upper())
        return self.graph.cast(self.graph.index(constant, table.nodes), int)

    # --- elements ----------------------------------------------------------------------------

    def items(self, value: Any) -> Any:
        """Return the elements: a tuple, or `Growing` or `Ragged`."""
        value = self.settled(value)
        if isinstance(value, Table):
            count = self.table_lengths(value)
            longest = max(len(self.contents(leaf)) for leaf in _flat(self._even_leaves(value)))
            found = tuple(self.resolved(value.at(k)) for k in range(longest))
            return Ragged(found, count) if isinstance(count, Node) else found
        if self.is_dict(value):
            return tuple(self.contents(value))
        if self.is_list(value):
            contents = self.contents(value)
            if isinstance(contents, Growing) and not isinstance(contents.count, Node):
                return tuple(
                    self.graph.index(contents.places, (k,)) for k in range(int(contents.count))
                )
            return contents
        if isinstance(value, Node):
            if not value.shape:
                raise Unsupported("iterating over a number")
            return tuple(self.graph.index(value, (k,)) for k in range(value.shape[0]))
        if isinstance(value, Choice):
            raise Unsupported("iterating over one of two things of different kinds")
        if isinstance(value, Reference):
            return tuple(self.contents(value))
        try:
            return tuple(value)
        except TypeError as error:
            raise Impossible(str(error)) from error

    def items_or_ragged(self, value: Any) -> Any:
        """Return the elements: a tuple or `Ragged`."""
        items = self.items(value)
        if isinstance(items, Growing):
            found = tuple(self.growing_element(items, k) for k in range(items.capacity))
            return Ragged(found, items.count)
        return items

    def length(self, value: Any) -> Any:
        """`len(value)`."""
        value = self.settled(value)
        if isinstance(value, Table):
            return self.table_lengths(value)
        if isinstance(value, Node):
            if not value.shape:
                raise Impossible("len() of a number")
            return value.shape[0]
        contents = self.contents(value)
        return contents.count if isinstance(contents, Growing | Ragged) else len(contents)

    def element(self, value: Any, key: Any, name: str = "") -> Any:
        """`value[key]`."""
        value = value if isinstance(value, Table) else self.settled(value)
        key = self.settled(key)
        if isinstance(key, Choice):
            key = self.number(key)
        if isinstance(value, Choice):
            return self.spread(lambda v: self.element(v, key, name), value)
        if isinstance(value, Table):
            return self.resolved(value.at(key, name))
        if isinstance(value, np.ndarray | Node):
            return self._array_element(value, key, name)
        contents = self.contents(value)
        if isinstance(contents, Growing):
            return self.growing_element(contents, key)
        if isinstance(contents, Ragged):
            return self.select(contents.items, key)
        if isinstance(key, Node) or (isinstance(key, tuple) and not self.is_known(key)):
            return self._looked_up(value, contents, key, name)
        try:
            return contents[self.real(key)]
        except (KeyError, IndexError, TypeError) as error:
            raise Impossible(str(error)) from error

    def _array_element(self, value: Any, key: Any, name: str) -> Any:
        index = self._index(key)
        if isinstance(value, np.ndarray):
            if not any(isinstance(i, Node) for i in index):
                try:
                    return value[tuple(plain(i) for i in index)]
                except IndexError as error:
                    raise Impossible(str(error)) from error
            if value.dtype.kind not in "biuf":
                return Table(value.tolist(), index, name)
            value = self.graph.constant(value, name.upper())
        return self.graph.index(value, index)

    def _index(self, key: Any) -> tuple:
        return tuple(self._index_part(i) for i in (key if isinstance(key, tuple) else (key,)))

    def _index_part(self, part: Any) -> Any:
        part = self.settled(part)
        if isinstance(part, Choice):
            return self.number(part)
        if self.is_list(part):
            numbers = self.number(part)
            # NumPy accepts an empty list as whole numbers, though its array has floats.
            return numbers if np.size(example(numbers)) else np.zeros(0, np.int64)
        if isinstance(part, Node) and part.dtype.kind == "f":
            raise Impossible("a float as an index")
        if isinstance(part, slice) and not self.is_known(part):
            raise Unsupported("a slice with unknown bounds", "use a mask")
        return part

    def growing_element(self, contents: Growing, key: Any) -> Any:
        graph = self.graph
        if isinstance(key, slice):
            return self._growing_slice(contents, key)
        if not isinstance(key, Node) and key < 0:
            key = graph.binary("+", contents.count, key)
        found = graph.index(contents.places, (key,))
        return graph.renamed(found, found.like.item()) if not found.shape else found

    def _growing_slice(self, contents: Growing, key: slice) -> Any:
        if (key.start, key.stop, key.step) == (None, None, None):
            return self.new_list(contents)
        if key.step is None and key.stop is None and isinstance(key.start, int) and key.start > 0:
            shifted = self.graph.index(contents.places, (slice(key.start, None),))
            count = self.graph.binary("-", contents.count, key.start)
            return self.new_list(Growing(shifted, count))
        if key.step is None and key.start is None and isinstance(key.stop, int) and key.stop < 0:
            return self.new_list(
                Growing(contents.places, self.graph.binary("+", contents.count, key.stop))
            )
        raise Unsupported("this slice of a list of unknown length")

    def _looked_up(self, value: Any, contents: Any, key: Any, name: str) -> Any:
        if isinstance(contents, dict) and isinstance(key, Node | tuple):
            keys = list(contents)
            if isinstance(key, tuple) or sorted(keys) != list(range(len(keys))):
                return self.select(tuple(contents.values()), self._position(keys, key))
        if isinstance(key, tuple):
            raise Impossible("a tuple as an index")
        if len(contents) == 1:
            return contents[0]  # no other index is legal
        items = tuple(contents.values()) if isinstance(contents, dict) else contents
        if self.is_known(value) or all(self.is_list(i) or self.is_dict(i) for i in items):
            return self.resolved(Table(value, (key,), name))
        return self.select(items, key)

    def _position(self, keys: list, key: Any) -> Node:
        """Return the position of a key among a dict's keys."""
        graph, found = self.graph, None
        parts = key if isinstance(key, tuple) else (key,)
        columns = list(zip(*(k if isinstance(k, tuple) else (k,) for k in keys), strict=True))
        if len(parts) != len(columns):
            raise Impossible("a key of another size than those of the dict")
        for part, column in zip(parts, columns, strict=True):
            same = graph.compare("==", graph.constant(np.array(column), "KEYS"), part)
            found = same if found is None else graph.both(found, same)
        assert isinstance(found, Node)
        return graph.call("jnp.argmax", (found,), np.int64(0))

    def select(self, items: tuple, key: Any) -> Any:
        """Select one of several values of one kind by an unknown index."""
        if not isinstance(key, Node):
            return items[key]
        items = tuple(self.settled(i) for i in items)
        if all(isinstance(i, tuple) for i in items) and len({len(i) for i in items}) == 1:
            return tuple(self.select(column, key) for column in zip(*items, strict=True))
        if all(self.is_list(i) for i in items):
            parts = [self.contents(i) for i in items]
            if all(isinstance(p, tuple) for p in parts) and len({len(p) for p in parts}) == 1:
                return self.new_list(self.select(c, key) for c in zip(*parts, strict=True))
        if all(map(is_numeric, items)):
            found = self.graph.index(self.graph.array(items), (key,))
            own = all(isinstance(example(i), bool | int | float) for i in items)
            own = own and not found.shape
            return self.graph.renamed(found, found.like.item()) if own else found
        raise Unsupported("one of several objects, chosen by an unknown index")

    # --- writing -----------------------------------------------------------------------------

    def write(self, container: Any, key: Any, value: Any) -> None:
        """`container[key] = value`."""
        key = self.settled(key)
        if isinstance(container, Choice):
            raise Unsupported("writing to one of two things")
        contents = self.contents(container)
        if isinstance(contents, Node | np.ndarray):
            if isinstance(container, Reference) and container.borrowed:
                raise Unsupported(
                    "writing to a part of an array through another name", "write to it itself"
                )
            self._write_array(container, contents, key, value)
        elif isinstance(contents, dict):
            if not self.is_known(key):
                raise Unsupported("writing to a dict under an unknown key")
            self.world.put(container, {**contents, self.real(key): value})
        elif isinstance(contents, tuple) and isinstance(key, int | np.integer):
            items = list(contents)
            try:
                items[int(key)] = value
            except IndexError as error:
                raise Impossible(str(error)) from error
            self.world.put(container, tuple(items))
        elif isinstance(contents, tuple | Growing):
            self._write_list(container, contents, key, value)
        else:
            raise Unsupported(f"writing to {_described(container)}")

    def _write_array(self, container: Any, contents: Any, key: Any, value: Any) -> None:
        index = self._index(key)
        dtype = np.asarray(example(contents)).dtype
        value = self.number(value)
        if isinstance(contents, np.ndarray) and self.is_known(key) and not isinstance(value, Node):
            made = np.array(contents)
            made[tuple(plain(i) for i in index)] = value
            self.world.put(container, made)
            return
        if isinstance(value, Node) and value.dtype != dtype:
            value = self.graph.cast(value, dtype)
        made = self.graph.set(contents, index, value)
        if made.op == "array":  # all of it was written
            made.hint = made.hint or getattr(container, "label", "")
        self.world.put(container, made)

    def _write_list(self, container: Any, contents: Any, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            raise Unsupported("writing to a slice of a list")
        capacity = getattr(container, "capacity", 0)
        growing = self.growing(
            contents, max(capacity, len(contents) if isinstance(contents, tuple) else 0)
        )
        if not isinstance(key, Node | tuple) and key < 0:
            key = self.graph.binary("+", growing.count, key)
        index = key if isinstance(key, tuple) else (key,)
        value = self.number(value, growing.places.dtype)
        places = self.graph.set(growing.places, index, value)
        self.world.put(container, Growing(places, growing.count))


def reference_to(kind: str, value: Any) -> bool:
    """Return whether a value is a reference to a list, dict, set or array."""
    return isinstance(value, Reference) and value.kind == kind


def _described(value: Any) -> str:
    return "None" if value is None else type(value).__name__


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
