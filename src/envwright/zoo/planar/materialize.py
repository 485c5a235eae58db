"""Keep XLA from repeating computations.

XLA's CPU compiler gives every array that it stores a loop of its own, and repeats in that loop
whatever the array depends on, back to others that are stored. Where many arrays depend on each
other, as in a chain of links, this multiplies the work. An optimisation barrier does not help, as
it is removed before. A choice helps whose outcome the compiler cannot foresee.
"""

from __future__ import annotations

from typing import TypeVar

import jax
import jax.numpy as jnp

Tree = TypeVar("Tree")


def materialize(tree: Tree, tick: jax.Array) -> Tree:
    """Return the same numbers, stored, so that they are computed only once.

    `tick` counts from 0 in a loop, the same for a whole batch; nothing else depends on it.
    """

    def stored(tree: Tree) -> Tree:
        return jax.lax.cond(tick >= 0, lambda t: t, _zeros, tree)

    return jax.lax.platform_dependent(tree, cpu=stored, default=lambda tree: tree)


def _zeros(tree: Tree) -> Tree:
    return jax.tree.map(jnp.zeros_like, tree)
