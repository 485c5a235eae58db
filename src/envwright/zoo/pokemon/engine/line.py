"""The line of handlers at the end of a turn, and what the simulator's sort does to it.

First come those of the field, then of either side its conditions, status, volatile conditions,
ability, item, slot and terrain, conditions in the order in which they came (`State.since`). The
sort takes the next handler from wherever it stands and puts there what stood in its place, which
may so come behind its counterpart on the other side. Only then are handlers that tie shuffled: what
the number drawn means depends on who stood first.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.state import LASTING, Cond, Flag, Timer

Kind = Cond | Flag | Timer
ABSENT = 1 << 30
NOBODY = 1 << 20
BLOCK = 64  # lanes that are sorted at once in a compiled program
_ROW: dict[tuple[type, int], int] = {(type(kind), kind): row for row, kind in enumerate(LASTING)}
_AGES = 1 << 14  # more than there are ages


class Segment(IntEnum):
    """The segments of a side in the line, in order."""

    SIDE, STATUS, VOLATILE, ABILITY, ITEM, SLOT, TERRAIN = range(7)


class Handler(NamedTuple):
    """One handler of a side, or of the field."""

    place: str  # handlers of a place tie with each other where speeds are equal
    there: Array  # bool[B]
    part: Segment | None = None  # of the field: none
    age: Array | int = 0  # among those of its part


def there(s: Side, kind: Kind) -> Array:
    """Return whether a lasting condition is there."""
    if isinstance(kind, Flag):
        return has(s.flags, kind)
    return (s.timers if isinstance(kind, Timer) else s.conditions)[kind] > 0


def lasting(s: Side, place: str, kind: Kind) -> Handler:
    """Return the handler of a lasting condition."""
    part = Segment.SIDE if isinstance(kind, Cond) else Segment.VOLATILE
    return Handler(place, there(s, kind), part, 2 * s.since[_ROW[type(kind), kind]])


def note(c: Context, on: Array) -> None:
    """Update the ages of conditions that have come or gone since the last call.

    Conditions that a move brings at once are in the order of `LASTING`.
    """
    for s in (c.me, c.foe):
        present = c.xp.stack([there(s, kind) for kind in LASTING])
        new = present & (s.since == 0)
        number = s.since.max(0) + c.xp.cumsum(c.i(new), 0).astype(c.xp.int32)
        aged = c.where(present, c.where(new, number, s.since), 0)
        s.since = c.where(on, aged, s.since)


def exchanged(
    c: Context, on: Array, parts: Sequence[Sequence[Handler]], places: dict[str, int]
) -> Array:
    """Return a bit for each place (`places`, in order) where side 1's handler is first once sorted.

    `parts` are the handlers of the field and of both sides; a place counts if either side has one
    handler in it. Only the lanes `on` are computed.
    """
    keys, codes = [], []
    for number, handlers in enumerate(parts):
        for one in handlers:
            part = 0 if one.part is None else (number - 1) * len(Segment) + one.part + 1
            keys.append(c.where(one.there, c.zero + part * _AGES + one.age, ABSENT))
            codes.append(2 * list(places).index(one.place) + (number == 2))
    stacked, words = c.xp.stack(keys), np.array(codes, np.int32)
    bits = np.array(list(places.values()), np.int32)
    if c.xp is np:
        out = np.zeros(c.lanes, np.int32)
        out[on] = _turned_round(np, stacked[:, on], words, bits)
        return out
    return _in_blocks(c.xp, on, stacked, words, bits)


def _in_blocks(xp: Any, on: Any, keys: Any, codes: np.ndarray, bits: np.ndarray) -> Array:
    """Sort only the lanes that tie, which are few: they are gathered first."""
    from jax import lax

    def block(carried: tuple[Any, Any]) -> tuple[Array, Array]:
        left, out = carried
        (lanes,) = xp.nonzero(left, size=BLOCK, fill_value=left.size)
        some = keys.at[:, lanes].get(mode="fill", fill_value=ABSENT)
        found = _turned_round(xp, some, xp.asarray(codes), xp.asarray(bits))
        return left.at[lanes].set(False, mode="drop"), out.at[lanes].set(found, mode="drop")

    start = on, xp.zeros(on.shape, xp.int32)
    return lax.while_loop(lambda carried: carried[0].any(), block, start)[1]


def _turned_round(xp: Any, keys: Array, codes: Array, bits: Array) -> Array:
    """Return int32[B] from keys [N, B] of the line; a code is twice the place, plus the side."""
    order = xp.argsort(keys, axis=0, stable=True)
    line = xp.where(xp.take_along_axis(keys, order, 0) == ABSENT, NOBODY, codes[order])
    rows = xp.arange(len(codes))[:, None]

    def put_next(sorted_ones: Any, line: Array) -> Array:
        """Swap the first of those that come next with what stands there."""
        at = xp.argmin(xp.where(rows >= sorted_ones, line >> 1, NOBODY), axis=0)
        following = xp.take_along_axis(line, at[None], 0)
        line = xp.where(rows == at[None], line[sorted_ones][None], line)
        return xp.where(rows == sorted_ones, following, line)

    longest = (line != NOBODY).sum(0).max() if keys.shape[1] else 0
    if xp is np:
        for done in range(longest):
            line = put_next(done, line)
    else:
        from jax import lax

        line = lax.fori_loop(0, longest, put_next, line)
    ahead, behind = line[:-1], line[1:]
    turned = (ahead == behind + 1) & (behind & 1 == 0) & (behind != NOBODY)
    place = xp.minimum(behind >> 1, len(bits) - 1)
    return xp.where(turned, bits[place], 0).sum(0).astype(xp.int32)
