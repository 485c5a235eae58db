"""Moves that call another move (Sleep Talk) and moves that are bounced back."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import modify_move
from envwright.zoo.pokemon.engine import moves, ties
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.ids import ABILITY, FLAG, MOVE
from envwright.zoo.pokemon.state import Result, Status


def run(c: Context, on: Array) -> None:
    """Replace Sleep Talk by one of the other moves, at random."""
    c.when(on & (c.mv.id == MOVE.sleeptalk), _sleep_talk)


def _sleep_talk(c: Context, on: Array) -> None:
    mv, me = c.mv, c.me
    modify_move.lock_choice(c, on)  # even if it fails
    asleep = (me.status == Status.SLEEP) | (me.ab == ABILITY.comatose)
    usable = []
    for slot in range(4):
        flags = [c.look(c.t.moves.flags[:, i], me.moves[slot]) for i in range(2)]
        barred = c.no
        for name in ("nosleeptalk", "charge"):
            word, bit = FLAG[name]
            barred = barred | has(flags[word], bit)
        usable.append((me.moves[slot] != 0) & ~barred)
    count = sum(c.i(x) for x in usable)
    able = on & asleep & (count > 0)
    pick = c.draw(able, c.xp.maximum(count, 1))
    called, seen = c.zero, c.zero
    for slot in range(4):
        called = c.where(usable[slot] & (seen == pick), me.moves[slot], called)
        seen = seen + c.i(usable[slot])
    me.move_result = c.where(on & ~able, Result.FAILURE, me.move_result)
    aimed = c.where(on, c.where(able, called, 0), mv.id)
    moves.load(c, aimed)
    mv.called_by = c.where(able, MOVE.sleeptalk, mv.called_by)


def finish(c: Context, on: Array) -> None:
    """End the calling move: two more updates of both Pokemon."""
    c.when(on & (c.mv.called_by > 0), _finish)


def _finish(c: Context, on: Array) -> None:
    for _ in range(2):  # nothing can be due: the called move has just updated
        ties.foe_first(c, on)
    c.me.move_result = c.where(on, Result.SUCCESS, c.me.move_result)
