"""Run a jaxpr while asking questions about its equations.

A `Plan` lists for one jaxpr which questions to ask of which equation, and holds the plans of the
jaxprs inside it. `follow` evaluates a plan like the jaxpr itself, and returns beside the outputs
what each question was answered. Questions inside a branch count when it is taken, those inside a
loop count in every turn. `depends` finds the outputs that can vary at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal

# How an equation that merely calls a jaxpr names it among its parameters.
CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "custom_vmap_call": "call",  # counted lane by lane, whatever its rule for batches does
}

# Inputs and outputs of an equation -> bool array, one answer per element.
Question = Callable[[Sequence[Any], Sequence[Any]], jax.Array]


@dataclass
class Plan:
    """The questions to count in one jaxpr.

    They are numbered equation by equation, an equation's own before those of the jaxprs inside it.
    """

    jaxpr: ClosedJaxpr
    questions: dict[int, list[Question]] = field(default_factory=dict)  # by equation
    inner: dict[int, list[Plan]] = field(default_factory=dict)  # by equation

    @property
    def size(self) -> int:
        own = sum(map(len, self.questions.values()))
        return own + sum(plan.size for plans in self.inner.values() for plan in plans)


def inner_jaxprs(eqn: JaxprEqn) -> list[ClosedJaxpr]:
    """Return the jaxprs inside a call, `cond`, `while` or `scan` that `run` enters."""
    name, params = eqn.primitive.name, eqn.params
    if name in CALLS:
        return [_closed(params[CALLS[name]])]
    if name == "cond":
        return list(params["branches"])
    if name == "while":
        return [params["cond_jaxpr"], params["body_jaxpr"]]
    return [params["jaxpr"]] if name == "scan" else []


def follow(plan: Plan, args: Sequence[Any]) -> tuple[list[Any], list[jax.Array]]:
    """Return the outputs of the jaxpr, and the answers to each question.

    Answers are booleans of any shape, or inside of branches and loops uint32[2], how often it was
    answered no and yes.
    """
    jaxpr = plan.jaxpr.jaxpr
    values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*plan.jaxpr.consts, *args], strict=True))

    def read(atom):
        return atom.val if isinstance(atom, Literal) else values[atom]

    answers = []
    for position, eqn in enumerate(jaxpr.eqns):
        ins, inner = [read(atom) for atom in eqn.invars], plan.inner.get(position)
        if inner is None:
            outs, inside = evaluate(eqn, ins), []
        elif eqn.primitive.name in CALLS:
            outs, inside = follow(inner[0], ins)
        else:
            outs, inside = _RUNNERS[eqn.primitive.name](eqn, inner, ins)
        answers += [ask(ins, outs) for ask in plan.questions.get(position, ())] + inside
        values.update(zip(eqn.outvars, outs, strict=True))
    return [read(atom) for atom in jaxpr.outvars], answers


def evaluate(eqn: JaxprEqn, ins: Sequence[Any]) -> Sequence[Any]:
    """Return the outputs of an equation."""
    if eqn.primitive.name in CALLS and "jit" not in eqn.primitive.name:
        return follow(Plan(inner_jaxprs(eqn)[0]), ins)[0]  # their bind wants functions, not jaxprs
    outs = eqn.primitive.bind(*ins, **eqn.params)
    return outs if eqn.primitive.multiple_results else [outs]


def depends(jaxpr: ClosedJaxpr, varying: Sequence[bool]) -> list[bool]:
    """Return which outputs can vary when only the marked inputs do."""
    known = dict(zip(jaxpr.jaxpr.invars, varying, strict=True))
    for eqn in jaxpr.jaxpr.eqns:
        ins = [varies(atom, known) for atom in eqn.invars]
        known.update(zip(eqn.outvars, equation_depends(eqn, ins), strict=True))
    return [varies(atom, known) for atom in jaxpr.jaxpr.outvars]


def varies(atom: Any, known: dict[Any, bool]) -> bool:
    """Return whether it can vary; a literal or a constant of the closure cannot."""
    return not isinstance(atom, Literal) and known.get(atom, False)


def equation_depends(eqn: JaxprEqn, ins: Sequence[bool]) -> list[bool]:
    """Return which outputs of one equation can vary."""
    name, inner = eqn.primitive.name, inner_jaxprs(eqn)
    if not any(ins) or not inner:
        return [any(ins)] * len(eqn.outvars)
    if name in CALLS:
        return depends(inner[0], ins)
    if name == "cond":
        of_branches = [depends(branch, ins[1:]) for branch in inner]
        return [ins[0] or any(outs) for outs in zip(*of_branches, strict=True)]
    carry_and_rest = body_inputs(eqn, ins)
    if name == "while":
        return carry_and_rest[1][eqn.params["body_nconsts"] :]
    return depends(inner[0], carry_and_rest[0])


def body_inputs(eqn: JaxprEqn, ins: Sequence[bool]) -> list[list[bool]]:
    """Return for each jaxpr of a `while` or `scan` which of its inputs vary in some turn."""
    ins, params, inner = list(ins), eqn.params, inner_jaxprs(eqn)
    if eqn.primitive.name == "scan":
        first, last = params["num_consts"], params["num_consts"] + params["num_carry"]
        consts, carry, rest = ins[:first], ins[first:last], ins[last:]
        carry = _settle(carry, lambda c: depends(inner[0], consts + c + rest)[: len(c)])
        return [consts + carry + rest]
    first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    of_cond, of_body, carry = ins[:first], ins[first:last], ins[last:]

    def turn(c):  # how many turns there are may itself vary, and then all that they change does
        return [depends(inner[0], of_cond + c)[0] or out for out in depends(inner[1], of_body + c)]

    carry = _settle(carry, turn)
    return [of_cond + carry, of_body + carry]


def _settle(carry: list[bool], turn: Callable[[list[bool]], list[bool]]) -> list[bool]:
    while True:
        following = [old or new for old, new in zip(carry, turn(carry), strict=True)]
        if following == carry:
            return carry
        carry = following


def _closed(jaxpr: Jaxpr | ClosedJaxpr) -> ClosedJaxpr:
    return jaxpr if isinstance(jaxpr, ClosedJaxpr) else ClosedJaxpr(jaxpr, ())


# One array per question, not one for all: a concatenation of many would be compiled as a single
# kernel that works out every answer from scratch.
Counts = list[jax.Array]  # uint32[2] each


def _counted(plan: Plan, args: Sequence[Any]) -> tuple[list[Any], Counts]:
    outs, answers = follow(plan, args)
    return outs, [no_and_yes(one) if one.dtype == np.bool_ else one for one in answers]


def no_and_yes(answers: jax.Array) -> jax.Array:
    """Count the false and the true among some booleans: uint32[2]."""
    yes = jnp.sum(answers, dtype=jnp.uint32)
    return jnp.stack([np.uint32(answers.size) - yes, yes])


def _none(plan: Plan) -> Counts:
    return [jnp.zeros(2, jnp.uint32)] * plan.size


def _sum(a: Counts, b: Counts) -> Counts:
    return [x + y for x, y in zip(a, b, strict=True)]


def _run_cond(eqn: JaxprEqn, plans: list[Plan], ins: list[Any]) -> tuple[list[Any], Counts]:
    def branch(taken: int) -> Callable:
        def body(operands):
            outs, counts = _counted(plans[taken], operands)
            before = [zero for plan in plans[:taken] for zero in _none(plan)]
            after = [zero for plan in plans[taken + 1 :] for zero in _none(plan)]
            return outs, before + counts + after

        return body

    return lax.switch(ins[0], [branch(k) for k in range(len(plans))], ins[1:])


def _run_while(eqn: JaxprEqn, plans: list[Plan], ins: list[Any]) -> tuple[list[Any], Counts]:
    cond, body = plans
    first = eqn.params["cond_nconsts"]
    last = first + eqn.params["body_nconsts"]
    of_cond, of_body, start = ins[:first], ins[first:last], ins[last:]

    def check(carry):
        (again,), counts = _counted(cond, [*of_cond, *carry])
        return again, counts

    def turn(loop):
        again, carry, checked, done = loop
        following, counts = _counted(body, [*of_body, *carry])
        carry = [_where_leading(again, new, old) for new, old in zip(following, carry, strict=True)]
        again, more = check(carry)
        return again, carry, _sum(checked, more), _sum(done, counts)

    again, checked = check(start)
    loop = (again, start, checked, _none(body))
    _, carry, checked, done = lax.while_loop(lambda loop: jnp.any(loop[0]), turn, loop)
    return carry, checked + done


def _where_leading(again: jax.Array, new: jax.Array, old: jax.Array) -> jax.Array:
    """Choose by lane: under the user's vmap, a loop's finished lanes stay as they are."""
    if not jnp.ndim(again):
        return new
    return jnp.where(jnp.expand_dims(again, range(again.ndim, jnp.ndim(new))), new, old)


def _run_scan(eqn: JaxprEqn, plans: list[Plan], ins: list[Any]) -> tuple[list[Any], Counts]:
    (body,), params = plans, eqn.params
    first, last = params["num_consts"], params["num_consts"] + params["num_carry"]
    consts, start, rows = ins[:first], ins[first:last], ins[last:]

    def turn(loop, row):
        carry, counts = loop
        outs, more = _counted(body, [*consts, *carry, *row])
        return (outs[: len(carry)], _sum(counts, more)), outs[len(carry) :]

    (carry, counts), stacked = lax.scan(
        turn, (start, _none(body)), rows, length=params["length"], reverse=params["reverse"]
    )
    return [*carry, *stacked], counts


_RUNNERS = {"cond": _run_cond, "while": _run_while, "scan": _run_scan}
