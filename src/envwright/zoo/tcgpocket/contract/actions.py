"""Action ids: 105 of them, padded to 128.

Slots are 0 for the Active Spot and 1 to 3 for the Bench. `CHOOSE_SLOT` has the chooser's four slots
first, then the other side's four.
"""

from __future__ import annotations

from enum import IntEnum

PASS = 0
PLAY = 1  # + own card (0-19)
ATTACH = 21  # + own slot
RETREAT = 25  # + bench slot - 1
ABILITY = 28  # + own slot
ATTACK = 32  # + attack of the Active Pokemon
STADIUM = 36
DISCARD_FOSSIL = 37  # + own slot
CHOOSE_SLOT = 41  # + slot (0-3 own, 4-7 the other side's)
CHOOSE_OWN_CARD = 49  # + own card; no card of this pool asks
CHOOSE_FOE_CARD = 69  # + the other side's card; no card of this pool asks
CHOOSE_ENERGY = 89  # + type
CHOOSE_MODE = 97  # + mode; no card of this pool asks
CHOOSE_ATTACK = 101  # + attack of the Pokemon that is copied
ACTIONS = 105
PADDED = 128

_NAMES = {
    PASS: "pass",
    PLAY: "play card",
    ATTACH: "attach to slot",
    RETREAT: "retreat for bench",
    ABILITY: "ability of slot",
    ATTACK: "attack",
    STADIUM: "use stadium",
    DISCARD_FOSSIL: "discard fossil in slot",
    CHOOSE_SLOT: "choose slot",
    CHOOSE_OWN_CARD: "choose own card",
    CHOOSE_FOE_CARD: "choose foe card",
    CHOOSE_ENERGY: "choose energy",
    CHOOSE_MODE: "choose mode",
    CHOOSE_ATTACK: "copy attack",
}
_SINGLE = (PASS, STADIUM)


def name(action: int) -> str:
    """Describe an action for people."""
    if not 0 <= action < ACTIONS:
        return f"padding {action}"
    first = max(start for start in _NAMES if start <= action)
    return _NAMES[first] if first in _SINGLE else f"{_NAMES[first]} {action - first}"


class Ask(IntEnum):
    """The question to a player. There is one decision at a time, so they do not stack."""

    NOTHING = 0
    SETUP_ACTIVE = 1  # PLAY a Basic into the Active Spot
    SETUP_BENCH = 2  # PLAY a Basic onto the Bench, or PASS
    MAIN = 3  # the free part of a turn
    EVOLVE = 4  # CHOOSE_SLOT for the evolution card that is being played
    TOOL = 5  # CHOOSE_SLOT for the Tool that is being played
    TRAINER = 6  # CHOOSE_SLOT for the trainer card that is being played
    PAY = 7  # CHOOSE_ENERGY to discard for a retreat
    PROMOTE = 8  # CHOOSE_SLOT of the Bench for the empty Active Spot
    SWITCH_OUT = 9  # CHOOSE_SLOT of the Bench: the other side drives the Active Pokemon off
    DRAG = 10  # CHOOSE_SLOT of the other side's Bench to drag to its Active Spot
    TELEPORT = 11  # CHOOSE_SLOT of the Bench to switch with the attacker
    HIT = 12  # CHOOSE_SLOT that the attack hits as well
    SHURIKEN = 13  # CHOOSE_SLOT that an ability hits
    ENERGISE = 14  # CHOOSE_SLOT of the Bench that an attack attaches energy to
    RIPPLES = 15  # CHOOSE_SLOT that an ability heals, or PASS
    COPY_POKEMON = 16  # CHOOSE_SLOT whose attack is copied
    COPY_ATTACK = 17  # CHOOSE_ATTACK


class Stage(IntEnum):
    """The stage of a game: what continues once no player is asked."""

    SETUP = 0
    MAIN = 1
    ATTACK = 2  # an attack is being resolved; afterwards the turn ends
    CHECKUP = 3  # the check-up is done; afterwards the next turn begins
    OVER = 4
