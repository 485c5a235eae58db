"""Operations on lanes that NumPy and JAX spell differently, and choices by slot.

Arrays have lanes (games of a batch) in the last axis; slots, where there are any, in the axis
before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import CARDS, SLOTS

EVERY_CARD = (1 << CARDS) - 1
SLOT = np.arange(SLOTS, dtype=np.int32)[:, None]
SPARSE = 16  # rare work is done for 1/SPARSE of a batch at a time
LEAST = 32  # but not for fewer lanes
FEW = 1024  # lanes that are not worth picking some of them
MOST_ROUNDS = 1000  # of a loop on NumPy; a game has at most 99 turns, in which nobody may choose


@dataclass
class Kit:
    """The tools of all rules: the array module, tables, settings, and hooks for verification."""

    xp: Any
    tables: Any  # Tables; None if no card is looked up
    settings: Settings
    log: Any = None  # chance.Log, or nothing is logged
    tape: Any = None  # uint32[T, B] that replaces results
    tape_start: Any = None  # uint32[B], the counter at which a tape begins

    @property
    def compiled(self) -> bool:
        """Whether this is JAX."""
        return self.xp is not np

    def rows(self, table: Any, index: Any) -> Any:
        """Return some rows of a table, [words, …]."""
        if self.compiled:
            return table.at[:, index].get(mode="promise_in_bounds")
        return np.take(table, index, axis=1)

    def popcount(self, bits: Any) -> Any:
        """Count the bits that are set."""
        return self.xp.bitwise_count(bits.astype(np.uint32)).astype(np.int32)

    def phase(self, when: Any, function: Callable, s: Any, *given: Any) -> Any:
        """Run `function(s, *given)`, which writes on `s` and returns arrays, if any lane needs it.

        Compiled, a phase is a program of its own: the compiler neither repeats its work for
        every array that depends on it, nor does it where `when` holds in no lane.
        """
        if not self.compiled:
            return function(s, *given)
        return _phase(self, when, function, s, given)

    def loop(self, goes_on: Callable, body: Callable, carry: Any) -> Any:
        """Run a while loop over a tuple."""
        if self.compiled:
            from jax import lax

            return lax.while_loop(goes_on, body, carry)
        for _ in range(MOST_ROUNDS):
            if not goes_on(carry):
                return carry
            carry = body(carry)
        raise RuntimeError(f"a loop of the rules has not ended after {MOST_ROUNDS} rounds")

    def sparse(self, when: Any, function: Callable, arrays: Any, into: Any) -> Any:
        """Run `function` on few lanes: its result where `when` holds, `into` elsewhere.

        `arrays` and `into` are tuples of [..., B]; the function gets and gives such tuples for
        some lanes only.
        """
        if not self.compiled:
            lanes = np.flatnonzero(when)
            results = [np.array(x) for x in into]
            if len(lanes):
                for whole, new in zip(
                    results, function(tuple(x[..., lanes] for x in arrays)), strict=True
                ):
                    whole[..., lanes] = new
            return tuple(results)
        return _sparse(self.xp, when, function, arrays, into)


def _phase(k: Kit, when: Any, function: Callable, s: Any, given: Any) -> Any:
    import jax

    def run(s: Any, log: Any) -> Any:
        outer, k.log = k.log, log
        s = jax.tree.map(lambda x: x, s)
        result = function(s, *given)
        after = jax.tree.leaves((s, k.log))
        k.log = outer
        return after, result

    before, tree = jax.tree.flatten((s, k.log))
    changed: list[int] = []

    def probe(*leaves: Any) -> Any:
        after, result = run(*jax.tree.unflatten(tree, leaves))
        changed.extend(i for i, (a, b) in enumerate(zip(leaves, after, strict=True)) if a is not b)
        return result

    shapes = jax.eval_shape(probe, *before)

    def once(carry: Any) -> Any:
        _, current, _ = carry
        leaves = list(before)
        for i, value in zip(changed, current, strict=True):
            leaves[i] = value
        after, result = run(*jax.tree.unflatten(tree, leaves))
        new = [after[i].astype(before[i].dtype) for i in changed]
        return k.xp.zeros((), bool), new, result

    # A loop of one round or none: unlike those of a branch, its arrays are not copied.
    nothing = jax.tree.map(lambda x: k.xp.zeros(x.shape, x.dtype), shapes)
    start = (when.any(), [before[i] for i in changed], nothing)
    _, new, result = jax.lax.while_loop(lambda carry: carry[0], once, start)
    for i, value in zip(changed, new, strict=True):
        before[i] = value
    following, k.log = jax.tree.unflatten(tree, before)
    for name, value in vars(following).items():
        setattr(s, name, value)
    return result


def running(k: Kit, array: Any) -> Any:
    """Return sums over the first axis up to each row."""
    rows = [array[0]]
    for row in range(1, array.shape[0]):
        rows.append(rows[-1] + array[row])
    return k.xp.stack(rows)


def _sparse(jnp: Any, when: Any, function: Callable, arrays: Any, into: Any) -> Any:
    from jax import lax

    lanes = when.shape[-1]
    if lanes <= FEW:
        pairs = zip(function(arrays), into, strict=True)
        return tuple(jnp.where(when, new.astype(old.dtype), old) for new, old in pairs)
    size = min(lanes, max(LEAST, lanes // SPARSE))

    def some(carry: Any) -> Any:
        pending, current = carry
        (which,) = jnp.nonzero(pending, size=size, fill_value=lanes)
        found = tuple(x.at[..., which].get(mode="clip") for x in arrays)
        current = tuple(
            whole.at[..., which].set(new.astype(whole.dtype), mode="drop")
            for whole, new in zip(current, function(found), strict=True)
        )
        return pending.at[which].set(False, mode="drop"), current

    _, result = lax.while_loop(lambda carry: jnp.any(carry[0]), some, (when, tuple(into)))
    return result


def whole(mask: Any) -> Any:
    """Return a mask as 0 and 1."""
    return mask.astype(np.int32)


def pick(k: Kit, array: Any, place: Any) -> Any:
    """Return `array[..., place, lane]` of [..., P, B] for place[B]; the last for places beyond."""
    last = array.shape[-2] - 1
    chosen = array[..., last, :]
    for other in reversed(range(last)):
        chosen = k.xp.where(place == other, array[..., other, :], chosen)
    return chosen


def put(k: Kit, array: Any, place: Any, value: Any, when: Any) -> Any:
    """Return `array` [..., P, B] with `value` at place[B], where `when` holds."""
    places = np.arange(array.shape[-2], dtype=np.int32)[:, None]
    value = value[..., None, :] if hasattr(value, "shape") and value.ndim else value
    return k.xp.where((places == place) & when, value, array)


def bit(k: Kit, card: Any) -> Any:
    """Return the bit of a card, 0 for none."""
    return k.xp.where(card < CARDS, 1 << (card & 31), 0).astype(np.int32)


def lowest(k: Kit, bits: Any) -> Any:
    """Return the place of the lowest bit that is set (32 for none)."""
    return k.popcount((bits & -bits) - 1)


def nth(k: Kit, bits: Any, n: Any) -> Any:
    """Return the place of the n-th bit that is set, n from 0."""
    left, place = bits, k.xp.zeros_like(bits)
    for half in (16, 8, 4, 2, 1):
        low = left & ((1 << half) - 1)
        count = k.popcount(low)
        up = n >= count
        n = k.xp.where(up, n - count, n)
        place = k.xp.where(up, place + half, place)
        left = k.xp.where(up, (left >> half) & 0x7FFFFFFF, low)
    return place


def any_of(array: Any) -> Any:
    """Return whether any row of bool[P, B] holds, by lanes; of bits, those that any row has."""
    found = array[0]
    for row in range(1, array.shape[0]):
        found = found | array[row]
    return found


def total(array: Any) -> Any:
    """Return the sum over the first axis, which is short."""
    result = array[0]
    for row in range(1, array.shape[0]):
        result = result + array[row]
    return result
