"""Pokemon in play: facts, HP, damage, energy, places [A8, D1, E1-E6, K2, R4, V4, X4]."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract.state import SLOTS
from envwright.zoo.tcgpocket.engine.kit import SLOT, Kit, any_of, bit, pick, put, total, whole
from envwright.zoo.tcgpocket.engine.packing import Fields
from envwright.zoo.tcgpocket.engine.rows import Op
from envwright.zoo.tcgpocket.engine.state import NO_CARD, SLOT_FIELDS, Side, State
from envwright.zoo.tcgpocket.engine.tables import SLOT as SLOT_PACKING

TYPE = np.arange(8, dtype=np.int32)[:, None]
_OP_WORD = SLOT_PACKING.places["op"][0]


def facts(side: Side) -> Fields:
    """Return facts of a side's slots, each [4, B]; 0 where a slot is empty."""
    return Fields(SLOT_PACKING, side.facts)


class Operation:
    """The operation in a last word of `tables.SLOT`: of a Tool or a Stadium."""

    def __init__(self, word: Any) -> None:
        words = {_OP_WORD: word}
        self.op = SLOT_PACKING.get(words, "op")
        self.type = SLOT_PACKING.get(words, "op_type")
        self.count = SLOT_PACKING.get(words, "op_count")


def operation_word(k: Kit, number: Any) -> Any:
    """Return the operation word of a Tool or Stadium, by card number."""
    return k.rows(k.tables.slot[_OP_WORD : _OP_WORD + 1], number)[0]


def there(side: Side) -> Any:
    """Return slots with a Pokemon, bool[4, B]."""
    return side.card != NO_CARD


def bench(side: Side) -> Any:
    """Return slots of the Bench with a Pokemon, bool[4, B]."""
    return there(side) & (SLOT > 0)


def hp(k: Kit, s: State, side: Side) -> Any:
    """Return HP in tens, with Tools and Stadium, int32[4, B]."""
    of, gear, stadium = facts(side), Operation(side.gear), Operation(s.stadium_word)
    cape = k.xp.where(gear.op == Op.CAPE, gear.count, 0)
    plains = k.xp.where((stadium.op == Op.PLAINS) & (of.stage == 0), stadium.count, 0)
    return k.xp.where(there(side), of.hp + cape + plains, 0)


def hurt(k: Kit, s: State, side: Side, amount: Any) -> None:
    """Deal damage [4, B], counted up to the HP."""
    limit = hp(k, s, side)
    side.damage = k.xp.where(amount > 0, k.xp.minimum(side.damage + amount, limit), side.damage)


def heal(k: Kit, s: State, side: Side, amount: Any) -> None:
    """Heal [4, B] from Pokemon that have HP left [A10]."""
    alive = side.damage < hp(k, s, side)
    side.damage = k.xp.where(alive, k.xp.maximum(side.damage - amount, 0), side.damage)


def energies(side: Side) -> Any:
    """Return how many energies each slot has, int32[4, B]."""
    return total(side.energy)


def add_energy(k: Kit, side: Side, slot: Any, kind: Any, count: Any) -> None:
    """Add energy of one type to one slot (or remove it)."""
    here = (TYPE[:, None] == kind) & (slot == SLOT)
    side.energy = side.energy + k.xp.where(here, count, 0)


def from_zone(k: Kit, s: State, when: Any, slot: Any, kind: Any, count: Any) -> None:
    """Attach energies of one type from the Energy Zone to an own Pokemon with HP [E6, A10]."""
    xp, me, of = k.xp, s.me, facts(s.me)
    alive = pick(k, there(me) & (me.damage < hp(k, s, me)), slot)
    count = xp.where(when & alive, count, 0)
    add_energy(k, me, slot, kind, count)
    op, fits = pick(k, of.op, slot), pick(k, of.op_type, slot) == kind
    each = pick(k, of.op_count, slot) * count
    aura = xp.where((op == Op.AURA) & fits, each, 0)
    plumage = xp.where((op == Op.PLUMAGE) & fits, each, 0)
    hurt(k, s, s.foe, xp.where(SLOT == 0, aura, 0))
    heal(k, s, me, xp.where(slot == SLOT, plumage, 0))


