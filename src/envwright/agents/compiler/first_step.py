"""References whose first step computes in other dtypes than later ones.

MountainCarContinuous leaves float64 after a reset and float32 after every step, so the same lines
of its source round differently in the first step of an episode.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from envwright.agents.compiler import kinds
from envwright.agents.compiler.compile import Transition
from envwright.agents.compiler.facts import Facts
from envwright.agents.compiler.functions import all_nodes_below

COMPUTED = ("binary", "unary", "call", "where")


def may_differ(facts: Facts) -> bool:
    """Return whether a float of the state has other dtypes after a reset than after a step.

    The program recognises the first step by the time, which it has if episodes are limited.
    """
    limited = facts.time_limit is not None
    return limited and any(_dtype(facts.begun[n]) != _dtype(v) for n, v in facts.examples.items())


def differs(first: Transition, later: Transition) -> bool:
    """Return whether any operation, not only what it reads, is in another dtype."""
    return _operations(first) != _operations(later)


def _dtype(value: Any) -> Any:
    """Return the dtype of a float array. Single numbers take the dtype of their destination."""
    dtype = getattr(value, "dtype", None)
    return dtype if dtype is not None and dtype.kind == "f" else None


def _operations(part: Transition) -> Counter:
    found: Counter = Counter()
    roots = [*part.fields.values(), part.reward, part.terminated]
    for node in all_nodes_below(roots):
        if node.op in COMPUTED and node.dtype.kind == "f":
            found[node.op, node.attrs, kinds.word_of(node)] += 1
    return found
