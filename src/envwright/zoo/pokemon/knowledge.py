"""The information that each side has revealed.

Moves are known once they have cost PP, a Tera type once it is used, an ability when it announces
itself; that is in the state. This module keeps what the state forgets: who was seen, in which
order, and whose item was shown. Something shown and gone between two decisions may be missed;
nothing that was not shown is ever known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from envwright.core.arrays import Array
from envwright.zoo.pokemon.state import State
from envwright.zoo.pokemon.tables import load

TEAM = 6


class Known(NamedTuple):
    """The known facts, by place in the team as given (`uid`), not by party slot."""

    seen: Array  # int8[2, 6, B], 0 unseen, else the order in which they came: 1..6
    items: Array  # int8[2, 6, B], 1 where the item is known


def nothing(xp: Any, lanes: int) -> Known:
    """Return the knowledge before anyone came out."""
    return Known(xp.zeros((2, TEAM, lanes), np.int8), xp.zeros((2, TEAM, lanes), np.int8))


def look(xp: Any, known: Known, before: State, after: State) -> Known:
    """Return what is known after a decision."""
    places = np.arange(TEAM, dtype=np.int8)[None, :, None]
    active = after.uid[:, 0][:, None] == places
    newest = known.seen.max(axis=1, keepdims=True) + 1
    seen = xp.where(active & (known.seen == 0), newest, known.seen).astype(np.int8)
    changed = by_uid(xp, before, before.item) != by_uid(xp, after, after.item)
    return Known(seen, xp.where(changed, np.int8(1), known.items).astype(np.int8))


def by_uid(xp: Any, state: State, field: Array) -> Array:
    """Order a field of the party [2, 6, ..., B] by place in the team."""
    return _ordered(xp, state.uid, field)


def by_appearance(xp: Any, state: State, known: Known, field: Array) -> Array:
    """Order a field of the party as they were seen; unseen ones are zero."""
    seen = by_slot(xp, state, known.seen)
    return _ordered(xp, seen - 1, field)


def by_slot(xp: Any, state: State, field: Array) -> Array:
    """Order a field by place in the team [2, 6, B] by party slot."""
    places = np.arange(TEAM, dtype=state.uid.dtype)[None, None, :, None]
    here = state.uid[:, :, None] == places  # [2, slot, place, B]
    return _picked(xp, here, field[:, None])


def _ordered(xp: Any, where: Array, field: Array) -> Array:
    """Put `field[:, slot]` at row `where[:, slot]`; rows that are not taken are zero."""
    places = np.arange(TEAM, dtype=where.dtype)[None, :, None, None]
    here = where[:, None] == places  # [2, row, slot, B]
    middle = (1,) * (field.ndim - 3)
    here = here.reshape(*here.shape[:3], *middle, here.shape[-1])
    return _picked(xp, here, field[:, None])


def _picked(xp: Any, here: Array, field: Array) -> Array:
    """Return the entry of axis 2 that is `here`, or zero."""
    number = field.astype(np.int32) if field.dtype == np.bool_ else field
    return xp.where(here, number, 0).sum(axis=2)


def known_moves(xp: Any, state: State) -> Array:
    """Return moves that have cost PP, bool[2, 6, 4, B]."""
    most = xp.asarray(load().moves.pp)[state.moves]
    return (state.moves > 0) & (state.pp.astype(np.int32) < most)
