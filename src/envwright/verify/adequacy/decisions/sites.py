"""Find the decisions of a traced program.

| kind | a decision is | its outcomes |
|---|---|---|
| lt le gt ge eq ne | a comparison | false, true |
| and or xor not is_finite | a boolean operation | false, true |
| reduce_and reduce_or reduce_xor | `all`, `any` over booleans | false, true |
| call | a library function that answers yes or no (`isclose`, `bernoulli`) | false, true |
| select | a choice whose predicate is an integer, or no decision of its own | per case |
| branch | a `cond` or `switch`, likewise | per case |
| while | a loop whose number of turns varies | skipped, entered |
| max min clamp_low clamp_high | a bound ("saturation") | idle, biting |

An array of booleans counts each element. Left out are decisions that are not the user's own (see
`source`), those whose inputs do not depend on the program's inputs, and those that another
decision already answers: the `not`, reshape or `where` of a recorded predicate. Inside a branch
or a loop body an outer predicate is a new question, since only some of its outcomes get there.

The user's own `vmap` turns `cond` into a select over both branches, and freezes the finished lanes
of a `while`: decisions inside those count in every lane.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, jaxpr_as_fun, jaxprs_in_params

from envwright.verify.adequacy.decisions.source import Origin, origin
from envwright.verify.adequacy.decisions.walk import (
    CALLS,
    Plan,
    Question,
    body_inputs,
    depends,
    equation_depends,
    inner_jaxprs,
    varies,
)

COMPARISONS = {"lt", "le", "gt", "ge", "eq", "ne"}
BOOLEAN = {"and", "or", "xor", "not", "is_finite", "reduce_or", "reduce_and", "reduce_xor"}
# Equations that keep a predicate's answer, up to shape, type and sign.
_SAME_ANSWER = {"broadcast_in_dim", "convert_element_type", "copy", "not", "optimization_barrier"}
_SAME_ANSWER |= {"reshape", "squeeze", "transpose"}
# Functions of jax.numpy that are jitted, so that their equations show no user frame, but whose
# decisions the user asked for: these equations take the place of the call.
_TRANSPARENT = {"_where", "clip"}


@dataclass(frozen=True)
class Decision:
    """A yes-or-no question that a program answers, and where it stands in the source."""

    index: int
    kind: str
    file: str
    line: int
    column: int
    function: str
    expression: str  # source text, "" where it cannot be had
    outcomes: tuple[str, str] = ("false", "true")

    @property
    def source(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}"

    def __str__(self) -> str:
        return f"{self.source} `{self.expression or self.kind}`"


def find_decisions(
    traced: ClosedJaxpr, folders: tuple[str, ...] = (), saturation: bool = True
) -> tuple[Plan, list[Decision], list[str]]:
    """Return how to count the decisions of a program, and the decisions in the order of counts.

    The third result are the sources of decisions in places that cannot be counted (reductions,
    kernels).
    """
    finder = _Finder(folders, saturation)
    scope = _Scope(dict.fromkeys(traced.jaxpr.invars, True))
    return finder.plan(traced, scope), finder.decisions, finder.unvisited


class _Scope:
    """The facts known about the variables of one jaxpr."""

    def __init__(self, varying: dict[Any, bool], asked_for: Origin | None = None):
        self.varying = varying
        self.asked_for = asked_for  # the call that these equations stand for
        self.same: dict[Any, Any] = {}  # variable -> the predicate whose answer it repeats
        self.answered: set[Any] = set()  # predicates whose outcomes are recorded

    def varies(self, atom: Any) -> bool:
        return varies(atom, self.varying)

    def root(self, atom: Any) -> Any:
        return None if isinstance(atom, Literal) else self.same.get(atom, atom)

    def is_answered(self, atom: Any) -> bool:
        return self.root(atom) in self.answered

    def answer(self, atom: Any) -> None:
        if not isinstance(atom, Literal):
            self.answered.add(self.root(atom))

    def repeat(self, out: Any, atom: Any) -> None:
        root = self.root(atom)
        if root is not None and root.aval.dtype == np.bool_:
            self.same[out] = root


class _Finder:
    def __init__(self, folders: tuple[str, ...], saturation: bool):
        self.folders, self.saturation = folders, saturation
        self.decisions: list[Decision] = []
        self.unvisited: list[str] = []

    def plan(self, jaxpr: ClosedJaxpr, scope: _Scope) -> Plan:
        plan = Plan(jaxpr)
        for position, eqn in enumerate(jaxpr.jaxpr.eqns):
            ins = [scope.varies(atom) for atom in eqn.invars]
            scope.varying.update(zip(eqn.outvars, equation_depends(eqn, ins), strict=True))
            if eqn.primitive.name in _SAME_ANSWER:
                for out, atom in zip(eqn.outvars, eqn.invars, strict=False):
                    scope.repeat(out, atom)
            if not any(ins):
                continue
            where = origin(eqn) or scope.asked_for
            if where is not None and where.within(self.folders):
                questions = self.questions(eqn, where, scope)
            else:
                where, questions = None, []
            inner = self.inner_plans(eqn, ins, where, scope)
            if where is not None and eqn.primitive.name in CALLS:
                questions += self.call(eqn, where, scope)
            if questions:
                plan.questions[position] = questions
            if any(p.size for p in inner):
                plan.inner[position] = inner
        return plan

    def record(self, kind: str, where: Origin, outcomes: tuple[str, str] = ("false", "true")):
        text = where.expression()
        place = (where.file, where.line, where.column, where.function)
        self.decisions.append(Decision(len(self.decisions), kind, *place, text, outcomes))

    def questions(self, eqn: JaxprEqn, where: Origin, scope: _Scope) -> list[Question]:
        """Record the decisions that an equation makes itself."""
        name = eqn.primitive.name
        if name in COMPARISONS | BOOLEAN and where.own:
            return self.boolean(eqn, where, scope)
        if name in ("max", "min", "clamp") and where.own and self.saturation:
            return self.bound(eqn, where, scope)
        if name == "select_n" and (where.own or where.batched_choice):
            return self.choice("select", len(eqn.invars) - 1, eqn, where, scope)
        if name == "cond" and where.own_control_flow:
            return self.choice("branch", len(eqn.params["branches"]), eqn, where, scope)
        if name == "while" and where.own_control_flow:
            return self.loop(eqn, where, scope)
        return []

    def boolean(self, eqn: JaxprEqn, where: Origin, scope: _Scope) -> list[Question]:
        (out,) = eqn.outvars
        if _dtype(out) != np.bool_ or scope.is_answered(out):
            return []
        scope.answer(out)
        self.record(eqn.primitive.name, where)
        return [lambda ins, outs: outs[0]]

    def bound(self, eqn: JaxprEqn, where: Origin, scope: _Scope) -> list[Question]:
        kind = eqn.primitive.name
        if kind == "clamp":
            sides = [("clamp_low", 1, 0), ("clamp_high", 1, 2)]
        elif scope.varies(eqn.invars[0]) and where is not scope.asked_for:
            sides = [(kind, 0, 1)]  # of two varying operands the second is the bound ...
        else:
            sides = [(kind, 1, 0)]  # ... except inside jnp.clip
        questions = []
        for kind, value, limit in sides:
            if scope.varies(eqn.invars[value]) or scope.varies(eqn.invars[limit]):
                self.record(kind, where, ("idle", "biting"))
                beyond = operator.lt if kind in ("max", "clamp_low") else operator.gt
                questions.append(partial(_compare, beyond, value, limit))
        return questions

    def choice(
        self, kind: str, cases: int, eqn: JaxprEqn, where: Origin, scope: _Scope
    ) -> list[Question]:
        selector = eqn.invars[0]
        if not scope.varies(selector) or scope.is_answered(selector):
            return []
        scope.answer(selector)
        if cases == 2:
            is_bool = scope.root(selector).aval.dtype == np.bool_
            self.record(kind, where, ("false", "true") if is_bool else ("in case 0", "in case 1"))
            return [lambda ins, _: ins[0].astype(bool)]
        for case in range(cases):
            self.record(kind, where, (f"outside case {case}", f"in case {case}"))
        return [lambda ins, _, case=case: ins[0] == case for case in range(cases)]

    def loop(self, eqn: JaxprEqn, where: Origin, scope: _Scope) -> list[Question]:
        condition, constants = eqn.params["cond_jaxpr"], eqn.params["cond_nconsts"]
        before_carry = constants + eqn.params["body_nconsts"]

        def at_start(ins):
            return [*ins[:constants], *ins[before_carry:]]

        if not depends(condition, at_start([scope.varies(a) for a in eqn.invars]))[0]:
            return []
        self.record("while", where, ("skipped", "entered"))
        return [lambda ins, _: jaxpr_as_fun(condition)(*at_start(ins))[0]]

    def call(self, eqn: JaxprEqn, where: Origin, scope: _Scope) -> list[Question]:
        """Record a library function that answers yes or no, whatever it compares inside."""
        if not where.own_predicate or _has_user_code(inner_jaxprs(eqn)[0].jaxpr):
            return []
        questions = []
        for position, out in enumerate(eqn.outvars):
            if _dtype(out) == np.bool_ and scope.varies(out) and not scope.is_answered(out):
                scope.answer(out)
                self.record("call", where)
                questions.append(lambda _, outs, position=position: outs[position])
        return questions

    def inner_plans(
        self, eqn: JaxprEqn, ins: list[bool], where: Origin | None, scope: _Scope
    ) -> list[Plan]:
        name, inner = eqn.primitive.name, inner_jaxprs(eqn)
        if name in CALLS:
            return [self.call_plan(eqn, inner[0], ins, where, scope)]
        if name == "cond":
            varying = [ins[1:]] * len(inner)
        elif name in ("scan", "while"):
            varying = body_inputs(eqn, ins)
        else:
            self.look_into(eqn)
            varying = []
        plans = []
        for jaxpr, of_jaxpr in zip(inner, varying, strict=True):
            body = _Scope(dict(zip(jaxpr.jaxpr.invars, of_jaxpr, strict=True)))
            if name == "scan":
                constants = eqn.invars[: eqn.params["num_consts"]]
                pairs = zip(jaxpr.jaxpr.invars, constants, strict=False)
                body.answered = {var for var, atom in pairs if scope.is_answered(atom)}
            plans.append(self.plan(jaxpr, body))
        return plans

    def call_plan(
        self,
        eqn: JaxprEqn,
        jaxpr: ClosedJaxpr,
        ins: list[bool],
        where: Origin | None,
        scope: _Scope,
    ) -> Plan:
        """Plan a call, which shares its caller's predicates: answers on one side hold on both."""
        transparent = where is not None and where.own and eqn.params.get("name") in _TRANSPARENT
        callee = _Scope(
            dict(zip(jaxpr.jaxpr.invars, ins, strict=True)), where if transparent else None
        )
        passed = dict(zip(jaxpr.jaxpr.invars, eqn.invars, strict=True))
        callee.answered = {var for var, atom in passed.items() if scope.is_answered(atom)}
        plan = self.plan(jaxpr, callee)
        for var, atom in passed.items():
            if callee.is_answered(var):
                scope.answer(atom)
        for out, inside in zip(eqn.outvars, jaxpr.jaxpr.outvars, strict=True):
            root = callee.root(inside)
            if root in passed:
                scope.repeat(out, passed[root])
            elif root in callee.answered:
                scope.answer(out)
        return plan

    def look_into(self, eqn: JaxprEqn) -> None:
        """Name the user's decisions inside an equation that `run` evaluates as a whole."""
        for jaxpr in jaxprs_in_params(eqn.params):
            inside = _Finder(self.folders, self.saturation)
            inside.plan(ClosedJaxpr(jaxpr, ()), _Scope(dict.fromkeys(jaxpr.invars, True)))
            self.unvisited += [str(decision) for decision in inside.decisions]


def _compare(
    beyond: Callable, value: int, limit: int, ins: Sequence[Any], _: Sequence[Any]
) -> jax.Array:
    return beyond(ins[value], ins[limit])


def _has_user_code(jaxpr: Jaxpr) -> bool:
    return any(
        origin(eqn) is not None or any(map(_has_user_code, jaxprs_in_params(eqn.params)))
        for eqn in jaxpr.eqns
    )


def _dtype(variable: Any) -> Any:
    """Return the dtype of a variable of a jaxpr; abstract values in general have none."""
    return variable.aval.dtype
