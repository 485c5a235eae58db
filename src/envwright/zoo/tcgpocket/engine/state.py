"""The state of a batch of games: sides as the player whose turn it is sees them.

`me` is the player whose turn it is (while setting up: who places), `foe` the other. Sets of cards
are bits. A deck is read from its end: the top card stands at its count minus one, so that drawing
moves nothing. Facts of what is in play are kept beside it. Only an Active Pokemon has marks and
`frenzy`, since both end when it leaves the Active Spot.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, dataclass_transform

import jax

Kind = TypeVar("Kind")
NO_CARD = 31
NO_ENERGY = 8
ORDER_WORDS = 5  # four cards in a word


@dataclass_transform()
def tree(kind: type[Kind]) -> type[Kind]:
    """A dataclass of arrays that rules write on and JAX carries."""
    made = dataclass(kind)
    names = [f.name for f in fields(made)]  # type: ignore[arg-type]
    jax.tree_util.register_dataclass(made, data_fields=names, meta_fields=[])
    return made


@tree
class Side:
    """One player's cards and Pokemon; int32 with lanes last."""

    cards: Any  # [20, B], packed `tables.CARD`
    twins: Any  # [B], bits: has the same number as the card before
    hand: Any  # [B], bits
    deck: Any  # [B], bits
    discard: Any  # [B], bits
    revealed: Any  # [B], bits
    order: Any  # [5, B], the deck from bottom to top, four cards in a word
    card: Any  # [4, B], or NO_CARD
    facts: Any  # [3, 4, B], packed `tables.SLOT`, 0 where empty
    under: Any  # [4, B], bits
    tool: Any  # [4, B], or NO_CARD
    gear: Any  # [4, B], what the Tool does: last word of `tables.SLOT`
    damage: Any  # [4, B]
    energy: Any  # [8, 4, B]
    fresh: Any  # [4, B]
    evolved: Any  # [4, B]
    used: Any  # [4, B]
    marks: Any  # [8, B]
    frenzy: Any  # [B]
    points: Any  # [B]
    seen: Any  # [B]
    types: Any  # [B], bits
    zone: Any  # [B], energy in the Energy Zone, or NO_ENERGY
    coming: Any  # [B]
    spent: Any  # [8, B]
    poisoned: Any  # [B]
    burned: Any  # [B]
    mind: Any  # [B]
    barred: Any  # [B], turn in which Supporters are barred
    relay_turn: Any  # [B]
    relays: Any  # [B]


@tree
class State:
    """A batch of games."""

    me: Side
    foe: Side
    key: Any  # uint32[2, B]
    counter: Any  # uint32[B]
    turn: Any  # int32[B], as all that follows
    first: Any
    player: Any
    stage: Any
    winner: Any
    supporter: Any
    retreated: Any
    stadium_played: Any
    stadium_used: Any
    press: Any
    blaze: Any
    speed: Any
    attack_card: Any
    attack_index: Any
    ask: Any
    asked: Any  # 0: the player whose turn it is, 1: the other
    ask_card: Any  # or NO_CARD
    ask_count: Any
    ask_mask: Any
    stadium: Any  # card number, 0 for none
    stadium_fits: Any  # its name
    stadium_word: Any  # what it does: last word of `tables.SLOT`
    stadium_owner: Any  # 0 me, 1 foe; 0 without a Stadium
    stadium_card: Any  # or NO_CARD


SIDE_FIELDS = tuple(f.name for f in fields(Side))
SLOT_FIELDS = (
    "card", "facts", "under", "tool", "gear", "damage", "energy", "fresh", "evolved", "used",
)  # fmt: skip
STATE_FIELDS = tuple(f.name for f in fields(State))


def copied(s: State) -> State:
    """Return a copy that rules may write on."""
    return replace(s, me=replace(s.me), foe=replace(s.foe))
