"""Comparisons of numbers and sequences, and membership tests."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from envwright.agents.compiler.graph import COMPARISONS
from envwright.agents.compiler.interpreter.expressions import Expressions
from envwright.agents.compiler.interpreter.symbols import SYMBOLS
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Node,
    Ragged,
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
            right = self.evaluate(right_e, names)
            one = self._comparison(op, left, right)
            if len(e.ops) == 1:
                return one
            found = self.graph.both(found, self.truth(one))
            left = right
        return found

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
        if isinstance(b, bool) and isinstance(a, Node) and a.dtype.kind == "b":
            return a if b else self.graph.negate(a)
        return plain(a) is plain(b) or (isinstance(a, bool) and a == b)

    def compared(self, symbol: str, a: Any, b: Any) -> Any:
        """`a symbol b`."""
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
            raise Unsupported("a decision that depends on an unknown text")
        if isinstance(a, Node) or isinstance(b, Node):
            if symbol in ("==", "!="):
                return symbol == "!="  # a number and something else
            raise Impossible(f"{symbol} between a number and something else")
        try:
            return COMPARISONS[symbol](self.real(a), self.real(b))
        except TypeError as error:
            raise Impossible(str(error)) from error

    def _is_sequence(self, value: Any) -> bool:
        return isinstance(value, tuple) or self.is_list(value)

    def _compared_sequences(self, symbol: str, a: Any, b: Any) -> Any:
        items = [self.items(v) for v in (a, b)]
        if symbol not in ("==", "!="):
            if self.is_known(a) and self.is_known(b):
                return COMPARISONS[symbol](self.real(a), self.real(b))
            raise Unsupported(f"{symbol} between lists")
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
            a = tuple(self.graph.index(a.places, (k,)) for k in range(len(b)))
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
        container, value = self.settled(container), self.settled(value)
        if self.is_known(container) and self.is_known(value):
            return self.real(value) in self.real(container)
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
        graph = self.graph
        value = self.number(value)
        same = graph.compare("==", contents.places, value)
        if len(same.shape) > 1:
            axes = tuple(range(1, len(same.shape)))
            same = graph.call("jnp.all", (same,), np.all(same.like, axis=axes), axis=axes)
        return graph.call("jnp.any", (graph.both(self.mask(contents), same),), np.bool_(False))
