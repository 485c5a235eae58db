"""Read facts from a saved game, a record of `contract.state.STATE`, for pictures and checks."""

from __future__ import annotations

from typing import Any

from envwright.zoo.tcgpocket.cards import Card, by_number
from envwright.zoo.tcgpocket.contract.state import NONE


def card_in(record: Any, player: int, slot: int, field: str = "card") -> Card | None:
    """Return the Pokemon in a slot, or with `tool` its Tool."""
    side = record["players"][player]
    card = int(side["slots"][slot][field])
    return None if card == NONE else by_number(int(side["cards"][card]))


def stadium(record: Any) -> Card | None:
    """Return the Stadium in play."""
    owner, card = int(record["stadium_owner"]), int(record["stadium_card"])
    return None if owner == NONE else by_number(int(record["players"][owner]["cards"][card]))


def full_hp(record: Any, player: int, slot: int) -> int:
    """Return the HP of an unhurt Pokemon, with its Tool and the Stadium."""
    card = card_in(record, player, slot)
    assert card
    hp = card.hp
    tool, place = card_in(record, player, slot, "tool"), stadium(record)
    if tool and tool.effect.family == "cape":
        hp += tool.effect.arguments[0]
    if place and place.effect.family == "plains" and card.stage == 0:
        hp += place.effect.arguments[0]
    return hp
