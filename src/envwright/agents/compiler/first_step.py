"""Types that are state: a reference whose first step computes in other dtypes than later ones.

MountainCarContinuous leaves float64 after a reset and float32 after every step, so that the
same lines of its source round differently in the first step of an episode.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from envwright.agents.compiler import kinds
from envwright.agents.compiler.compile import Transition
from envwright.agents.compiler.facts import Facts
from envwright.agents.compiler.functions import functions_below, nodes_below

COMPUTED = ("binary", "unary", "call", "where")


def may_differ(facts: Facts) -> bool:
    """Whether a float of the state has one dtype after a reset and another after a step.

    The program tells the first step by the time, which it has where episodes are limited.
    """
    limited = facts.time_limit is not None
    return limited and any(_dtype(facts.begun[n]) != _dtype(v) for n, v in facts.examples.items())


def differs(first: Transition, later: Transition) -> bool:
    """Whether any operation is in another dtype, and not only what it is read from."""
    return _operations(first) != _operations(later)


def _dtype(value: Any) -> Any:
    """Of an array of floats, which keeps its own; a number becomes what it is put into."""
    dtype = getattr(value, "dtype", None)
    return dtype if dtype is not None and dtype.kind == "f" else None


def _operations(part: Transition) -> Counter:
    found: Counter = Counter()
    roots = [*part.fields.values(), part.reward, part.terminated]
    for body in (roots, *(function.results for function in functions_below(roots))):
        for node in nodes_below(body):
            if node.op in COMPUTED and node.dtype.kind == "f":
                found[node.op, node.attrs, kinds.word_of(node)] += 1
    return found
