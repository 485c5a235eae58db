"""Expressions of the reference."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from envwright.agents.compiler.graph import BINARY
from envwright.agents.compiler.interpreter.calls import Calls, Inner, Super
from envwright.agents.compiler.interpreter.containers import UNKNOWN, described
from envwright.agents.compiler.interpreter.merging import decided
from envwright.agents.compiler.interpreter.symbols import SYMBOLS
from envwright.agents.compiler.interpreter.world import MISSING
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Method,
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

NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
COMPARED = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
MIRRORED = {"==": "eq", "!=": "ne", "<": "gt", "<=": "ge", ">": "lt", ">=": "le"}
OPERATORS = {symbol: f"__{name}__" for symbol, name in {**NAMES, **COMPARED}.items()}
REFLECTED = {symbol: f"__r{name}__" for symbol, name in NAMES.items()}
REFLECTED |= {symbol: f"__{name}__" for symbol, name in MIRRORED.items()}
RAISING = ("/", "//", "%", "**")  # with some operands


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
                if scope is frame.scope:
                    self.note_lasting(value, f"the global variable {e.id}")
                    return named(value, e.id)
                return value
        if not any(_sets(node, e.id) for node in self._syntax()):
            raise Impossible(f"the name {e.id} is not defined here")
        raise Unsupported(
            f"the variable {e.id}, which is not set on every way here", "set it to any value before"
        )

    def _syntax(self) -> Iterator[ast.AST]:
        """Yield the syntax of the functions that are being interpreted."""
        return (node for frame in self.frames for node in ast.walk(frame.source.node))

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
            if owner is not getattr(self.subject, "np_random", None):
                raise Unsupported(
                    "a random generator that is not the environment's own",
                    "draw from self.np_random",
                )
            return Method(owner, name)
        if isinstance(owner, Super):
            found = owner.inherited(name)
            return self._got(found, owner.instance) if isinstance(found, property) else found
        if isinstance(owner, UNKNOWN):
            raise Unsupported(f"the attribute {name} of {described(owner)}")
        return self._attribute_of_object(owner, name)

    def _attribute_of_object(self, owner: Any, name: str) -> Any:
        changed = self.world.attributes(owner)
        if isinstance(changed, dict) and name in changed:
            if owner is self.subject and name in self.partly:
                self.read.add(name)
            return changed[name]
        kind = type(owner)
        found = inspect.getattr_static(kind, name, None)
        if isinstance(found, property) and found.fget is not None and self.is_ours(found.fget):
            return self._got(found, owner)
        self._refuse_hooks(owner, name, found)
        hook = getattr(kind, "__getattr__", None)
        if self.is_ours(hook) and found is None and name not in getattr(owner, "__dict__", {}):
            return self.call_function(hook, [owner, name], {})
        try:
            value = getattr(owner, name)
        except AttributeError as error:
            raise Impossible(str(error)) from error
        held = getattr(owner, "__dict__", {})
        if owner is not self.subject or name not in held:
            self.note_lasting(value, f"{getattr(owner, '__name__', kind.__name__)}.{name}")
        if owner is not self.subject:
            return value
        self.read.add(name)
        return named(value, name)

    def _got(self, made: property, owner: Any) -> Any:
        """Return the value of a property."""
        return self.call_function(made.fget, [owner], {})

    def _refuse_hooks(self, owner: Any, name: str, found: Any) -> None:
        """Reject attributes that Python computes in a way that is not interpreted."""
        if name in ("__dict__", "__slots__"):
            raise Unsupported(f"the attribute {name}", "name the attributes one by one")
        if self.is_ours(getattr(type(owner), "__getattribute__", None)):
            raise Unsupported(f"the class {type(owner).__name__}, which has a __getattribute__")
        if isinstance(found, functools.cached_property):
            raise Unsupported(f"the cached property {name}", "use @property")
        own = getattr(type(found), "__get__", None)
        if self.is_ours(own):
            raise Unsupported(f"the descriptor {name}", "use @property")

    def set_attribute(self, owner: Any, name: str, value: Any) -> None:
        """`owner.name = value`."""
        if isinstance(owner, (*UNKNOWN, Reference, np.ndarray, Super)):
            raise Unsupported("writing to an attribute of one of several objects")
        kind = owner if isinstance(owner, type) else type(owner)
        if self.is_ours(getattr(kind, "__setattr__", None)):
            raise Unsupported(f"{kind.__name__}, which has a __setattr__", "use @property")
        found = inspect.getattr_static(kind, name, None)
        if not isinstance(owner, type):
            if isinstance(found, property) and self.is_ours(found.fget):
                if found.fset is None:
                    raise Impossible(f"the property {name} has no setter")
                self.call_function(found.fset, [owner, value], {})
                return
            if self.is_ours(getattr(type(found), "__set__", None)):
                raise Unsupported(f"the descriptor {name}", "use @property")
        self.world.put(owner, {**self.world.attributes(owner), name: value})

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
                return self.view(function(array), owner)
            made = self.graph.call(f"jnp.{function.__name__}", (array,), function(array.like))
            return self.view(made, owner)
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
                        self.assumptions += 1
                        reasons.append(error.description)
                if found[0] is MISSING and found[1] is MISSING:
                    raise Impossible(f"neither of two values can be used so: {'; '.join(reasons)}")
                return self.merge(value.condition, *found)
        return function(*args)

    def binary(self, symbol: str, a: Any, b: Any) -> Any:
        """`a symbol b` of any values."""
        own = self.overloaded(symbol, a, b)
        if own is not NotImplemented:
            return own
        return self.spread(
            lambda x, y: self._binary(symbol, x, y), self.settled(a), self.settled(b)
        )

    def overloaded(self, symbol: str, a: Any, b: Any) -> Any:
        """Call an operator that a class of the reference defines, or return NotImplemented."""
        for owner, other, names in ((a, b, OPERATORS), (b, a, REFLECTED)):
            function = getattr(type(owner), names.get(symbol, ""), None)
            if self._is_written(function):
                found = self.call_function(function, [owner, other], {})
                if found is not NotImplemented:
                    return found
            if symbol == "!=" and self._has_own(owner, "__eq__"):
                return self.graph.negate(self.truth(self.overloaded("==", owner, other)))
        return NotImplemented

    def _has_own(self, owner: Any, name: str) -> bool:
        """Return whether an object's class defines a method in the reference's source."""
        return self._is_written(getattr(type(owner), name, None))

    def _is_written(self, function: Any) -> bool:
        """Return whether a function is the reference's own and not made by `dataclass`."""
        return self.is_ours(function) and function.__code__.co_filename != "<string>"

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
            self.assumptions += symbol in RAISING and isinstance(b, Node)
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
        else:
            raise Unsupported(f"{symbol} of lists")
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
        own = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}[symbol]
        if self._has_own(value, own):
            return self.call_function(getattr(type(value), own), [value], {})
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
        if self.is_list(value) or self.is_dict(value) or self.is_set(value):
            return self.graph.truth(self.length(value))
        if isinstance(value, UNKNOWN):
            raise Unsupported(f"the truth of {described(value)}", "compare it with something")
        for own in ("__bool__", "__len__"):
            if self._has_own(value, own):
                return self.truth(self.call_function(getattr(type(value), own), [value], {}))
        try:
            return bool(value)
        except ValueError as error:
            raise Impossible(str(error)) from error

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
        inside = Inner(names)
        try:
            with self.under(condition):
                other = self.evaluate(rest, inside)
        except Impossible:
            self.world = before
            self.assumptions += 1
            return value
        after = self.world
        self.world = self.merged_worlds(condition, after, before)
        for name, made in inside.items():
            if names.get(name, MISSING) is not made:
                names[name] = self._merge(
                    condition, made, names.get(name, MISSING), (after, before, self.world), name
                )
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
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(e)):
            raise Unsupported(":= in a conditional expression", "use an if")
        before, found, worlds = self.world, [], []
        for arm, condition in ((e.body, test), (e.orelse, self.graph.negate(test))):
            self.world = before.copy()
            try:
                with self.under(condition):
                    found.append(self.evaluate(arm, names))
            except Impossible:
                found.append(MISSING)
                self.assumptions += 1
            worlds.append(self.world)
        self.world = self.merged_worlds(test, *worlds)
        yes, no = found
        if yes is MISSING and no is MISSING:
            raise Impossible("neither value can be")
        return self._merge(test, yes, no, (*worlds, self.world), "")

    def _on_Tuple(self, e: ast.Tuple, names: dict) -> Any:
        return tuple(self.elements(e.elts, names))

    def _on_List(self, e: ast.List, names: dict) -> Any:
        return self.new_list(self.elements(e.elts, names))

    def _on_Set(self, e: ast.Set, names: dict) -> Any:
        items = self.elements(e.elts, names)
        if not all(map(self.is_known, items)):
            raise Unsupported("a set of unknown values", "use a list or an array of truths")
        return self.new("set", frozenset(self.real(item) for item in items))

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
                plainly = part.conversion == -1 and part.format_spec is None
                if not plainly or not self.is_known(value):
                    return Text()
                texts.append(str(self.real(value)))
            else:
                texts.append(str(getattr(part, "value", "")))
        return "".join(texts)

    def _on_ListComp(self, e: ast.ListComp, names: dict) -> Any:
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(e)):
            raise Unsupported(":= in a comprehension", "write a loop")
        return self.new_list(self._comprehension(e.generators, e.elt, Inner(names)))

    def _on_GeneratorExp(self, e: ast.GeneratorExp, names: dict) -> Any:
        before = self.world.copy()
        found = self._on_ListComp(e, names)  # type: ignore[arg-type]
        if not self.same_world(before):
            raise Unsupported(
                "a generator that draws or changes something, which may end early",
                "write a list, [... for ...], or a loop",
            )
        return found

    def _on_SetComp(self, e: ast.SetComp, names: dict) -> Any:
        found = self._comprehension(e.generators, e.elt, Inner(names))
        if isinstance(found, Growing | Ragged) or not all(map(self.is_known, found)):
            raise Unsupported("a set of unknown values", "use a list or an array of truths")
        return self.new("set", frozenset(self.real(f) for f in found))

    def _on_DictComp(self, e: ast.DictComp, names: dict) -> Any:
        pair = ast.Tuple([e.key, e.value], ast.Load())
        found = self._comprehension(e.generators, pair, Inner(names))
        if isinstance(found, Growing | Ragged):
            raise Unsupported("a dict of unknown length")
        return self.new("dict", {self.real(key): value for key, value in found})

    def _comprehension(self, generators: list, element: ast.expr, names: dict) -> Any:
        first, rest = generators[0], generators[1:]
        items = self.items_or_ragged(self.evaluate(first.iter, names))
        many = items.items if isinstance(items, Ragged) else items
        found: list[Any] = []
        if isinstance(names, Inner):
            names.bound |= {n.id for n in ast.walk(first.target) if isinstance(n, ast.Name)}
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
            try:
                values.append(self.evaluate(element, names))
            except Impossible as error:
                raise Unsupported("an element that may not exist, in a filter") from error
        mask = graph.array(tests)
        if not values:
            return []
        whole, rows = graph.array([self.sequence_as_array(v) for v in values]), ""
        if len(whole.shape) > 1:
            kinds_ = {self._row_kind(v) for v in values}
            rows = kinds_.pop() if len(kinds_) == 1 else "list"
        like = np.argsort(~np.asarray(mask.like), kind="stable")
        front = graph.call("jnp.argsort", (graph.negate_array(mask),), like)
        count = graph.call("jnp.sum", (mask,), int(np.sum(mask.like)))
        return Growing(graph.index(whole, (front,)), count, rows)

    def _on_Lambda(self, e: ast.Lambda, names: dict) -> Any:
        return self.closure(e, names)

    def _on_NamedExpr(self, e: ast.NamedExpr, names: dict) -> Any:
        value = self.evaluate(e.value, names)
        names[e.target.id] = value
        return value

    def _on_Starred(self, e: ast.Starred, names: dict) -> Any:
        raise Unsupported("* in this place")


def _sets(node: ast.AST, name: str) -> bool:
    """Return whether a part of a function sets a variable."""
    if isinstance(node, ast.alias):
        return (node.asname or node.name) == name
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
