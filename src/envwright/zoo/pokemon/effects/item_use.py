"""Use up, lose and take items."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, put
from envwright.zoo.pokemon.engine.ids import ABILITY
from envwright.zoo.pokemon.state import Flag, Mon, Turn


def spend(c: Context, on: Array, s: Side, eaten: bool = False) -> None:
    """Use up the item."""
    s.last_item = c.where(on, s.item, s.last_item)
    s.item = c.where(on, 0, s.item)
    s.turn_flags = put(c, on, s.turn_flags, Turn.USED_ITEM)
    if eaten:
        s.marks = put(c, on, s.marks, Mon.ATE_BERRY)
    s.flags = put(c, on & (s.ab == ABILITY.unburden), s.flags, Flag.UNBURDEN)


def removable(c: Context, s: Side, item: Array) -> Array:
    """Return whether an item could be taken from its holder (forme items cannot)."""
    kept = c.look(c.t.items.kept_by, item)
    own = (kept == -1) | ((kept > 0) & (kept == c.look(c.t.species.keeper, s.species)))
    return (item != 0) & ~own


def take(c: Context, on: Array, s: Side, by_other: bool = True) -> Array:
    """Take the item away (Knock Off, Trick ...); return the lanes in which it was taken."""
    on = on & removable(c, s, s.item)
    if by_other:
        on = on & ~((s.ab == ABILITY.stickyhold) & (s.hp > 0))
    s.item = c.where(on, 0, s.item)
    s.flags = put(c, on & (s.ab == ABILITY.unburden), s.flags, Flag.UNBURDEN)
    return on
