"""The canonical form of a saved game: one little-endian record without padding.

Every engine saves to it and loads from it, mid-turn and mid-attack too. Unused places hold the
value beside the field, so that equal games have equal bytes.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

CARDS = 20  # cards of a player
SLOTS = 4  # the Active Spot and three on the Bench
NONE = 255


class Zone(IntEnum):
    """The place of a card; zones of slots are + slot."""

    DECK = 0
    HAND = 1
    DISCARD = 2
    POKEMON = 3  # + slot: the Pokemon itself, the top card
    UNDER = 7  # + slot: what it evolved from
    TOOL = 11  # + slot
    STADIUM = 15


class Mind(IntEnum):
    """Special Conditions that replace one another."""

    CLEAR = 0
    ASLEEP = 1
    PARALYSED = 2
    CONFUSED = 3


class Mark(IntEnum):
    """Marks of attacks on a Pokemon for one turn: the number of that turn is stored."""

    NO_ATTACK = 0
    NO_RETREAT = 1
    GROWL = 2  # its attacks do 20 less
    GUARD = 3  # it takes 20 less from attacks
    SHIELD = 4  # no damage from attacks
    IMMUNE = 5  # no damage from and no effects of attacks
    SPIKES = 6  # who damages it takes 30
    BOOST = 7  # the same attack does 20 more


MARK_AMOUNTS = {Mark.GROWL: 20, Mark.GUARD: 20, Mark.SPIKES: 30, Mark.BOOST: 20}
MARKS = len(Mark)

SLOT = np.dtype(
    [
        ("card", "u1"),  # own card (0-19); NONE and all else 0 where the slot is empty
        ("damage", "u1"),  # in tens
        ("energy", "u1", 8),  # by type
        ("tool", "u1"),  # own card, or NONE
        ("fresh", "u1"),  # 1: came into play or evolved in this turn
        ("evolved", "u1"),  # 1: evolved in this turn
        ("ability_used", "u1"),  # 1: in this turn
        ("marks", "u1", MARKS),  # turn in which each holds, 0 for none
        ("frenzy", "u1"),  # uses of the attack that grows while it stays Active
    ]
)
PLAYER = np.dtype(
    [
        ("cards", "<u2", CARDS),  # card numbers, ascending
        ("zone", "u1", CARDS),
        ("deck", "u1", CARDS),  # own cards from top to bottom, then NONE
        ("revealed", "u1", CARDS),  # 1: in hand and known to the other side
        ("slots", SLOT, SLOTS),
        ("points", "u1"),
        ("seen_top", "u1"),  # number of cards on top of the deck that the owner knows
        ("types", "u1"),  # bit t: energy of type t is declared
        ("energy", "u1"),  # what the Energy Zone holds, or NONE
        ("next_energy", "u1"),  # the next energy
        ("spent", "u1", 8),  # discarded energy by type
        ("poisoned", "u1"),
        ("burned", "u1"),
        ("mind", "u1"),  # Mind
        ("no_supporter", "u1"),  # turn in which Supporters are barred, or 0
        ("sweets_turn", "u1"),  # last turn with a `sweets_relay`, or 0
        ("sweets_count", "u1"),
    ]
)
STATE = np.dtype(
    [
        ("key", "<u4", 2),
        ("counter", "<u4"),  # draws made
        ("turn", "u1"),  # 0 while setting up
        ("first", "u1"),  # the player who began
        ("player", "u1"),  # whose turn it is; while setting up: who places
        ("stage", "u1"),  # Stage
        ("winner", "u1"),  # 0 none yet, 1 + player, 3 tie
        ("supporter", "u1"),  # 1: played in this turn
        ("retreated", "u1"),
        ("stadium_played", "u1"),
        ("stadium_used", "u1"),
        ("press", "u1"),  # +damage of this turn's attacks, in tens
        ("blaze", "u1"),  # the same for three names only
        ("speed", "u1"),  # discount of a retreat in this turn
        ("attack_card", "<u2"),  # card whose attack is being made, 0 outside Stage.ATTACK
        ("attack_index", "u1"),
        ("ask", "u1"),  # Ask
        ("asked", "u1"),  # who decides; 0 if nobody
        ("ask_card", "u1"),  # own card that is being played, or NONE
        ("ask_count", "u1"),  # see docs/tcgpocket-contract.md
        ("ask_mask", "u1"),
        ("stadium_owner", "u1"),  # NONE without a Stadium
        ("stadium_card", "u1"),  # the owner's card, or NONE
        ("players", PLAYER, 2),
    ]
)
SIZE = STATE.itemsize


def empty() -> np.ndarray:
    """Return a record with every place unused, for tests that build a game."""
    state = np.zeros((), STATE)
    state["ask_card"] = state["stadium_owner"] = state["stadium_card"] = NONE
    players = state["players"]
    players["deck"] = players["energy"] = NONE
    players["slots"]["card"] = players["slots"]["tool"] = NONE
    return state


def unpack(data: bytes) -> np.ndarray:
    """Return the record in some bytes; a copy that may be changed."""
    return np.frombuffer(data, STATE, 1)[0].copy().reshape(())
