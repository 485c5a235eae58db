"""The end of a turn and the beginning of the next [T, U]."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import Mind
from envwright.zoo.tcgpocket.engine import chance
from envwright.zoo.tcgpocket.engine.answers import put_question
from envwright.zoo.tcgpocket.engine.kit import SLOT, Kit, nth, whole
from envwright.zoo.tcgpocket.engine.rows import Op
from envwright.zoo.tcgpocket.engine.settle import TIE
from envwright.zoo.tcgpocket.engine.slots import facts, from_zone, hurt
from envwright.zoo.tcgpocket.engine.state import NO_ENERGY, SIDE_FIELDS, State
from envwright.zoo.tcgpocket.engine.zones import draw

POISON, BURN = 1, 2
_OF_TURN = (
    "supporter", "retreated", "stadium_played", "stadium_used", "press", "blaze", "speed",
    "attack_card", "attack_index",
)  # fmt: skip


def end(k: Kit, s: State, when: Any) -> None:
    """End a turn: abilities, check-up, and the effects that last one turn [U1-U4]."""
    _abilities(k, s, when)
    _check_up(k, s, when)
    xp = k.xp
    for name in _OF_TURN:
        setattr(s, name, xp.where(when, 0, getattr(s, name)))
    s.me.zone = xp.where(when, NO_ENERGY, s.me.zone)
    for side in (s.me, s.foe):
        for name in ("fresh", "evolved", "used"):
            setattr(side, name, xp.where(when, 0, getattr(side, name)))
        side.marks = xp.where(when & (side.marks == s.turn), 0, side.marks)
        side.barred = xp.where(when & (side.barred == s.turn), 0, side.barred)
    s.stage = xp.where(when, Stage.CHECKUP, s.stage)


def _abilities(k: Kit, s: State, when: Any) -> None:
    charges = when & (facts(s.me).op == Op.FIRST_TURN_CHARGE) & (s.turn <= 2)

    def charge(s: State) -> None:
        kind = facts(s.me).op_type
        for slot in range(4):
            from_zone(k, s, charges[slot], np.int32(slot), kind[slot], 1)

    k.phase(charges, charge, s)
    draws = when & (facts(s.me).op[0] == Op.PULSE_DRAW)
    draw(k, s.me, whole(draws), 1)


def _check_up(k: Kit, s: State, when: Any) -> None:
    xp, two = k.xp, k.xp.zeros_like(s.turn) + 2
    sides = (s.me, s.foe)
    active = SLOT == 0
    for side in sides:
        amount = side.poisoned * POISON + side.burned * BURN
        hurt(k, s, side, xp.where(active & when, amount, 0))
    for side in sides:
        burns = when & (side.burned == 1)
        heads = chance.below(k, s, burns, Purpose.BURN, two)
        side.burned = xp.where(burns & (heads == 1), 0, side.burned)
    for side in sides:
        sleeps = when & (side.mind == Mind.ASLEEP)
        heads = chance.below(k, s, sleeps, Purpose.SLEEP, two)
        side.mind = xp.where(sleeps & (heads == 1), Mind.CLEAR, side.mind)
    s.me.mind = xp.where(when & (s.me.mind == Mind.PARALYSED), Mind.CLEAR, s.me.mind)


def exchange(k: Kit, s: State, when: Any) -> None:
    """Make the other player `me`."""
    xp = k.xp
    for name in SIDE_FIELDS:
        mine, theirs = getattr(s.me, name), getattr(s.foe, name)
        setattr(s.me, name, xp.where(when, theirs, mine))
        setattr(s.foe, name, xp.where(when, mine, theirs))
    s.player = xp.where(when, 1 - s.player, s.player)
    s.stadium_owner = xp.where(when & (s.stadium_card < 20), 1 - s.stadium_owner, s.stadium_owner)


def next_energy(k: Kit, s: State, side: Any, when: Any) -> None:
    """Draw the next energy of an Energy Zone [E2]."""
    n = k.popcount(side.types)
    result = chance.below(k, s, when, Purpose.ENERGY, n)
    side.coming = k.xp.where(when, nth(k, side.types, result), side.coming)


def begin(k: Kit, s: State, when: Any, places: Any) -> None:
    """Begin the next turn, or end the game after the last one [T1-T3, W4].

    In lanes where the second player `places` now, it only changes who moves.
    """
    xp = k.xp
    over = when & (s.turn == k.settings.max_turns)
    s.winner = xp.where(over, TIE, s.winner)
    s.stage = xp.where(over, Stage.OVER, s.stage)
    begins = when & ~over
    s.turn = s.turn + whole(begins)
    mover = xp.where((s.turn & 1) == 1, s.first, 1 - s.first)
    exchange(k, s, (begins & (s.player != mover)) | places)
    s.stage = xp.where(begins, Stage.MAIN, s.stage)
    draw(k, s.me, whole(begins), 1)
    gives = begins & (s.turn >= 2)
    s.me.zone = xp.where(gives, s.me.coming, s.me.zone)
    next_energy(k, s, s.me, gives)
    put_question(k, s, begins, Ask.MAIN)