def spend(k: Kit, side: Side, slot: Any, kind: Any, count: Any) -> None:
    """Discard energies of one type from one slot; there must be as many."""
    add_energy(k, side, slot, kind, -count)
    side.spent = side.spent + k.xp.where(kind == TYPE, count, 0)


def spend_all(k: Kit, side: Side, slots: Any) -> None:
    """Discard all energy of some slots, bool[4, B]."""
    gone = k.xp.where(slots, side.energy, 0)
    side.energy = side.energy - gone
    side.spent = side.spent + total(k.xp.moveaxis(gone, 1, 0))


def calm(k: Kit, side: Side, when: Any) -> None:
    """Clear the Active Pokemon's conditions and marks of attacks [R4, V4, X4]."""
    for name in ("poisoned", "burned", "mind", "frenzy", "marks"):
        setattr(side, name, k.xp.where(when, 0, getattr(side, name)))


def switch(k: Kit, side: Side, slot: Any, when: Any) -> None:
    """Switch the Active Spot with a slot, or promote into an empty one."""
    xp = k.xp
    for name in SLOT_FIELDS:
        array = getattr(side, name)
        active, other = array[..., :1, :], pick(k, array, slot)[..., None, :]
        moved = xp.where(SLOT == 0, other, xp.where(slot == SLOT, active, array))
        setattr(side, name, xp.where(when, moved, array))
    calm(k, side, when)


def leave(k: Kit, side: Side, gone: Any) -> Any:
    """Empty slots, bool[4, B]: energy to the pool, Tools discarded [K2].

    Returns the bits of the Pokemon cards, top and under, which the caller moves.
    """
    xp = k.xp
    body = xp.where(gone, bit(k, side.card) | side.under, 0)
    tools = xp.where(gone, bit(k, side.tool), 0)
    side.discard = side.discard | any_of(tools)
    spend_all(k, side, gone)
    calm(k, side, gone[0])
    for name in ("under", "damage", "fresh", "evolved", "used", "gear", "facts"):
        setattr(side, name, xp.where(gone, 0, getattr(side, name)))
    side.card = xp.where(gone, NO_CARD, side.card)
    side.tool = xp.where(gone, NO_CARD, side.tool)
    return any_of(body)


def first_room(k: Kit, side: Side) -> Any:
    """Return the first empty place of the Bench, 4 if there is none [P6], int32[B]."""
    found = k.xp.zeros_like(side.card[0]) + SLOTS
    for slot in reversed(range(1, SLOTS)):
        found = k.xp.where(side.card[slot] == NO_CARD, slot, found)
    return found


def place(k: Kit, side: Side, when: Any, slot: Any, card: Any, words: Any, fresh: Any) -> None:
    """Bring a card into play in an empty slot; `words` are its facts [3, B]."""
    side.card = put(k, side.card, slot, card, when)
    side.facts = put(k, side.facts, slot, words, when)
    side.fresh = put(k, side.fresh, slot, whole(fresh), when)


def evolve(k: Kit, side: Side, when: Any, slot: Any, card: Any, words: Any) -> None:
    """Put a card on a Pokemon [V4]."""
    old = bit(k, pick(k, side.card, slot))
    side.under = side.under | k.xp.where((slot == SLOT) & when, old, 0)
    place(k, side, when, slot, card, words, k.xp.ones_like(slot) == 1)
    side.evolved = put(k, side.evolved, slot, 1, when)
    side.used = put(k, side.used, slot, 0, when)
    calm(k, side, when & (slot == 0))


def has_bench(side: Side) -> Any:
    """Return whether the Bench has a Pokemon, bool[B]."""
    return any_of(bench(side))
