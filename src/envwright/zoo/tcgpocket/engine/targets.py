"""The Pokemon onto which a card from the hand can be played [V1-V3, D1, P1]."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.engine.kit import Kit, total, whole
from envwright.zoo.tcgpocket.engine.rows import Need, Op
from envwright.zoo.tcgpocket.engine.slots import facts, there
from envwright.zoo.tcgpocket.engine.state import NO_CARD, State
from envwright.zoo.tcgpocket.engine.tables import CARD

EVOLVES_FROM_TURN = 3


def bits_of(mask: Any) -> Any:
    """Pack rows of a short bool[P, B] into bits."""
    return total(whole(mask) << np.arange(mask.shape[0], dtype=np.int32)[:, None])


def evolves(k: Kit, s: State, fits: Any) -> Any:
    """Return the Pokemon that a card with `fits` evolves [V1-V3, veevolve], bool[4, B]."""
    me, of = s.me, facts(s.me)
    ready = there(me) & (me.fresh == 0) & (s.turn >= EVOLVES_FROM_TURN)
    eevee = (of.op == Op.VEEVOLVE) & (fits == eevee_name(k))
    return ready & (fits > 0) & ((of.name == fits) | eevee)


def eevee_name(k: Kit) -> Any:
    """Return the name in cards that evolve from Eevee, which is stored in row 0."""
    return CARD.get(k.tables.card[:, 0], "fits")


def fitting(k: Kit, s: State, need: Any) -> Any:
    """Return own Pokemon that a trainer card can have as its target, bool[4, B]."""
    me, of = s.me, facts(s.me)
    damaged = me.damage > 0
    return there(me) & (
        ((need == Need.HURT) & damaged)
        | ((need == Need.HURT_TYPE + of.type) & damaged)
        | (need == Need.IN_PLAY_TYPE + of.type)
        | ((need == Need.ROCK) & (of.rock == 1))
    )


def bare(s: State) -> Any:
    """Return own Pokemon without a Tool, bool[4, B]."""
    return there(s.me) & (s.me.tool == NO_CARD)
