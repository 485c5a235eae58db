"""Statements of the reference."""

from __future__ import annotations

import ast
import copy
import importlib
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.agents.compiler.interpreter.expressions import OPERATORS
from envwright.agents.compiler.interpreter.lists import Lists
from envwright.agents.compiler.interpreter.symbols import SYMBOLS
from envwright.agents.compiler.interpreter.world import DeadEnd, Exit, Flow
from envwright.agents.compiler.trouble import Impossible, Unsupported, standing_at
from envwright.agents.compiler.values import (
    Choice,
    Growing,
    Node,
    Poison,
    Ragged,
    Reference,
    Table,
    Text,
)

HARMLESS = ("errstate", "catch_warnings", "printoptions")  # context managers
ADVICE = "test for it with an if before"


class Statements(Lists):
    """The layer that executes statements."""

    def block(self, statements: list[ast.stmt], names: dict[str, Any]) -> Flow:
        """Execute statements and return every way in which they end."""
        flow: Flow = {}
        condition: Any = True
        for statement in statements:
            with standing_at(self.frame.source.place(statement)), self.under(condition):
                step = self.statement(statement, names)
            if step is None:
                continue
            following = self._collect(flow, step, condition)
            if following is None:
                return flow
            self._go_on(names, following)
            condition = self.graph.both(condition, following.condition)
        flow["next"] = Exit(condition, names, self.world)
        return flow

    def _go_on(self, names: dict[str, Any], following: Exit) -> None:
        """Continue from an exit."""
        known = dict(following.names)
        names.clear()
        names.update(known)
        self.world = following.world

    def _collect(self, flow: Flow, step: Flow, condition: Any) -> Exit | None:
        """Add the exits of `step` to `flow`, except its normal one, which it returns."""
        for kind, exit_ in step.items():
            if kind == "next":
                continue
            exit_ = self.reached(condition, exit_)
            flow[kind] = self.joined(flow[kind], exit_) if kind in flow else exit_
        return step.get("next")

    def reached(self, condition: Any, exit_: Exit) -> Exit:
        """Return an exit that also needs a condition."""
        return replace(exit_, condition=self.graph.both(condition, exit_.condition))

    def statement(self, s: ast.stmt, names: dict[str, Any]) -> Flow | None:
        """Execute a statement. Returns None if it simply continues."""
        self.frame.current = names
        kind = type(s).__name__
        method = getattr(self, f"_do_{kind}", None)
        if method is None:
            raise Unsupported(f"the statement {ast.unparse(s)[:60]!r} ({kind})")
        return method(s, names)

    # --- simple ones -----------------------------------------------------------------------------

    def _do_Pass(self, s: ast.stmt, names: dict) -> None: ...

    def _do_Assert(self, s: ast.stmt, names: dict) -> None:
        """Ignore assertions, which hold in every legal step."""

    def _do_Global(self, s: ast.stmt, names: dict) -> None:
        raise Unsupported("a global variable that is written to", "make it an attribute")

    _do_Nonlocal = _do_Global

    def _do_Import(self, s: ast.Import, names: dict) -> None:
        for alias in s.names:
            module = __import__(alias.name)
            names[alias.asname or alias.name.partition(".")[0]] = module

    def _do_ImportFrom(self, s: ast.ImportFrom, names: dict) -> None:
        try:
            module = importlib.import_module(s.module or "")
        except ImportError as error:
            raise Impossible(str(error)) from error
        for alias in s.names:
            names[alias.asname or alias.name] = getattr(module, alias.name)

    def _do_Raise(self, s: ast.Raise, names: dict) -> None:
        error = Impossible("it raises here")
        raised = s.exc.func if isinstance(s.exc, ast.Call) else s.exc
        if isinstance(raised, ast.Name):
            error.raised = self.evaluate(raised, names)
        raise error

    def _do_Return(self, s: ast.Return, names: dict) -> Flow:
        value = self.returned(s.value, names) if s.value is not None else None
        return {"return": Exit(True, names, self.world, value)}

    def returned(self, e: ast.expr, names: dict) -> Any:
        """Evaluate a return value, without the `info` of a step or a reset."""
        outermost = len(self.frames) == 1 and self.results
        if outermost and isinstance(e, ast.Tuple) and len(e.elts) == self.results:
            return (*(self.evaluate(x, names) for x in e.elts[:-1]), None)
        return self.evaluate(e, names)

    def _do_Break(self, s: ast.stmt, names: dict) -> Flow:
        return {"break": Exit(True, dict(names), self.world)}

    def _do_Continue(self, s: ast.stmt, names: dict) -> Flow:
        return {"continue": Exit(True, dict(names), self.world)}

    def _do_Expr(self, s: ast.Expr, names: dict) -> None:
        if isinstance(s.value, ast.Call) and self.is_silent(s.value, names):
            return
        if not isinstance(s.value, ast.Constant):
            self.evaluate(s.value, names)

    def _do_Delete(self, s: ast.Delete, names: dict) -> None:
        for target in s.targets:
            if isinstance(target, ast.Subscript):
                container = self.evaluate(target.value, names)
                self.remove_at(container, self.evaluate(target.slice, names))
            elif isinstance(target, ast.Name):
                names.pop(target.id, None)
            else:
                raise Unsupported("del of an attribute", "set it to None")

    def _do_FunctionDef(self, s: ast.FunctionDef, names: dict) -> None:
        if s.decorator_list:
            raise Unsupported("a decorator of a function within a function", "call it by hand")
        names[s.name] = self.closure(s, names)

    def _do_With(self, s: ast.With, names: dict) -> Flow:
        for item in s.items:
            call = item.context_expr
            name = ast.unparse(call.func).rpartition(".")[2] if isinstance(call, ast.Call) else ""
            if name not in HARMLESS or item.optional_vars is not None:
                raise Unsupported(
                    f"with {ast.unparse(call)[:60]}", "write what it does, or test with an if"
                )
        return self.block(s.body, names)

    def _do_Try(self, s: ast.Try, names: dict) -> Flow | None:
        flow = self._tried_body(s, names)
        for kind, exit_ in list(flow.items()) if s.finalbody else ():
            inside, self.world = dict(exit_.names), exit_.world
            after = self.block(s.finalbody, inside)
            if set(after) != {"next"} or after["next"].condition is not True:
                raise Unsupported("finally with return, break or continue", "put it behind the try")
            flow[kind] = replace(exit_, names=inside, world=after["next"].world)
        return flow

    def _tried_body(self, s: ast.Try, names: dict) -> Flow:
        """Execute a body, and its `else` or the handler of what it surely raises."""
        before, kept, assumed = self.world.copy(), dict(names), self.assumptions
        try:
            flow = self.block(s.body, names)
        except Impossible as error:
            if not s.handlers:
                raise
            handler = self._handler(s.handlers, error, names)
            unchanged = names.keys() == kept.keys() and all(names[k] is kept[k] for k in kept)
            if not self.same_world(before) or not unchanged or self.assumptions != assumed:
                raise Unsupported("an exception after something has changed", ADVICE) from error
            if handler.name:
                names[handler.name] = Text()
            return self.block(handler.body, names)
        if s.handlers and self.assumptions != assumed:
            raise Unsupported("an exception that depends on the game", ADVICE)
        if s.orelse and "next" in flow:
            ended = flow.pop("next")
            self._go_on(names, ended)
            rest = self._collect(flow, self.block(s.orelse, names), ended.condition)
            if rest is not None:
                flow["next"] = self.reached(ended.condition, rest)
        return flow

    def _handler(
        self, handlers: list[ast.ExceptHandler], error: Impossible, names: dict
    ) -> ast.ExceptHandler:
        """Return what handles an error."""
        raised = error.raised or (type(error.__cause__) if error.__cause__ else None)
        for handler in handlers:
            if handler.type is None:
                return handler
            kinds = self.real(self.evaluate(handler.type, names))
            if not isinstance(raised, type):
                raise Unsupported("an exception of a kind that is not known here", ADVICE)
            if issubclass(raised, kinds):
                return handler
        raise error

    # --- assignments -----------------------------------------------------------------------------

    def _do_Assign(self, s: ast.Assign, names: dict) -> None:
        value = self._value_of(s, names)
        for target in s.targets:
            self.assign(target, value, names)

    def _do_AnnAssign(self, s: ast.AnnAssign, names: dict) -> None:
        if s.value is not None:
            self.assign(s.target, self._value_of(s, names), names)

    def _value_of(self, s: Any, names: dict) -> Any:
        """Evaluate the right side. An unsupported value only fails if it is used."""
        before = self.world.copy()
        self.remark = self.frame.source.remarks.get(s.lineno, "")
        try:
            return self.evaluate(s.value, names)
        except Unsupported as error:
            if error.place is None:
                error.place = self.frame.source.place(s)
            if not self._untouched_since(before):
                raise
            self.world = before
            return Poison(error)

    def _untouched_since(self, before: Any) -> bool:
        """Return whether only new objects changed since then."""
        now = self.world
        return now.cursors == before.cursors and all(
            now.get(who) is before.get(who) for who in before.all()
        )

    def _do_AugAssign(self, s: ast.AugAssign, names: dict) -> None:
        self.remark = self.frame.source.remarks.get(s.lineno, "")
        target, names_ = self._evaluated_once(s.target, names)
        old = self.evaluate(target, names_)
        value = self.evaluate(s.value, names)
        symbol = SYMBOLS[type(s.op)]
        own = OPERATORS[symbol].replace("__", "__i", 1)
        if self._has_own(old, own):
            changed = self.call_function(getattr(type(old), own), [old, value], {})
            self._assign_again(target, changed, names, names_)
        elif getattr(old, "borrowed", False) and isinstance(target, ast.Subscript):
            self._assign_again(target, self.binary(symbol, old, value), names, names_)
        elif self.is_array(old):
            made = self.binary(symbol, old, value)
            dtype = self.contents(old).dtype
            made = self.graph.cast(made, dtype) if isinstance(made, Node) else made
            self._hint(made, s.target)
            self.put(old, self.settled(made))
        elif self.is_list(old) and symbol == "+":
            self.extend(old, value)
        elif isinstance(old, Reference | list | dict | set):
            made = self.contents(self.binary(symbol, old, value))
            self.put(old, frozenset(made) if self.is_set(old) else made)
        else:
            made = self.binary(symbol, old, value)
            self._assign_again(target, made, names, names_)

    def _evaluated_once(self, target: Any, names: dict) -> tuple[Any, dict]:
        """Return a target whose places are variables, so that they are evaluated only once."""
        target = copy.deepcopy(target)
        target.ctx = ast.Load()
        found, base = dict(names), target
        while isinstance(base, ast.Subscript | ast.Attribute):
            if isinstance(base, ast.Subscript) and not isinstance(base.slice, ast.Constant):
                name = f"place {len(found)}"
                found[name] = self.evaluate(base.slice, names)
                base.slice = ast.Name(name, ast.Load())
            base = base.value
        if not isinstance(base, ast.Name):
            before = self.world.copy()
            self.evaluate(base, names)
            if not self.same_world(before):
                raise Unsupported("changing a part of the result of a call that changes something")
        return target, found

    def _assign_again(self, target: Any, value: Any, names: dict, found: dict) -> None:
        if isinstance(target, ast.Name):
            self.assign(target, value, names)
        else:
            self.assign(target, value, found)

    def assign(self, target: ast.expr, value: Any, names: dict) -> None:
        """Assign a value to a name or a place."""
        if isinstance(target, ast.Name):
            self._hint(value, target)
            names[target.id] = self._owned(value, target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value, names)
        elif isinstance(target, ast.Attribute):
            owner = self.evaluate(target.value, names)
            if isinstance(owner, Choice | Node | Table):
                raise Unsupported("writing to an attribute of one of several objects")
            self._hint(value, target)
            self.set_attribute(owner, target.attr, self._owned(value, target.attr))
        elif isinstance(target, ast.Subscript):
            self._assign_element(target, value, names)
        elif isinstance(target, ast.Starred):
            raise Unsupported("* on the left side")
        else:
            raise Unsupported(f"an assignment to {ast.unparse(target)}")

    def _owned(self, value: Any, name: str) -> Any:
        """Give a named array an identity, so that it can be written to."""
        if isinstance(value, Node) and value.shape:
            made = self.new("array", value)
            made.label = name.strip("_")
            return made
        return value

    def _unpack(self, targets: list[ast.expr], value: Any, names: dict) -> None:
        if isinstance(value, Poison):
            for target in targets:
                self.assign(target, value, names)
            return
        if isinstance(value, Choice):
            each = range(len(targets))
            items = tuple(self.spread(lambda v, k=k: self.element(v, k), value) for k in each)
        else:
            items = self.items(value)
        if isinstance(items, Growing | Ragged):
            raise Unsupported("unpacking a list of unknown length")
        if len(items) != len(targets):
            raise Impossible("not enough values to unpack")
        for target, item in zip(targets, items, strict=True):
            self.assign(target, item, names)

    def _assign_element(self, target: ast.Subscript, value: Any, names: dict) -> None:
        chain = [self.evaluate(target.slice, names)]
        base: ast.expr = target.value
        while isinstance(base, ast.Subscript):
            chain.insert(0, self.settled(self.evaluate(base.slice, names)))
            base = base.value
        container = self.evaluate(base, names)
        while len(chain) > 1:
            contents = self.contents(container)
            if isinstance(contents, Growing) or isinstance(chain[0], Node):
                self.write(container, tuple(chain), value)
                return
            if isinstance(contents, Node | np.ndarray):
                flat = [p for k in chain for p in (k if isinstance(k, tuple) else (k,))]
                self.write(container, tuple(flat), value)
                return
            container = self.element(container, chain.pop(0))
        if isinstance(container, Table):
            raise Unsupported("writing to a table at an unknown place")
        self.write(container, chain[0], value)

    def _hint(self, value: Any, target: ast.expr) -> None:
        """Remember the source's name and comment for a value."""
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if isinstance(value, Reference) and not value.label:
            value.label = name.strip("_")
        if self.is_array(value):
            value = self.world.get(value)
        while isinstance(value, Node) and value.op == "same" and not value.args[0].hint:
            value = value.args[0]
        if isinstance(value, Node) and value.op not in ("input", "variable") and name != "_":
            if not value.hint:
                value.hint, value.comment = name.strip("_") or "value", self.remark
        self.remark = ""

    # --- branches --------------------------------------------------------------------------------

    def _do_If(self, s: ast.If, names: dict) -> Flow | None:
        test = self.truth(self.evaluate(s.test, names))
        if not isinstance(test, Node):
            return self.block(s.body if test else s.orelse, names)
        yes = self.arm(s.body, names, test)
        no = self.arm(s.orelse, names, self.graph.negate(test))
        return self.forked(test, yes, no)

    def arm(self, body: list[ast.stmt], names: dict, condition: Any) -> Flow:
        """Execute a branch in its own world. Returns an empty flow if it is impossible."""
        before = self.world
        self.world = before.copy()
        try:
            with self.under(condition):
                return self.block(body, dict(names))
        except Impossible as error:
            self.assumptions += 1
            return DeadEnd(error)
        finally:
            self.world = before

    def forked(self, test: Node, yes: Flow, no: Flow) -> Flow:
        """Merge two branches."""
        if not yes or not no:
            if not yes and not no:
                reasons = [flow.why.description for flow in (yes, no) if isinstance(flow, DeadEnd)]
                raise Impossible(f"neither branch can be: {'; '.join(reasons)}")
            return yes or no
        graph, flow = self.graph, {}
        for kind in [*yes, *(k for k in no if k not in yes)]:
            a, b = yes.get(kind), no.get(kind)
            if a is not None and b is not None:
                reached = graph.either(
                    graph.both(test, a.condition), graph.both(graph.negate(test), b.condition)
                )
                if a.condition is True and b.condition is True:
                    reached = True
                flow[kind] = self.merged_exits(test, a, b, reached)
            elif a is not None:
                flow[kind] = self.reached(test, a)
            elif b is not None:
                flow[kind] = self.reached(graph.negate(test), b)
        return flow
