"""Decision coverage: has every decision of a JAX program seen both outcomes?

Line coverage says little about branchless code, where both sides of a `where` always run. Here
each boolean decision of the traced program is counted instead::

    program = decision_program(step, state, action)
    counts = program.count(states, actions)  # leading axis: the batch
    for gap in uncovered(program, counts):
        print(gap)  # rules.py:31 `x < -limit` was never true

What a decision is, and whose, is told in `decision_sites`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.verify.decision_sites import Decision, find_decisions
from envwright.verify.jaxpr_walk import Plan, run

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
    """A decision with the outcomes that no input has led to."""

    decision: Decision
    unseen: tuple[str, ...]  # of decision.outcomes

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
        self._x64 = jax.config.jax_enable_x64
        self._count_chunk = jax.jit(partial(_count_chunk, plan))

    def count(self, *batched_args: Any, chunk: int = 1024) -> np.ndarray:
        """How often each decision had its (first, second) outcome: int64[n_decisions, 2].

        The arguments are those of the function with a leading batch axis on every array. An
        element-wise decision counts each element. Counts of several batches add up. `chunk`
        bounds how many inputs are in memory at a time.
        """
        leaves, total = self._check(batched_args)
        chunk = min(chunk, 1 << 16, 1 << max(total - 1, 0).bit_length())  # few sizes to compile
        counts = np.zeros((len(self.decisions), 2), np.int64)
        with jax.enable_x64(self._x64):
            for start in range(0, total, chunk):
                rows = np.arange(start, start + chunk)
                lanes = [
                    _lanes(leaf, np.minimum(rows, total - 1), aval.dtype)
                    for leaf, aval in zip(leaves, self._avals, strict=True)
                ]
                high, low = self._count_chunk(rows < total, lanes)
                counts += (np.asarray(high, np.int64) << 16) + np.asarray(low, np.int64)
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
    """The decisions that have not seen both outcomes, and which one is missing."""
    return [
        Gap(decision, tuple(o for o, n in zip(decision.outcomes, seen, strict=True) if n == 0))
        for decision, seen in zip(program.decisions, counts, strict=True)
        if not all(seen)
    ]


def share(counts: np.ndarray) -> float:
    """The share of decisions that saw both outcomes; 1 if there are none."""
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


def _count_chunk(plan: Plan, real: jax.Array, lanes: Sequence[Any]) -> tuple[jax.Array, jax.Array]:
    """Counts of the real lanes in two halves of 16 bits, so that no sum overflows 32."""
    counts = jax.vmap(lambda *args: run(plan, args)[1])(*lanes)
    counts = jnp.where(real[:, None, None], counts, 0)
    return jnp.sum(counts >> 16, axis=0), jnp.sum(counts & 0xFFFF, axis=0)


def _lanes(leaf: Any, rows: np.ndarray, dtype: Any) -> jax.Array:
    chosen = leaf[rows] if isinstance(leaf, jax.Array) else np.asarray(leaf)[rows]
    if jnp.issubdtype(chosen.dtype, jnp.inexact) and not jnp.issubdtype(dtype, jnp.inexact):
        raise TypeError(f"count was given {chosen.dtype} where the program was traced with {dtype}")
    return chosen if chosen.dtype == dtype else jnp.asarray(chosen, dtype)
