"""Rules that step whole batches, inside the protocol of single environments.

`over_lanes` makes of a function of a batch one of a single lane, which a `vmap` over lanes turns
into one call with all of them: nothing is lost to the usual protocol. A further `vmap` (over seeds
of training) makes one call of more lanes. Lanes are the last axis, or the first.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap

from envwright.errors import EnvwrightError


def lanes_last(tree: Any) -> Any:
    """Move the lanes of arrays [B, ...] to the end: [..., B]."""
    return jax.tree.map(lambda x: jnp.moveaxis(x, 0, -1), tree)


def lanes_first(tree: Any) -> Any:
    """Move the lanes of arrays [..., B] to the front: [B, ...]."""
    return jax.tree.map(lambda x: jnp.moveaxis(x, -1, 0), tree)


def over_lanes(batched: Any, axis: int = -1) -> Any:
    """Make a function of one lane from one of many (at `axis`, -1 or 0).

    The first argument is shared by all lanes, unless it is an array of its own lanes.
    """
    wide = _merging(batched, axis)

    @custom_vmap
    def one(shared: Any, *arguments: Any) -> Any:
        given = jax.tree.map(lambda x: jnp.expand_dims(x, axis), arguments)
        return jax.tree.map(lambda x: jnp.squeeze(x, axis), wide(shared, *given))

    @one.def_vmap
    def many(lanes: int, mapped: Any, shared: Any, *arguments: Any) -> Any:
        _check_shared(mapped[0], shared)
        given = jax.tree.map(
            lambda x, has: jnp.moveaxis(_each(x, has, lanes), 0, axis),
            arguments,
            tuple(mapped[1:]),
        )
        result = jax.tree.map(lambda x: jnp.moveaxis(x, axis, 0), wide(shared, *given))
        return result, jax.tree.map(lambda _: True, result)

    return one


def _merging(batched: Any, axis: int) -> Any:
    """Make `vmap` call a function of a batch with the lanes of all batches at once."""

    @custom_vmap
    def call(shared: Any, *arguments: Any) -> Any:
        return batched(shared, *arguments)

    @call.def_vmap
    def merged(count: int, mapped: Any, shared: Any, *arguments: Any) -> Any:
        _check_shared(mapped[0], shared)

        def flat(x: Any, has: bool) -> jax.Array:
            x = _each(x, has, count)
            if axis == 0:
                return x.reshape(-1, *x.shape[2:])
            x = jnp.moveaxis(x, 0, -2)
            return x.reshape(*x.shape[:-2], -1)

        def apart(x: jax.Array) -> jax.Array:
            if axis == 0:
                return x.reshape(count, -1, *x.shape[1:])
            return jnp.moveaxis(x.reshape(*x.shape[:-1], count, -1), -2, 0)

        result = call(shared, *jax.tree.map(flat, arguments, tuple(mapped[1:])))
        result = jax.tree.map(apart, result)
        return result, jax.tree.map(lambda _: True, result)

    return call


def _each(x: Any, has: bool, count: int) -> jax.Array:
    """Return `[count, ...]`, also for values that all lanes share."""
    return x if has else jnp.broadcast_to(x, (count, *jnp.shape(x)))


def _check_shared(mapped: Any, shared: Any) -> None:
    if any(jax.tree.leaves(mapped)) and not isinstance(shared, jax.Array):
        raise EnvwrightError(
            "the rules' tables are shared by all lanes of a batch; vmap over states and actions "
            "only"
        )
