"""Count the episodes of lanes while they are played, in constant memory."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from envwright.core.pytree import pytree_dataclass


@pytree_dataclass
class Running:
    """The episodes in progress."""

    total: jax.Array  # float32[L], rewards so far
    length: jax.Array  # int32[L]
    discounted: jax.Array  # float32[L], rewards so far, older ones discounted

    @classmethod
    def none(cls, lanes: int) -> Running:
        """Return the state before the first step."""
        return cls(jnp.zeros(lanes), jnp.zeros(lanes, jnp.int32), jnp.zeros(lanes))


@pytree_dataclass
class Finished:
    """Sums over episodes that ended; the returns are those of the first player."""

    episodes: jax.Array  # int32[]
    total: jax.Array  # float32[]
    length: jax.Array  # float32[]

    @classmethod
    def none(cls) -> Finished:
        """Return the sums over no episode."""
        return cls(jnp.int32(0), jnp.float32(0), jnp.float32(0))

    def __add__(self, other: Finished) -> Finished:
        return jax.tree.map(jnp.add, self, other)


def count(
    running: Running, reward: Any, done: Any, gamma: float, players: int
) -> tuple[Running, Finished, jax.Array]:
    """Count a step; return running and finished episodes, and discounted returns `float32[L]`."""
    total = running.total + reward
    length = running.length + 1
    discounted = running.discounted * gamma + reward
    first = done & (jnp.arange(done.shape[0]) % players == 0)
    finished = Finished(
        jnp.sum(first, dtype=jnp.int32),
        jnp.sum(jnp.where(first, total, 0.0)),
        jnp.sum(jnp.where(first, length, 0), dtype=jnp.float32),
    )
    over = Running(*(jnp.where(done, 0, x) for x in (total, length, discounted)))
    return over, finished, discounted
