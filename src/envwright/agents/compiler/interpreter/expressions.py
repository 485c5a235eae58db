"""Expressions of the reference."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.agents.compiler.graph import BINARY
from envwright.agents.compiler.interpreter.calls import Calls, Closure, Method
from envwright.agents.compiler.interpreter.merging import decided
from envwright.agents.compiler.interpreter.symbols import SYMBOLS
from envwright.agents.compiler.interpreter.world import MISSING
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    NamedFloat,
    NamedInt,
    Node,
    Poison,
    Ragged,
    Reference,
    Table,
    Text,
    example,
    is_number,
    is_numeric,
    named,
    plain,
)


class Expressions(Calls):
    """The layer that evaluates expressions."""

    def evaluate(self, e: ast.expr, names: dict[str, Any]) -> Any:
        """Evaluate an expression."""
        kind = type(e).__name__
        method = getattr(self, f"_on_{kind}", None)
        if method is None:
            raise Unsupported(f"the expression {ast.unparse(e)[:60]!r} ({kind})")
        return method(e, names)

    # --- atoms -----------------------------------------------------------------------------

    def _on_Constant(self, e: ast.Constant, names: dict) -> Any:
        return e.value

    def _on_Name(self, e: ast.Name, names: dict) -> Any:
        if e.id in names:
            return names[e.id]
        frame = self.frame
        for scope in (frame.closure, frame.scope, vars(builtins)):
            if e.id in scope:
                value = scope[e.id]
                return named(value, e.id) if scope is frame.scope else value
        raise Impossible(f"the name {e.id} is not defined here")

    def _on_Attribute(self, e: ast.Attribute, names: dict) -> Any:
        return self.attribute(self.evaluate(e.value, names), e.attr)

    def attribute(self, owner: Any, name: str) -> Any:
        """`owner.name`."""
        if isinstance(owner, Poison):
            raise owner.error
        if isinstance(owner, Choice):
            return self.spread(lambda v: self.attribute(v, name), owner)
        if isinstance(owner, Node | Reference | Table | Growing | list | dict | set | np.ndarray):
            return self._attribute_of_value(owner, name)
        if isinstance(owner, np.random.Generator):
            return Method(owner, name)
        if hasattr(owner, "inherited"):
            return owner.inherited(name)
        changed = self.world.attributes(owner)
        if isinstance(changed, dict) and name in changed:
            return changed[name]
        found = getattr(type(owner), name, None) if not isinstance(owner, type) else None
        if isinstance(found, property) and found.fget is not None and self.is_ours(found.fget):
            return self.call_function(found.fget, [owner], {})
        try:
            value = getattr(owner, name)
        except AttributeError as error:
            raise Impossible(str(error)) from error
        if owner is not self.subject:
            return value
        self.read.add(name)
        return named(value, name)

    def _attribute_of_value(self, owner: Any, name: str) -> Any:
        if isinstance(owner, Node) and name == "value" and owner.dtype.kind == "i":
            # Among numbers, only enum members have one; they are the number itself.
            return self.graph.renamed(owner, int(owner.like))
        array = self.settled(owner)
        if isinstance(array, Node | np.ndarray):
            if name in ("shape", "ndim", "size", "dtype", "itemsize"):
                return getattr(np.asarray(array.like if isinstance(array, Node) else array), name)
        if isinstance(array, Node | np.ndarray) and name in ("T", "flat"):
            function = np.transpose if name == "T" else np.ravel
            if isinstance(array, np.ndarray):
                return function(array)
            return self.graph.call(f"jnp.{function.__name__}", (array,), function(array.like))
        return Method(owner, name)

    # --- operators ---------------------------------------------------------------------------

    def spread(self, function: Callable[..., Any], *args: Any) -> Any:
        """Apply a function to both values of every choice and merge the results."""
        for place, value in enumerate(args):
            if isinstance(value, Choice):
                found, reasons = [], []
                for one in (value.yes, value.no):
                    given = [*args[:place], one, *args[place + 1 :]]
                    given = [decided(value.condition, g, one is value.yes) for g in given]
                    try:
                        found.append(self.spread(function, *given))
                    except Impossible as error:
                        found.append(MISSING)
                        reasons.append(error.description)
                if found[0] is MISSING and found[1] is MISSING:
                    raise Impossible(f"neither of two values can be used so: {'; '.join(reasons)}")
                return self.merge(value.condition, *found)
        return function(*args)

    def binary(self, symbol: str, a: Any, b: Any) -> Any:
        """`a symbol b` of any values."""
        return self.spread(
            lambda x, y: self._binary(symbol, x, y), self.settled(a), self.settled(b)
        )

    def _unragged(self, value: Any) -> Any:
        """Return a partial array as `Ragged`, and a table of tuples as one tuple."""
        if isinstance(value, Table):
            items = self.items(value)
            return items if isinstance(items, tuple) else self.new_list(items)
        contents = self.contents(value) if self.is_list(value) else value
        return contents if isinstance(contents, Ragged) else value

    def _binary(self, symbol: str, a: Any, b: Any) -> Any:
        a, b = self._unragged(a), self._unragged(b)
        for x, y in ((a, b), (b, a)):
            if self.is_list(x) or isinstance(x, tuple):
                if isinstance(y, Node | np.ndarray) and np.ndim(example(y)):
                    return self._binary(symbol, self.number(a), self.number(b))
                return self._of_sequences(symbol, a, b)
        if any(isinstance(v, Ragged) for v in (a, b)):
            return self._ragged_pairs(lambda x, y: self.binary(symbol, x, y), a, b)
        if isinstance(a, str | bytes | Text) or isinstance(b, str | bytes | Text):
            return Text() if symbol in "+%" else self._known_only(symbol, a, b)
        if a is None or b is None:
            raise Impossible("arithmetic with None")
        if is_numeric(a) and is_numeric(b):
            try:
                return self.graph.binary(symbol, a, b)
            except (TypeError, ZeroDivisionError, ValueError) as error:
                raise Impossible(str(error)) from error
        return self._known_only(symbol, a, b)

    def _known_only(self, symbol: str, a: Any, b: Any) -> Any:
        if self.is_known(a) and self.is_known(b):
            try:
                return BINARY[symbol](self.real(a), self.real(b))
            except Exception as error:
                raise Impossible(str(error)) from error
        raise Unsupported(f"{symbol} between {type(a).__name__} and {type(b).__name__}")

    def _of_sequences(self, symbol: str, a: Any, b: Any) -> Any:
        """Concatenate and repeat lists and tuples."""
        if symbol == "+":
            parts = [self.items(v) for v in (a, b)]
            if any(isinstance(p, Growing) for p in parts):
                return self._joined_lists(*parts)
            made = (*parts[0], *parts[1])
        elif symbol == "*":
            many, times = (a, b) if not is_number(a) else (b, a)
            if not is_number(times):
                raise Unsupported("a list repeated an unknown number of times")
            made = self.items(many) * int(times)
        elif symbol == "-" and all(isinstance(v, Reference | set) for v in (a, b)):
            return self._known_only(symbol, a, b)
        else:
            raise Impossible(f"{symbol} of lists")
        return made if isinstance(a, tuple) or isinstance(b, tuple) else self.new_list(made)

    def _joined_lists(self, a: Any, b: Any) -> Any:
        if isinstance(b, Growing):
            raise Unsupported("a list of unknown length behind another list")
        made = self.new_list(a)
        for item in b:
            self.append(made, item)
        return made

    def _ragged_pairs(self, function: Callable, a: Any, b: Any) -> Any:
        which = a if isinstance(a, Ragged) else b
        columns = [v.items if isinstance(v, Ragged) else (v,) * len(which.items) for v in (a, b)]
        made = [function(x, y) for x, y in zip(*columns, strict=True)]
        return self.new_list(Ragged(tuple(made), which.count))

    def _on_BinOp(self, e: ast.BinOp, names: dict) -> Any:
        left, right = self.evaluate(e.left, names), self.evaluate(e.right, names)
        return self.binary(SYMBOLS[type(e.op)], left, right)

    def _on_UnaryOp(self, e: ast.UnaryOp, names: dict) -> Any:
        value = self.settled(self.evaluate(e.operand, names))
        if isinstance(e.op, ast.Not):
            return self.graph.negate(self.truth(value))
        symbol = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}[type(e.op)]
        if isinstance(value, NamedFloat | NamedInt) and symbol == "-":
            label = value.label
            return named(-plain(value), label[1:] if label.startswith("-") else f"-{label}")
        return self.spread(lambda v: self.graph.unary(symbol, self.number(v)), value)

    def truth(self, value: Any) -> Any:
        """`bool(value)`: a node, or a known truth value."""
        value = self.settled(value)
        if isinstance(value, Choice):
            return self.number(self.spread(self.truth, value))
        if isinstance(value, Node):
            if value.shape and np.prod(value.shape) > 1:
                raise Impossible("the truth of an array")
            if value.shape:
                value = self.graph.index(value, (0,) * len(value.shape))
            return self.graph.truth(value)
        if isinstance(value, Text):
            raise Unsupported("a decision that depends on an unknown text")
        if isinstance(value, Table):
            return self.truth(self.resolved(value))
        if self.is_list(value) or self.is_dict(value):
            return self.graph.truth(self.length(value))
        return bool(value)

    def _on_BoolOp(self, e: ast.BoolOp, names: dict) -> Any:
        is_and = isinstance(e.op, ast.And)
        value = self.evaluate(e.values[0], names)
        for rest in e.values[1:]:
            test = self.truth(value)
            if isinstance(test, Node):
                value = self._unknown_bool_op(is_and, value, test, rest, names)
            elif test != is_and:
                return value
            else:
                value = self.evaluate(rest, names)
        return value

    def _unknown_bool_op(self, is_and: bool, value: Any, test: Node, rest: Any, names: dict) -> Any:
        """Compute both sides. A second side that draws or writes becomes a branch."""
        before = self.world
        self.world = before.copy()
        condition = test if is_and else self.graph.negate(test)
        try:
            with self.under(condition):
                other = self.evaluate(rest, names)
        except Impossible:
            self.world = before
            return value
        after = self.world
        self.world = self.merged_worlds(condition, after, before)
        if self._is_truth(value) and self._is_truth(other):
            truths = self.truth(value), self.truth(other)
            return self.graph.both(*truths) if is_and else self.graph.either(*truths)
        return self.merge(test, other, value) if is_and else self.merge(test, value, other)

    def _is_truth(self, value: Any) -> bool:
        value = self.settled(value)
        if isinstance(value, Node):
            return value.dtype.kind == "b" and not value.shape
        return isinstance(value, bool | np.bool_)

    # --- larger expressions ----------------------------------------------------------------------

    def _on_IfExp(self, e: ast.IfExp, names: dict) -> Any:
        test = self.truth(self.evaluate(e.test, names))
        if not isinstance(test, Node):
            return self.evaluate(e.body if test else e.orelse, names)
        before, found, worlds = self.world, [], []
        for arm, condition in ((e.body, test), (e.orelse, self.graph.negate(test))):
            self.world = before.copy()
            try:
                with self.under(condition):
                    found.append(self.evaluate(arm, names))
            except Impossible:
                found.append(MISSING)
            worlds.append(self.world)
        self.world = self.merged_worlds(test, *worlds)
        yes, no = found
        return self._merge(test, yes, no, (*worlds, self.world), "")

    def _on_Tuple(self, e: ast.Tuple, names: dict) -> Any:
        return tuple(self.elements(e.elts, names))

    def _on_List(self, e: ast.List, names: dict) -> Any:
        return self.new_list(self.elements(e.elts, names))

    def _on_Set(self, e: ast.Set, names: dict) -> Any:
        items = self.elements(e.elts, names)
        if not all(map(self.is_known, items)):
            raise Unsupported("a set of unknown values", "use a list or an array of truths")
        return frozenset(self.real(item) for item in items)

    def _on_Dict(self, e: ast.Dict, names: dict) -> Any:
        made: dict[Any, Any] = {}
        for key_e, value_e in zip(e.keys, e.values, strict=True):
            value = self.evaluate(value_e, names)
            if key_e is None:
                made |= self.contents(value)
                continue
            key = self.evaluate(key_e, names)
            if not self.is_known(key):
                raise Unsupported("a dict with an unknown key")
            made[self.real(key)] = value
        return self.new("dict", made)

    def _on_Subscript(self, e: ast.Subscript, names: dict) -> Any:
        value = self.evaluate(e.value, names)
        key = self.evaluate(e.slice, names)
        label = e.value.attr if isinstance(e.value, ast.Attribute) else getattr(e.value, "id", "")
        return self.element(value, key, label.strip("_"))

    def _on_Slice(self, e: ast.Slice, names: dict) -> Any:
        parts = [self.evaluate(p, names) if p else None for p in (e.lower, e.upper, e.step)]
        return slice(*(plain(self.settled(p)) for p in parts))

    def _on_JoinedStr(self, e: ast.JoinedStr, names: dict) -> Any:
        texts = []
        for part in e.values:
            if isinstance(part, ast.FormattedValue):
                try:
                    value = self.evaluate(part.value, names)
                except Unsupported:
                    return Text()
                if not self.is_known(value) or part.format_spec or isinstance(value, Text):
                    return Text()
                texts.append(str(self.real(value)))
            else:
                texts.append(str(getattr(part, "value", "")))
        return "".join(texts)

    def _on_ListComp(self, e: ast.ListComp, names: dict) -> Any:
        return self.new_list(self._comprehension(e.generators, e.elt, dict(names)))

    _on_GeneratorExp = _on_ListComp

    def _on_SetComp(self, e: ast.SetComp, names: dict) -> Any:
        found = self._comprehension(e.generators, e.elt, dict(names))
        if not all(map(self.is_known, found)):
            raise Unsupported("a set of unknown values")
        return {self.real(f) for f in found}

    def _on_DictComp(self, e: ast.DictComp, names: dict) -> Any:
        pair = ast.Tuple([e.key, e.value], ast.Load())
        found = self._comprehension(e.generators, pair, dict(names))
        return self.new("dict", {self.real(key): value for key, value in found})

    def _comprehension(self, generators: list, element: ast.expr, names: dict) -> Any:
        first, rest = generators[0], generators[1:]
        items = self.items_or_ragged(self.evaluate(first.iter, names))
        many = items.items if isinstance(items, Ragged) else items
        found: list[Any] = []
        for item in many:
            self.assign(first.target, item, names)
            tests = [self.truth(self.evaluate(test, names)) for test in first.ifs]
            if any(isinstance(t, Node) for t in tests):
                return self._filtered(generators, element, names, many)
            if all(tests):
                if rest:
                    found += self._comprehension(rest, element, names)
                else:
                    found.append(self.evaluate(element, names))
        return Ragged(tuple(found), items.count) if isinstance(items, Ragged) else found

    def _filtered(self, generators: list, element: ast.expr, names: dict, many: tuple) -> Any:
        """Filter by unknown conditions into a list of unknown length."""
        if len(generators) > 1:
            raise Unsupported("a filter by an unknown condition in a nested comprehension")
        first, graph = generators[0], self.graph
        values, tests = [], []
        for item in many:
            self.assign(first.target, item, names)
            test: Any = True
            for one in first.ifs:
                test = graph.both(test, self.truth(self.evaluate(one, names)))
            tests.append(test)
            values.append(self.evaluate(element, names))
        mask = graph.array(tests)
        whole = graph.array([self.sequence_as_array(v) for v in values])
        like = np.argsort(~np.asarray(mask.like), kind="stable")
        front = graph.call("jnp.argsort", (graph.negate_array(mask),), like)
        count = graph.call("jnp.sum", (mask,), int(np.sum(mask.like)))
        return Growing(graph.index(whole, (front,)), count)

    def _on_Lambda(self, e: ast.Lambda, names: dict) -> Any:
        return Closure(e, names, self.frame)

    def _on_NamedExpr(self, e: ast.NamedExpr, names: dict) -> Any:
        value = self.evaluate(e.value, names)
        names[e.target.id] = value
        return value

    def _on_Starred(self, e: ast.Starred, names: dict) -> Any:
        raise Unsupported("* in this place")
