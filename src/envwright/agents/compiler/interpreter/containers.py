"""Read and write lists, dicts, tuples, tables and arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from envwright.agents.compiler.interpreter.base import Interpreter
from envwright.agents.compiler.interpreter.world import Span
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Method,
    Node,
    Poison,
    Ragged,
    Reference,
    Table,
    Text,
    example,
    is_number,
    is_numeric,
    plain,
    tuple_like,
)

SEVERAL = {"list": "lists", "dict": "dicts", "set": "sets", "array": "arrays"}
UNKNOWN = (Node, Choice, Table, Growing, Ragged, Poison, Text, Span, Method)


class Containers(Interpreter):
    """The layer that reads and writes containers."""

    # --- looking -----------------------------------------------------------------------------

    def contents(self, value: Any) -> Any:
        """Return what a list, dict or array holds now."""
        if isinstance(value, Reference | list | dict | set | np.ndarray):
            self._refuse_stale(value)
            return self.world.get(value)
        return value

    def put(self, who: Any, contents: Any) -> None:
        """Change a list, dict, set or array in place."""
        if id(who) in self.lasting:
            raise Unsupported(
                f"a change of {described(who)} that outlives the step, in {self.lasting[id(who)]}",
                "keep it in an attribute of the environment that reset sets",
            )
        if isinstance(who, Node):
            raise Unsupported(
                "writing to an array that has no name", "give it a name, or write to it itself"
            )
        if isinstance(who, Reference) and who.borrowed and not who.views:
            raise Unsupported(
                f"a change of one of two {SEVERAL.get(who.kind, who.kind)}, chosen by a condition",
                "change each of them in its own branch",
            )
        if isinstance(who, Reference) and who.borrowed:
            raise Unsupported(
                "writing to a part of an array through another name", "write to it itself"
            )
        self.world.put(who, contents)

    def note_lasting(self, value: Any, where: str) -> None:
        """Remember containers that exist before and after the interpreted program."""
        todo = [value]
        while todo:
            one = todo.pop()
            if isinstance(one, list | dict | set | np.ndarray) and id(one) not in self.lasting:
                self.lasting[id(one)] = where
                if isinstance(one, list | dict):
                    todo += one.values() if isinstance(one, dict) else one
            elif isinstance(one, tuple):
                todo += one

    def view(self, found: Any, owner: Any) -> Any:
        """Return an array that shares the memory of another one."""
        if not self.is_array(owner) or not np.ndim(example(found)) or self._is_nameless(owner):
            return found
        views = owner.views if isinstance(owner, Reference) else ()
        made = self.new("array", found, borrowed=True)
        made.views = views or ((owner, self.world.get(owner)),)
        return made

    def _is_nameless(self, array: Any) -> bool:
        """Return whether nothing refers to an array any more that the program just made."""
        if not isinstance(array, Reference) and not any(array is one for one in self.made):
            return False
        if getattr(array, "views", ()):
            return False
        names = [frame.current or {} for frame in self.frames]
        held = [*names, *(self.world.get(who) for who in self.world.all())]
        return not any(part is array for contents in held for part in parts_of(contents))

    def _refuse_stale(self, value: Any) -> None:
        """Reject reading a view after the array that it shows has changed."""
        for base, held in getattr(value, "views", ()):
            if self.world.get(base) is not held:
                raise Unsupported(
                    "a part of an array under another name, read after the array has changed",
                    "take a copy, or read the array itself",
                )

    def settled(self, value: Any) -> Any:
        """Prepare for arithmetic: arrays by their contents, tables looked up."""
        if isinstance(value, Poison):
            raise value.error
        if isinstance(value, Table):
            return self.resolved(value)
        return self.contents(value) if self.is_array(value) else value

    def is_array(self, value: Any) -> bool:
        return isinstance(value, np.ndarray) or reference_to("array", value)

    def is_list(self, value: Any) -> bool:
        return isinstance(value, list) or reference_to("list", value)

    def is_dict(self, value: Any) -> bool:
        return isinstance(value, dict) or reference_to("dict", value)

    def is_set(self, value: Any) -> bool:
        return isinstance(value, set) or reference_to("set", value)

    def is_known(self, value: Any) -> bool:
        """Return whether every part of a value is known."""
        if isinstance(value, UNKNOWN):
            return False
        if isinstance(value, tuple):
            return all(map(self.is_known, value))
        if isinstance(value, Reference | list | dict | np.ndarray | set):
            contents = self.contents(value)
            if isinstance(contents, np.ndarray):
                return True
            if isinstance(contents, dict):
                return all(map(self.is_known, contents.values()))
            return not isinstance(contents, UNKNOWN) and all(map(self.is_known, contents))
        if isinstance(value, slice):
            return all(map(self.is_known, (value.start, value.stop, value.step)))
        return not self.world.touched(value)  # else the object itself does not show its attributes

    def real(self, value: Any) -> Any:
        """Return a known value as a Python object."""
        if isinstance(value, Poison):
            raise value.error
        if isinstance(value, UNKNOWN):
            advice = "use numbers in place of texts" if isinstance(value, Text) else ""
            raise Unsupported(f"{described(value)} where a known value is needed", advice)
        if isinstance(value, tuple):
            return tuple_like(value, [self.real(v) for v in value])
        if isinstance(value, slice):
            if not self.is_known(value):
                raise Unsupported("a slice with unknown bounds", "use a mask")
            return slice(*(self.real(v) for v in (value.start, value.stop, value.step)))
        if not self._is_changed(value):
            return plain(value)
        contents = self.contents(value)
        if isinstance(contents, np.ndarray):
            return contents
        if isinstance(contents, dict):
            return {k: self.real(v) for k, v in contents.items()}
        if isinstance(contents, UNKNOWN):
            return self.real(contents)
        made = [self.real(v) for v in contents]
        return set(made) if self.is_set(value) else made

    def _is_changed(self, value: Any) -> bool:
        """Return whether a value, or a part of it, is not as it really was."""
        if isinstance(value, Reference):
            return True
        if not isinstance(value, list | dict | set | np.ndarray):
            return False
        parts = value.values() if isinstance(value, dict) else value
        nested = isinstance(value, list | dict) and any(map(self._is_changed, parts))
        return nested or self.world.touched(value)

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
        owner, value = value, self.settled(value)
        if isinstance(value, Table):
            count = self.table_lengths(value)
            longest = max(len(self.contents(leaf)) for leaf in _flat(self._even_leaves(value)))
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


def reference_to(kind: str, value: Any) -> bool:
    """Return whether a value is a reference to a list, dict, set or array."""
    return isinstance(value, Reference) and value.kind == kind


def described(value: Any) -> str:
    """Name a value as people do."""
    names = {
        Node: "an unknown number or array",
        Choice: "one of two values of different kinds",
        Table: "one of several containers",
        Growing: "a list of unknown length",
        Ragged: "a list of unknown length",
        Text: "an unknown text",
        Span: "a range with unknown bounds",
        Method: "a method of an unknown value",
    }
    if isinstance(value, Reference):
        return f"a {value.kind}"
    if isinstance(value, type | ModuleType):
        return value.__name__
    kind = type(value).__name__
    article = "an" if kind[0] in "aeiouAEIOU" else "a"
    return "None" if value is None else names.get(type(value), f"{article} {kind}")


def parts_of(contents: Any) -> Any:
    """Return what a dict or tuple holds directly."""
    if isinstance(contents, dict):
        return contents.values()
    return contents if isinstance(contents, tuple) else ()


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
