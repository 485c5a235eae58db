"""The costs of attacks and retreats [A2, R2]."""

from __future__ import annotations

from typing import Any

from envwright.zoo.tcgpocket.engine.kit import Kit, any_of, total
from envwright.zoo.tcgpocket.engine.packing import Fields
from envwright.zoo.tcgpocket.engine.rows import Op
from envwright.zoo.tcgpocket.engine.slots import Operation, facts
from envwright.zoo.tcgpocket.engine.state import State
from envwright.zoo.tcgpocket.engine.tables import ATTACK, SLOT


def attack_row(k: Kit, index: Any) -> Fields:
    """Return the row of an attack by its index."""
    return Fields(ATTACK, k.rows(k.tables.attack, index))


def current_index(k: Kit, s: State) -> Any:
    """Return the index of the attack that is being made."""
    words = k.rows(k.tables.slot, s.attack_card)
    first, second = SLOT.get(words, "attack0"), SLOT.get(words, "attack1")
    return k.xp.where(s.attack_index == 0, first, second)


def current_row(k: Kit, s: State) -> Fields:
    """Return the row of the attack that is being made."""
    return attack_row(k, current_index(k, s))


def cost_row(k: Kit, index: Any) -> Fields:
    """Return only the cost of an attack, by its index: the first word."""
    return Fields(ATTACK, k.rows(k.tables.attack[:1], index))


def typed_costs(k: Kit, row: Fields) -> Any:
    """Return the costs by type, int32[8, B]."""
    return k.xp.stack([getattr(row, f"cost{kind}") for kind in range(8)])


def covered(k: Kit, s: State, row: Fields) -> Any:
    """Return whether the Active Pokemon has the energy for an attack, bool[B]."""
    held = s.me.energy[:, 0]
    short = any_of(held < typed_costs(k, row))
    return ~short & (total(held) >= row.total)


def retreat_cost(k: Kit, s: State) -> Any:
    """Return energies that the Active Pokemon's retreat takes, int32[B]."""
    xp, of = k.xp, facts(s.me)
    stadium = Operation(s.stadium_word)
    plaza = (stadium.op == Op.PLAZA) & (of.type[0] == stadium.type)
    cost = of.retreat[0] - s.speed - xp.where(plaza, stadium.count, 0)
    floats = (of.op[0] == Op.FLOATING) & any_of(of.latias == 1)
    return xp.where(floats, 0, xp.maximum(cost, 0))
