"""Comparisons of numbers and sequences, and membership tests."""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterator
from typing import Any

import numpy as np

from envwright.agents.compiler.graph import COMPARISONS
from envwright.agents.compiler.interpreter.containers import UNKNOWN
from envwright.agents.compiler.interpreter.expressions import Expressions
from envwright.agents.compiler.interpreter.symbols import SYMBOLS
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Node,
    Poison,
    Ragged,
    Reference,
    Table,
    Text,
    example,
    is_numeric,
    plain,
)


class Comparisons(Expressions):
    """The layer that interprets comparisons."""

    def _on_Compare(self, e: ast.Compare, names: dict) -> Any:
        left, found = self.evaluate(e.left, names), True
        for op, right_e in zip(e.ops, e.comparators, strict=True):
            if found is False:
                return False  # Python stops here
            right = self._alone(right_e, names, isinstance(found, Node))
            one = self._comparison(op, left, right)
            if len(e.ops) == 1:
                return one
            found = self.graph.both(found, self.truth(one))
            left = right
        return found

    def _alone(self, e: ast.expr, names: dict, conditional: bool) -> Any:
        """Evaluate an expression, which must change nothing if it may be left out."""
        before = self.world.copy()
        value = self.evaluate(e, names)
        if conditional and not self.same_world(before):
            raise Unsupported("a chained comparison with a call that changes something", "split it")
        return value

    def _comparison(self, op: ast.cmpop, a: Any, b: Any) -> Any:
        if isinstance(op, ast.Is | ast.IsNot):
            same = self._is(a, b)
            return same if isinstance(op, ast.Is) else self.graph.negate(same)
        if isinstance(op, ast.In | ast.NotIn):
            inside = self.inside(a, b)
            return inside if isinstance(op, ast.In) else self.graph.negate(inside)
        return self.compared(SYMBOLS[type(op)], a, b)

    def _is(self, a: Any, b: Any) -> Any:
        if isinstance(a, Choice) or isinstance(b, Choice):
            return self.truth(self.spread(self._is, a, b))
        if isinstance(a, Table | Poison):
            a = self.settled(a)
        if isinstance(b, bool) and isinstance(a, Node) and a.dtype.kind == "b":
            if not isinstance(a.like, bool):
                raise Unsupported("`is` between one of NumPy's truths and Python's", "use ==")
            return a if b else self.graph.negate(a)
        if a is None or b is None:
            return a is None and b is None and not isinstance(a, UNKNOWN)
        if isinstance(a, UNKNOWN) or isinstance(b, UNKNOWN):
            if any(isinstance(v, bool | enum.Enum) for v in (a, b)) and self._is_number_node(a, b):
                return False
            raise Unsupported("`is` between unknown values", "use ==")
        if isinstance(a, Reference) and isinstance(b, Reference) and a is not b:
            raise Unsupported("`is` between two lists, dicts, sets or arrays", "use ==")
        return plain(a) is plain(b) or (isinstance(a, bool) and isinstance(b, bool) and a == b)

    def _is_number_node(self, a: Any, b: Any) -> bool:
        return any(isinstance(v, Node) and v.dtype.kind != "b" for v in (a, b))

    def compared(self, symbol: str, a: Any, b: Any) -> Any:
        """`a symbol b`."""
        own = self.overloaded(symbol, a, b)
        if own is not NotImplemented:
            return own
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Table) and isinstance(self.resolved(x), Table) and self.is_known(y):
                if symbol in ("==", "!="):
                    real, same = self.real(y), symbol == "=="
                    return self.table_map(x, lambda leaf, r=real, s=same: (leaf == r) is s)
        return self.spread(
            lambda x, y: self._compared(symbol, x, y), self.settled(a), self.settled(b)
        )

    def _compared(self, symbol: str, a: Any, b: Any) -> Any:
        a, b = self._unragged(a), self._unragged(b)
        if self._is_sequence(a) and self._is_sequence(b):
            return self._compared_sequences(symbol, a, b)
        if any(isinstance(v, Ragged) for v in (a, b)):
            return self._ragged_pairs(lambda x, y: self.compared(symbol, x, y), a, b)
        if self._is_sequence(a) or self._is_sequence(b):
            if any(isinstance(v, Node | np.ndarray) and np.ndim(example(v)) for v in (a, b)):
                a, b = self.number(a), self.number(b)
            elif symbol in ("==", "!="):
                return symbol == "!="
        if is_numeric(a) and is_numeric(b):
            return self.graph.compare(symbol, a, b)
        if isinstance(a, Text) or isinstance(b, Text):
            raise Unsupported("a decision that depends on an unknown text", "use numbers for texts")
        if any(isinstance(v, UNKNOWN) and not isinstance(v, Node) for v in (a, b)):
            raise Unsupported(f"{symbol} with a value of a kind that is not known here")
        if isinstance(a, Node) or isinstance(b, Node):
            other = b if isinstance(a, Node) else a
            if not isinstance(other, str | bytes | enum.Enum | tuple | frozenset | type(None)):
                raise Unsupported(f"{symbol} between a number and a {type(other).__name__}")
            if symbol in ("==", "!="):
                return symbol == "!="  # a number and something else
            raise Impossible(f"{symbol} between a number and something else")
        if not self.is_known(a) or not self.is_known(b):
            return self._compared_objects(symbol, a, b)
        try:
            return COMPARISONS[symbol](self.real(a), self.real(b))
        except TypeError as error:
            raise Impossible(str(error)) from error

    def _compared_objects(self, symbol: str, a: Any, b: Any) -> Any:
        """Compare objects whose attributes the program has set."""
        kind = type(a)
        if symbol in ("==", "!=") and dataclasses.is_dataclass(a) and kind is type(b):
            fields = [f.name for f in dataclasses.fields(kind) if f.compare]
            pairs = [tuple(self.attribute(v, name) for name in fields) for v in (a, b)]
            return self._compared_sequences(symbol, *pairs)
        raise Unsupported(f"{symbol} between a {kind.__name__} and a {type(b).__name__}")

    def _is_sequence(self, value: Any) -> bool:
        return isinstance(value, tuple) or self.is_list(value)

    def _compared_sequences(self, symbol: str, a: Any, b: Any) -> Any:
        if symbol in ("==", "!=") and isinstance(a, tuple) != isinstance(b, tuple):
            return symbol == "!="  # a tuple never equals a list
        items = [self.items(v) for v in (a, b)]
        if symbol not in ("==", "!="):
            if self.is_known(a) and self.is_known(b):
                return COMPARISONS[symbol](self.real(a), self.real(b))
            raise Unsupported(f"{symbol} between lists", "compare element by element")
        same = self._same_items(*items)
        return same if symbol == "==" else self.graph.negate(same)

    def _same_items(self, a: Any, b: Any) -> Any:
        if isinstance(a, Growing) and isinstance(b, Growing):
            raise Unsupported("== between two lists of unknown length")
        if isinstance(b, Growing):
            a, b = b, a
        if isinstance(a, Growing):
            if len(b) > a.capacity:
                return False
            found = self.graph.compare("==", a.count, len(b))
            a = tuple(self.growing_element(a, k) for k in range(len(b)))
        elif isinstance(a, Ragged) or isinstance(b, Ragged):
            raise Unsupported("== between lists of unknown length")
        else:
            found = len(a) == len(b)
        if found is False:
            return False
        for x, y in zip(a, b, strict=True):
            found = self.graph.both(found, self.truth(self.equal_whole(x, y)))
        return found

    def inside(self, value: Any, container: Any) -> Any:
        """`value in container`."""
        if isinstance(value, Choice):
            return self.truth(self.spread(lambda v: self.inside(v, container), value))
        if isinstance(value, Table) and self.is_known(container):
            real = self.real(container)
            if isinstance(self.resolved(value), Table):
                return self.table_map(value, lambda leaf: leaf in real)
        own = getattr(type(container), "__contains__", None)
        if self.is_ours(own):
            return self.truth(self.call_function(own, [container, value], {}))
        container, value = self.settled(container), self.settled(value)
        if self.is_known(container) and self.is_known(value):
            if isinstance(container, Iterator):
                raise Unsupported("`in` of an iterator", "use a list")
            try:
                return self.real(value) in self.real(container)
            except TypeError as error:
                raise Impossible(str(error)) from error
        if isinstance(container, str | Text) or isinstance(value, Text):
            raise Unsupported("a decision that depends on an unknown text", "use numbers for texts")
        kinds_ = (self.is_list, self.is_dict, self.is_set)
        held = Node | np.ndarray | tuple | frozenset | range | Choice
        if not isinstance(container, held) and not any(is_kind(container) for is_kind in kinds_):
            kind = type(container).__name__
            raise Unsupported(f"`in` of a {kind}", "compare with its bounds")
        if isinstance(container, Node | np.ndarray) and np.ndim(example(container)) > 1:
            raise Unsupported("`in` of an array of several dimensions", "use np.any and ==")
        if isinstance(container, range):
            container = tuple(container)
        items = self.items(container)
        if isinstance(items, Growing):
            return self._inside_growing(value, items)
        if isinstance(items, Ragged):
            raise Unsupported("in, of a list of unknown length")
        found: Any = False
        for item in items:
            found = self.graph.either(found, self.truth(self.equal_whole(value, item)))
        return found

    def equal_whole(self, a: Any, b: Any) -> Any:
        one = self.compared("==", a, b)
        if isinstance(one, Node) and one.shape:
            one = self.graph.call("jnp.all", (one,), np.bool_(True))
        return one

    def mask(self, contents: Growing) -> Node:
        """Return which places of a list count."""
        places = self.graph.constant(np.arange(contents.capacity), "PLACES")
        return self.graph.compare("<", places, contents.count)

    def _inside_growing(self, value: Any, contents: Growing) -> Any:
        return self.graph.call("jnp.any", (self.places_of(value, contents),), np.bool_(False))

    def places_of(self, value: Any, contents: Growing) -> Node:
        """Return which places of a list hold a value."""
        graph, held = self.graph, contents.places.shape[1:]
        found = self.number(value)
        if np.shape(example(found)) != held or (held and self._row_kind(value) != contents.rows):
            raise Unsupported("a search in a list of unknown length for a value of another kind")
        same = graph.compare("==", contents.places, found)
        if held:
            axes = tuple(range(1, len(same.shape)))
            same = graph.call("jnp.all", (same,), np.all(same.like, axis=axes), axis=axes)
        return graph.both(self.mask(contents), same)
