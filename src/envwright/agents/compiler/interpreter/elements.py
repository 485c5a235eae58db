"""Read and write elements of lists, dicts, tuples, tables and arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from envwright.agents.compiler.interpreter.containers import described
from envwright.agents.compiler.interpreter.tables import Tables
from envwright.agents.compiler.interpreter.world import Span
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
)


class Elements(Tables):
    """The layer that reads and writes elements."""

    def items(self, value: Any) -> Any:
        """Return the elements: a tuple, or `Growing` or `Ragged`."""
        owner, value = value, self.settled(value)
        if isinstance(value, Table):
            count = self.table_lengths(value)
            longest = max(len(self.contents(leaf)) for leaf in self.table_leaves(value))
            found = tuple(self.resolved(value.at(k)) for k in range(longest))
            return Ragged(found, count) if isinstance(count, Node) else found
        if isinstance(value, Span):
            raise Unsupported("range with unknown bounds in this place", "write a loop")
        if self.is_dict(value):
            return tuple(self.contents(value))
        if self.is_list(value):
            contents = self.contents(value)
            if isinstance(contents, Growing) and not isinstance(contents.count, Node):
                places = range(int(contents.count))
                return tuple(self.growing_element(contents, k, value) for k in places)
            return contents
        if isinstance(value, Node):
            if not value.shape:
                raise Unsupported("iterating over a number")
            rows = (self.graph.index(value, (k,)) for k in range(value.shape[0]))
            return tuple(self.view(row, owner) for row in rows)
        if isinstance(value, np.ndarray) and value.ndim > 1:
            return tuple(self.view(row, owner) for row in value)
        if isinstance(value, Choice):
            raise Unsupported("iterating over one of two things of different kinds")
        if isinstance(value, Reference | set):
            return tuple(self.contents(value))
        if isinstance(value, tuple | frozenset):
            return tuple(value)
        if not self.is_known(value) or isinstance(value, Iterator):
            raise Unsupported(f"iterating over {described(value)}", "use a list")
        try:
            return tuple(value)
        except TypeError as error:
            raise Impossible(str(error)) from error

    def items_or_ragged(self, value: Any) -> Any:
        """Return the elements: a tuple or `Ragged`."""
        items = self.items(value)
        if isinstance(items, Growing):
            found = tuple(self.growing_element(items, k, value) for k in range(items.capacity))
            return Ragged(found, items.count)
        return items

    def length(self, value: Any) -> Any:
        """`len(value)`."""
        own = getattr(type(value), "__len__", None)
        if self.is_ours(own):
            return self.call_function(own, [value], {})
        value = self.settled(value)
        if isinstance(value, Table):
            return self.table_lengths(value)
        if isinstance(value, Node):
            if not value.shape:
                raise Impossible("len() of a number")
            return value.shape[0]
        contents = self.contents(value)
        if isinstance(contents, Growing | Ragged):
            return contents.count
        try:
            return len(contents)
        except TypeError as error:
            raise Unsupported(f"len() of {described(value)}") from error

    def element(self, value: Any, key: Any, name: str = "") -> Any:
        """`value[key]`."""
        own = getattr(type(value), "__getitem__", None)
        if self.is_ours(own):
            return self.call_function(own, [value, key], {})
        owner = value
        value = value if isinstance(value, Table) else self.settled(value)
        key = self.settled(key)
        if isinstance(key, Choice):
            key = self.number(key)
        if isinstance(value, Poison):
            raise value.error
        self._refuse_missing(value)
        if isinstance(value, Choice):
            return self.spread(lambda v: self.element(v, key, name), value)
        if isinstance(value, np.ndarray | Node):
            found = self._array_element(value, key, name)
            return self.view(found, owner) if _is_basic(key) else found
        key = self._as_place(key)
        if isinstance(key, Node):
            self.assumptions += 1
        if isinstance(value, Table):
            return self.resolved(value.at(key, name))
        contents = self.contents(value)
        if isinstance(contents, Growing):
            self.assumptions += 1
            return self.growing_element(contents, key, value)
        if isinstance(contents, Ragged):
            return self.select(contents.items, self._from_the_front(key, contents.count))
        if isinstance(key, Node) or (isinstance(key, tuple) and not self.is_known(key)):
            self.assumptions += 1
            return self._looked_up(value, contents, key, name)
        try:
            found = contents[self.real(key)]
        except (KeyError, IndexError, TypeError) as error:
            raise Impossible(str(error)) from error
        return self.new_list(found) if self.is_list(value) and isinstance(key, slice) else found

    def _refuse_missing(self, value: Any) -> None:
        """Reject containers that make up elements."""
        if isinstance(value, dict) and hasattr(type(value), "__missing__"):
            raise Unsupported(
                f"an element of a {type(value).__name__}", "use a dict and .get(), or a list"
            )

    def _as_place(self, key: Any) -> Any:
        """Return a truth as 0 or 1, which it is as a place in a list."""
        truth = isinstance(key, Node) and key.dtype.kind == "b" and not key.shape
        return self.graph.cast(key, np.int64) if truth else key

    def _from_the_front(self, place: Any, count: Any) -> Any:
        """Return a place in a list of unknown length, counted from its front."""
        graph = self.graph
        if isinstance(place, Node):
            if _is_natural(place):
                return place
            behind = graph.compare("<", place, 0)
            return graph.where(behind, graph.binary("+", count, place), place)
        if isinstance(place, int | np.integer) and place < 0:
            return graph.binary("+", count, place)
        return place

    def _array_element(self, value: Any, key: Any, name: str) -> Any:
        index = self._index(key)
        self.assumptions += any(isinstance(i, Node) for i in index)
        if any(isinstance(i, Node) and i.dtype.kind == "b" for i in index):
            raise Unsupported("the elements where an unknown mask is true", "use np.where")
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
            raise Unsupported("a float as an index", "make it an int")
        if isinstance(part, Node) and part.dtype.kind == "b" and not part.shape:
            raise Unsupported("a truth as an index of an array", "use int(...), or an if")
        if isinstance(part, slice) and not self.is_known(part):
            raise Unsupported("a slice with unknown bounds", "use a mask")
        return part

    def growing_element(self, contents: Growing, key: Any, owner: Any = None) -> Any:
        """Return an element of a list, which `owner` is."""
        graph = self.graph
        if isinstance(key, slice):
            return self._growing_slice(contents, key)
        found = graph.index(contents.places, (self._from_the_front(key, contents.count),))
        if not np.ndim(example(found)):
            return self._python_number(found)
        if contents.rows == "array":
            return found
        alone = contents.rows == "list" and owner is None
        if np.ndim(example(found)) > 1 or not contents.rows or alone:
            raise Unsupported("an element of a list of lists of unknown length", "use tuples")
        parts = [graph.index(found, (k,)) for k in range(found.shape[0])]
        if contents.rows == "tuple":
            return tuple(map(self._python_number, parts))
        made = self.new("list", tuple(map(self._python_number, parts)), borrowed=True)
        made.views = ((owner, contents),)
        return made

    def _python_number(self, found: Any) -> Any:
        return self.graph.renamed(found, found.like.item()) if isinstance(found, Node) else found

    def _growing_slice(self, contents: Growing, key: slice) -> Any:
        if (key.start, key.stop, key.step) == (None, None, None):
            return self.new_list(contents)
        if key.step is None and key.stop is None and isinstance(key.start, int) and key.start > 0:
            shifted = self.graph.index(contents.places, (slice(key.start, None),))
            count = self._at_least_none(self.graph.binary("-", contents.count, key.start))
            return self.new_list(Growing(shifted, count, contents.rows))
        if key.step is None and key.start is None and isinstance(key.stop, int) and key.stop < 0:
            count = self._at_least_none(self.graph.binary("+", contents.count, key.stop))
            return self.new_list(Growing(contents.places, count, contents.rows))
        raise Unsupported("this slice of a list of unknown length")

    def _at_least_none(self, count: Any) -> Any:
        if not isinstance(count, Node):
            return max(count, 0)
        return self.graph.where(self.graph.compare("<", count, 0), 0, count)

    def _looked_up(self, value: Any, contents: Any, key: Any, name: str) -> Any:
        if isinstance(contents, dict) and isinstance(key, Node | tuple):
            keys = list(contents)
            if isinstance(key, tuple) or sorted(keys) != list(range(len(keys))):
                return self.select(tuple(contents.values()), self._position(keys, key))
        if isinstance(key, tuple):
            raise Unsupported("a tuple as a place in a list", "index one after the other")
        if len(contents) == 1:  # no other index is legal
            return next(iter(contents.values())) if isinstance(contents, dict) else contents[0]
        items = tuple(contents.values()) if isinstance(contents, dict) else contents
        if self.is_known(value) or all(self.is_list(i) or self.is_dict(i) for i in items):
            return self.resolved(Table(value, (key,), name))
        return self.select(items, key)

    def _position(self, keys: list, key: Any) -> Node:
        """Return the position of a key among a dict's keys."""
        found = self._same_keys(keys, key)
        return self.graph.call("jnp.argmax", (found,), np.int64(0))

    def has_key(self, keys: list, key: Any) -> Any:
        """Return whether a dict has an unknown key."""
        if not keys:
            return False
        return self.graph.call("jnp.any", (self._same_keys(keys, key),), np.bool_(False))

    def _same_keys(self, keys: list, key: Any) -> Node:
        """Return which of a dict's keys an unknown key is."""
        graph, found = self.graph, None
        parts = tuple(self.settled(k) for k in (key if isinstance(key, tuple) else (key,)))
        rows = [k if isinstance(k, tuple) else (k,) for k in keys]
        alike = {isinstance(k, tuple) for k in keys} == {isinstance(key, tuple)}
        numbers = all(is_number(v) for row in rows for v in row)
        if not alike or not numbers or {len(row) for row in rows} != {len(parts)}:
            raise Unsupported(
                "an unknown key of a dict whose keys are not all of its kind",
                "use keys of one kind: numbers, or tuples of numbers of one length",
            )
        for part, column in zip(parts, zip(*rows, strict=True), strict=True):
            if not is_numeric(part) or np.ndim(example(part)):
                raise Unsupported(f"{described(part)} in a key of a dict")
            same = graph.compare("==", graph.constant(np.array(column), "KEYS"), part)
            found = same if found is None else graph.both(found, same)
        assert isinstance(found, Node)
        return found

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
        raise Unsupported(
            "one of several objects, chosen by an unknown index", "choose numbers, one by one"
        )

    # --- writing -----------------------------------------------------------------------------

    def write(self, container: Any, key: Any, value: Any) -> None:
        """`container[key] = value`."""
        own = getattr(type(container), "__setitem__", None)
        if self.is_ours(own):
            self.call_function(own, [container, key, value], {})
            return
        key = self.settled(key)
        if isinstance(container, Choice):
            raise Unsupported("writing to one of two things")
        contents = self.contents(container)
        if isinstance(contents, Node | np.ndarray):
            self._write_array(container, contents, key, value)
        elif isinstance(contents, dict):
            if not self.is_known(key):
                raise Unsupported(
                    "writing to a dict under an unknown key", "use a list or an array"
                )
            self._refuse_missing(container)
            self.put(container, {**contents, self.real(key): value})
        elif isinstance(container, tuple):
            raise Impossible("a tuple cannot be written to")
        elif isinstance(contents, tuple) and isinstance(key, int | np.integer):
            items = list(contents)
            try:
                items[int(key)] = value
            except IndexError as error:
                raise Impossible(str(error)) from error
            self.put(container, tuple(items))
        elif isinstance(contents, tuple | Growing):
            self._write_list(container, contents, key, value)
        else:
            raise Unsupported(f"writing to {described(container)}")

    def _write_array(self, container: Any, contents: Any, key: Any, value: Any) -> None:
        index = self._index(key)
        dtype = np.asarray(example(contents)).dtype
        value = self.number(value)
        if isinstance(contents, np.ndarray) and self.is_known(key) and not isinstance(value, Node):
            made = np.array(contents)
            made[tuple(plain(i) for i in index)] = value
            self.put(container, made)
            return
        if isinstance(value, Node) and value.dtype != dtype:
            value = self.graph.cast(value, dtype)
        if any(isinstance(i, Node) and i.dtype.kind == "b" for i in index):
            mask, several = index[0], len(index) > 1 or np.ndim(example(value))
            if several or mask.shape != np.shape(example(contents)):
                raise Unsupported("several values where an unknown mask is true", "use np.where")
            value = value if isinstance(value, Node) else self.graph.cast(value, dtype)
            self.put(container, self.graph.where(mask, value, contents))
            return
        made = self.graph.set(contents, index, value)
        if made.op == "array":  # all of it was written
            made.hint = made.hint or getattr(container, "label", "")
        self.put(container, made)

    def _write_list(self, container: Any, contents: Any, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            raise Unsupported("writing to a slice of a list", "write one element after the other")
        self.assumptions += 1
        capacity = getattr(container, "capacity", 0)
        growing = self.growing(
            contents, max(capacity, len(contents) if isinstance(contents, tuple) else 0)
        )
        first, *rest = key if isinstance(key, tuple) else (key,)
        index = (self._from_the_front(self._as_place(first), growing.count), *rest)
        places = self.graph.set(growing.places, index, self.element_of(growing, value))
        self.put(container, Growing(places, growing.count, growing.rows))

    def element_of(self, contents: Growing, value: Any) -> Any:
        """Return a value as an element of a list of unknown length, without losing digits."""
        found, held = self.number(value), contents.places.dtype
        if np.asarray(example(found)).dtype.kind == "f" and held.kind != "f":
            raise Unsupported(
                "a float in a list of whole numbers of unknown length", "begin it with floats: 0.0"
            )
        if np.ndim(example(found)) and self._row_kind(value) != (contents.rows or "tuple"):
            raise Unsupported("elements of several kinds in a list of unknown length")
        return self.number(value, held)

    def _row_kind(self, value: Any) -> str:
        """Return what an element with several numbers is."""
        if isinstance(value, tuple):
            return "tuple"
        return "list" if self.is_list(value) else "array"


def _is_basic(key: Any) -> bool:
    """Return whether NumPy gives a view for such an index: it has no arrays and lists."""
    parts = key if isinstance(key, tuple) else (key,)
    scalar = (int, np.integer, slice, type(None), type(Ellipsis))
    return all(
        not p.shape and p.dtype.kind in "iu" if isinstance(p, Node) else isinstance(p, scalar)
        for p in parts
    )


def _is_natural(place: Node) -> bool:
    """Return whether a place can be seen not to be negative."""
    return place.op in ("call",) and place.attrs[0] in ("jnp.argmax", "jnp.argmin")
