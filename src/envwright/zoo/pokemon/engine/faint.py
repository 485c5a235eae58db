"""Fainting and winning."""

from __future__ import annotations

from typing import Any

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import replies
from envwright.zoo.pokemon.engine import field
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, put
from envwright.zoo.pokemon.engine.facts import fainted
from envwright.zoo.pokemon.engine.ids import ABILITY
from envwright.zoo.pokemon.engine.volatiles import clear
from envwright.zoo.pokemon.state import Mon


def run(c: Context, on: Array, check_win: Any = True) -> None:
    """Let Pokemon faint that are about to, then decide whether the battle is over."""
    on = on & (c.f.winner == 0) & ((c.me.fainting > 0) | (c.foe.fainting > 0))
    c.when(on, _run, check_win)


def _run(c: Context, on: Array, check_win: Any) -> None:
    me, foe = c.me, c.foe
    last_is_foe = foe.fainting > me.fainting
    felled = c.i(me.fainting > 0) + c.i(foe.fainting > 0)
    mine, theirs = on & (me.fainting > 0), on & (foe.fainting > 0)
    for s, gone in ((me, mine), (foe, theirs)):
        _faint(c, gone, s)
    before = c.f.winner
    decide(c, on & check_win, last_is_foe)
    going = on & (c.f.winner == before)
    # only the last one of the queue is reported to abilities such as Moxie
    proud = [
        going & theirs & last_is_foe & foe.felled_by_move,
        going & mine & ~last_is_foe & me.felled_by_move,
    ]
    for s, hit in zip((me, foe), proud, strict=True):
        hearty = on & (s.ab == ABILITY.soulheart) & (s.hp > 0)
        replies.after_ko(c, hit, hearty, s, felled)


def _faint(c: Context, on: Array, s: Side) -> None:
    on = on & ~fainted(s)
    s.left = c.where(on & (s.left > 0), s.left - 1, s.left)
    s.fallen = c.where(on, c.xp.minimum(s.fallen + 1, 100), s.fallen)
    field.calm_ends(c, on, s)
    flag = s.switch_flag
    clear(c, on, s)
    s.switch_flag = flag
    s.marks = put(c, on, s.marks, Mon.FAINTED)
    s.marks = put(c, on, s.marks, Mon.TERA, False)
    s.fainting = c.where(on, 0, s.fainting)
    s.ab = c.where(on, 0, s.ab)
    s.fell_this_turn = c.where(on, 1, s.fell_this_turn)


def decide(c: Context, on: Array, last_is_foe: Array) -> None:
    """Decide who has won: the side with Pokemon left, or else the one that fell last."""
    on = on & (c.f.winner == 0)
    me_lost, foe_lost = c.me.left <= 0, c.foe.left <= 0
    me_number = c.where(c.f.flip, 2, 1)
    me_wins = c.where(me_lost & foe_lost, ~last_is_foe, foe_lost)
    over = on & (me_lost | foe_lost)
    c.f.winner = c.where(over, c.where(me_wins, me_number, 3 - me_number), c.f.winner)
