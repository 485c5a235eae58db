"""Decision coverage: whether every decision of a JAX program saw both outcomes.

Line coverage says little about branchless code, where both sides of a `where` always run. Here
each boolean decision of the traced program is counted instead::

    program = decision_program(step, state, action)
    counts = program.count(states, actions)  # leading axis: the batch
    for gap in uncovered(program, counts):
        print(gap)  # rules.py:31 `x < -limit` was never true

`sites` defines what a decision is, and whose.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.arrays import Array
from envwright.verify.adequacy.decisions.pieces import Run, in_pieces
from envwright.verify.adequacy.decisions.sites import Decision, find_decisions
from envwright.verify.adequacy.decisions.walk import Plan, follow, no_and_yes

__all__ = [
    "Decision",
    "DecisionProgram",
    "Gap",
    "by_source",
    "decision_program",
    "share",
    "uncovered",
]


@dataclass(frozen=True)
class Gap:
    """A decision with the outcomes that no input led to."""

    decision: Decision
    unseen: tuple[str, ...]  # a part of decision.outcomes

    def __str__(self) -> str:
        return f"{self.decision} was never {' nor '.join(self.unseen)}"


class DecisionProgram:
    """A traced function whose decisions can be counted over batches of inputs."""

    def __init__(
        self, decisions: list[Decision], unvisited: list[str], plan: Plan, example_args: Any
    ):
        self.decisions = decisions
        self.unvisited = unvisited  # the user's decisions in places where they cannot be counted
        self._structure = jax.tree.structure(example_args)
        self._avals = plan.jaxpr.in_avals
        self._x64 = jax.config.read("jax_enable_x64")
        self._answers = cache(partial(_answers, plan))  # by chunk size

    def count(self, *batched_args: Any, chunk: int = 1024) -> np.ndarray:
        """Count how often each decision had its (first, second) outcome: int64[n_decisions, 2].

        The arguments are those of the function with a leading batch axis on every array. An
        element-wise decision counts each element. Counts of several batches add up. `chunk`
        bounds how many inputs are in memory at a time.
        """
        leaves, total = self._check(batched_args)
        chunk = min(chunk, 1 << max(total - 1, 0).bit_length())  # few sizes to compile
        counts = np.zeros((len(self.decisions), 2), np.int64)
        with jax.enable_x64(self._x64):
            for start in range(0, total, chunk):
                rows = np.arange(start, start + chunk)
                lanes = [
                    _lanes(leaf, np.minimum(rows, total - 1), aval.dtype)
                    for leaf, aval in zip(leaves, self._avals, strict=True)
                ]
                real = min(chunk, total - start)
                for decision, answers in enumerate(self._answers(chunk)(lanes)):
                    counts[decision] += _total(np.asarray(answers)[:real])
        return counts

    def _check(self, batched_args: Any) -> tuple[list[Any], int]:
        leaves, structure = jax.tree.flatten(batched_args)
        if structure != self._structure:
            raise TypeError(
                f"count was given {structure}, but the program was traced with "
                f"{self._structure}; give the same arguments with a leading batch axis"
            )
        sizes = {np.shape(leaf)[:1] for leaf in leaves}
        shapes = [np.shape(leaf)[1:] for leaf in leaves]
        if len(sizes) != 1 or () in sizes or shapes != [aval.shape for aval in self._avals]:
            raise ValueError(
                f"count was given shapes {[np.shape(leaf) for leaf in leaves]}; each must be one "
                f"batch size followed by {[aval.shape for aval in self._avals]}"
            )
        ((total,),) = sizes
        return leaves, total


def decision_program(
    fn: Callable,
    *example_args: Any,
    files: str | os.PathLike | Sequence[str | os.PathLike] = (),
    saturation: bool = True,
) -> DecisionProgram:
    """Trace `fn` and find its decisions.

    `files`: count only decisions whose innermost frame outside JAX lies in these files or
    folders; by default everything outside JAX counts. `saturation`: also ask of `min`, `max`,
    `clip` and `clamp` whether their bound has bitten.
    """
    folders = [files] if isinstance(files, str | os.PathLike) else files
    traced = jax.make_jaxpr(fn)(*example_args)
    plan, decisions, unvisited = find_decisions(
        traced, tuple(os.path.abspath(f) for f in folders), saturation
    )
    return DecisionProgram(decisions, unvisited, plan, example_args)


def uncovered(program: DecisionProgram, counts: np.ndarray) -> list[Gap]:
    """Return the decisions that did not see both outcomes, with the missing ones."""
    return [
        Gap(decision, tuple(o for o, n in zip(decision.outcomes, seen, strict=True) if n == 0))
        for decision, seen in zip(program.decisions, counts, strict=True)
        if not all(seen)
    ]


def share(counts: np.ndarray) -> float:
    """Return the share of decisions that saw both outcomes; 1 if there are none."""
    return float(np.mean(np.all(counts > 0, axis=1))) if len(counts) else 1.0


def by_source(
    decisions: Sequence[Decision], counts: np.ndarray
) -> tuple[list[Decision], np.ndarray]:
    """Add up decisions that stand at the same place of the source, as a helper called twice does.

    Coarser than the program's own: a helper may owe its two outcomes to two callers.
    """
    groups: dict[Decision, np.ndarray] = {}
    for decision, seen in zip(decisions, counts, strict=True):
        place = replace(decision, index=0)
        groups[place] = groups.get(place, 0) + seen
    merged = [replace(place, index=i) for i, place in enumerate(groups)]
    return merged, np.array(list(groups.values()), np.int64).reshape(-1, 2)


def _answers(plan: Plan, chunk: int) -> Run:
    """Return the answers of each decision.

    They have a leading axis for the inputs of a chunk, and are booleans, or counts of no and yes
    where there are many booleans.
    """

    def of_input(*args):
        return [no_and_yes(one) if one.size > _MANY else one for one in follow(plan, args)[1]]

    lanes = [jax.ShapeDtypeStruct((chunk, *aval.shape), aval.dtype) for aval in plan.jaxpr.in_avals]
    return in_pieces(jax.make_jaxpr(jax.vmap(of_input))(*lanes))


_MANY = 64


def _total(answers: np.ndarray) -> np.ndarray:
    if answers.dtype != np.bool_:
        return np.asarray(np.sum(answers, axis=0, dtype=np.int64))
    yes = np.count_nonzero(answers)
    return np.array([answers.size - yes, yes])


def _lanes(leaf: Any, rows: np.ndarray, dtype: Any) -> Array:
    chosen = leaf[rows] if isinstance(leaf, jax.Array) else np.asarray(leaf)[rows]
    if jnp.issubdtype(chosen.dtype, jnp.inexact) and not jnp.issubdtype(dtype, jnp.inexact):
        raise TypeError(f"count was given {chosen.dtype} where the program was traced with {dtype}")
    return chosen if chosen.dtype == dtype else jnp.asarray(chosen, dtype)
