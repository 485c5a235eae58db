"""Settle once no player is asked: knock-outs, the verdict, promotions [K, W]."""

from __future__ import annotations

from typing import Any

from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.state import Mark
from envwright.zoo.tcgpocket.engine.answers import put_question
from envwright.zoo.tcgpocket.engine.kit import Kit, any_of, total, whole
from envwright.zoo.tcgpocket.engine.rows import Op
from envwright.zoo.tcgpocket.engine.slots import facts, has_bench, hp, leave, there
from envwright.zoo.tcgpocket.engine.state import NO_CARD, Side, State

WINNING = 3
TIE = 3


def idle(k: Kit, s: State, go: Any) -> Any:
    """Return lanes in which no player is asked and the game goes on, bool[B]."""
    running = (s.stage != Stage.OVER) & (s.stage != Stage.SETUP)
    return go & running & (s.ask == Ask.NOTHING)


def _fallen(k: Kit, s: State, side: Side, when: Any) -> Any:
    return there(side) & (side.damage >= hp(k, s, side)) & when


def knock_outs(k: Kit, s: State, mine: Any, theirs: Any) -> None:
    """Knock out all Pokemon without HP at once, bool[4, B] of each side [K1-K3]."""
    given = total(k.xp.where(mine, facts(s.me).points, 0))
    got = total(k.xp.where(theirs, facts(s.foe).points, 0))
    for side, gone in ((s.me, mine), (s.foe, theirs)):
        cards = leave(k, side, gone)  # which discards Tools
        side.discard = side.discard | cards
    s.me.points, s.foe.points = s.me.points + got, s.foe.points + given
    tricky = (s.stage == Stage.ATTACK) & any_of(theirs) & (facts(s.me).op[0] == Op.TRICKERY)
    marks = [s.me.marks[i] for i in range(len(Mark))]
    marks[Mark.IMMUNE] = k.xp.where(tricky, s.turn + 1, marks[Mark.IMMUNE])
    s.me.marks = k.xp.stack(marks)


def verdict(k: Kit, s: State, when: Any) -> None:
    """Decide the game: the player who meets more conditions wins [W1-W3]."""
    xp = k.xp
    lost = [~any_of(there(side)) for side in (s.me, s.foe)]
    mine = whole(s.me.points >= WINNING) + whole(lost[1])
    theirs = whole(s.foe.points >= WINNING) + whole(lost[0])
    over = when & (mine + theirs > 0)
    ahead = xp.where(mine > theirs, s.player, 1 - s.player)
    winner = xp.where(mine == theirs, TIE, 1 + ahead)
    s.winner = xp.where(over, winner, s.winner)
    s.stage = xp.where(over, Stage.OVER, s.stage)


def promotions(k: Kit, s: State, go: Any) -> None:
    """Ask owners of an empty Active Spot [K4]."""
    for side, asked in ((s.foe, 1), (s.me, 0)):
        empty = (side.card[0] == NO_CARD) & has_bench(side)
        put_question(k, s, idle(k, s, go) & empty, Ask.PROMOTE, asked=asked)


def settle(k: Kit, s: State, go: Any) -> None:
    """Run knock-outs, verdict and promotions."""
    when = idle(k, s, go)
    mine, theirs = _fallen(k, s, s.me, when), _fallen(k, s, s.foe, when)
    falls = any_of(mine | theirs)
    k.phase(falls, lambda s: knock_outs(k, s, mine, theirs), s)

    def judged(s: State) -> None:
        verdict(k, s, when)
        promotions(k, s, go)

    empty = (s.me.card[0] == NO_CARD) | (s.foe.card[0] == NO_CARD)
    k.phase(when & (falls | empty), judged, s)
