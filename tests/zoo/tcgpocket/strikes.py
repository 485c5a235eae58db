"""One attack for every effect of the pool, and how tests make it."""

from __future__ import annotations

import pytest
from tests.zoo.tcgpocket.driver import Play, board, mon, side

from envwright.zoo.tcgpocket.cards import LETTERS, load

WALL = "A1 185"  # 160 HP, no Weakness, no ability


def _attacks():
    """One card and attack for every effect, by family."""
    found = {}
    for card in load().values():
        for index, attack in enumerate(card.attacks):
            key = (attack.effect.family, attack.effect.arguments)
            if attack.effect.family and key not in found:
                found[key] = (card, index)
    return found


ATTACKS = _attacks()
COVERED: set[str] = set()  # families that some test is about


def each(family):
    """Parametrises a test over all effects of a family."""
    keys = [key for key in ATTACKS if key[0] == family]
    assert keys, family
    COVERED.add(family)
    ids = [":".join(map(str, (family, *key[1]))) for key in keys]
    return pytest.mark.parametrize("effect", keys, ids=ids)


def cost_of(card, index):
    """The energy that an attack needs; Colorless as Fighting."""
    cost = card.attacks[index].cost
    return "".join(LETTERS[kind] * n for kind, n in enumerate(cost[:8])) + "F" * cost[8]


def attacker(effect, extra="", **details):
    """A Pokemon that can pay for the attack with an effect."""
    card, index = ATTACKS[effect]
    return mon(card.prints[0], energy=cost_of(card, index) + extra, **details)


def strike(engine, effect, *choices, mine=None, other=None, tape=(), **fields):
    """Makes the attack with an effect; answers questions with choices of slots."""
    _, index = ATTACKS[effect]
    mine = mine or side(attacker(effect))
    play = Play(engine, board(mine, other or side(WALL), **fields), tape)
    return play.attack(index, *choices)


def printed(effect):
    """The damage that stands on the card."""
    card, index = ATTACKS[effect]
    return card.attacks[index].damage
