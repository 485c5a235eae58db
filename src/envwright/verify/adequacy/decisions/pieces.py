"""Compile a long jaxpr piece by piece.

XLA joins element-wise operations into one kernel per output, and each kernel works out again all
that leads to it. A program whose every decision is an output would take compile time with the
square of their number; cut in pieces, it takes time with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
from jax.extend.core import ClosedJaxpr, JaxprEqn, Literal, Var

from envwright.verify.adequacy.decisions.walk import evaluate

Run = Callable[[Sequence[Any]], list[Any]]


class _Piece(NamedTuple):
    run: Run  # compiled
    ins: list[Var]
    outs: list[Var]
    needed_later: list[Var]


def in_pieces(closed: ClosedJaxpr, size: int = 200) -> Run:
    """Return a function of the jaxpr's inputs that runs at most `size` equations at a time.

    It skips equations that no output needs.
    """
    jaxpr = closed.jaxpr
    pieces: list[_Piece] = []
    needed = list(_variables(jaxpr.outvars))
    for start in reversed(range(0, len(jaxpr.eqns), size)):
        kept = _that_serve(jaxpr.eqns[start : start + size], needed)
        made = {var for eqn in kept for var in eqn.outvars}
        ins = [v for v in _variables(a for eqn in kept for a in eqn.invars) if v not in made]
        outs = [var for var in needed if var in made]
        run = jax.jit(partial(_evaluate_all, kept, ins, outs))
        pieces.insert(0, _Piece(run, ins, outs, needed))
        needed = list(dict.fromkeys([*(var for var in needed if var not in made), *ins]))

    def run(args: Sequence[Any]) -> list[Any]:
        values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*closed.consts, *args], strict=True))
        for piece in pieces:
            outs = piece.run([values[var] for var in piece.ins])
            values.update(zip(piece.outs, outs, strict=True))
            values = {var: values[var] for var in piece.needed_later}
        return [a.val if isinstance(a, Literal) else values[a] for a in jaxpr.outvars]

    return run


def _that_serve(eqns: Sequence[JaxprEqn], needed: Sequence[Var]) -> list[JaxprEqn]:
    alive, kept = set(needed), []
    for eqn in reversed(eqns):
        if alive.intersection(eqn.outvars):
            kept.insert(0, eqn)
            alive.update(_variables(eqn.invars))
    return kept


def _variables(atoms: Iterable[Any]) -> dict[Var, None]:
    return dict.fromkeys(atom for atom in atoms if not isinstance(atom, Literal))


def _evaluate_all(
    eqns: list[JaxprEqn], ins: list[Var], outs: list[Var], args: Sequence[Any]
) -> list[Any]:
    values = dict(zip(ins, args, strict=True))
    for eqn in eqns:
        made = evaluate(eqn, [a.val if isinstance(a, Literal) else values[a] for a in eqn.invars])
        values.update(zip(eqn.outvars, made, strict=True))
    return [values[var] for var in outs]
