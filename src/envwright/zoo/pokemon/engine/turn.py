"""Play a turn: one action after the other until a player has to decide."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import update
from envwright.zoo.pokemon.engine import (
    bench,
    faint,
    moves,
    queue,
    requests,
    residual,
    switching,
    ties,
)
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.facts import fainted, refresh_abilities
from envwright.zoo.pokemon.state import Cond, Kind, Mon, Request, Turn


def going(c: Context) -> Array:
    """Return lanes that have something to do. A Pokemon is dragged out even after the end."""
    drags = has(c.me.turn_flags, Turn.FORCE_SWITCH) | has(c.foe.turn_flags, Turn.FORCE_SWITCH)
    asked = (c.me.request != Request.WAIT) | (c.foe.request != Request.WAIT)
    return ((c.f.winner == 0) | drags) & ~asked


def play(c: Context) -> None:
    """Run actions until every battle waits for a decision or is over."""
    c.loop(going, action)


def action(c: Context) -> None:
    """Run one action in every lane that is not ahead of others.

    Battles wait for each other before moves and before the end of the turn: a rule then runs once
    for many lanes, not many times for a few.
    """
    on = going(c)
    starts = on & (c.f.pending[Kind.BEFORE_TURN] != 0) & (queue.next_kind(c) == Kind.BEFORE_TURN)
    c.when(starts, before_turn)
    on = on & queue.in_step(c, on)
    kind, second = queue.take(c, on)
    c.flip(second)
    refresh_abilities(c)
    skipped = on & (kind == Kind.MOVE) & fainted(c.me)
    drags = on & (kind == Kind.DRAG)
    leaving = on & ((kind == Kind.SWITCH) | (kind == Kind.INSTASWITCH))
    c.when(drags, switching.choose_dragged)
    drags = drags & has(c.me.turn_flags, Turn.FORCE_SWITCH)
    c.when(leaving | drags, switching.switch, drags)
    c.when(on & (kind == Kind.RUN_SWITCH) | drags, switching.run_entries, drags)
    c.when(on & (kind == Kind.TERA), terastallize)
    c.when(on & (kind == Kind.REVIVAL), bench.revive)
    c.when(on & (kind == Kind.MOVE) & ~skipped, moves.run)
    c.when(on & (kind == Kind.RESIDUAL), residual.run)
    c.flip(c.f.flip)
    waits = c.no  # for those who are about to be dragged out
    for s in (c.me, c.foe):
        waits = waits | has(s.turn_flags, Turn.FORCE_SWITCH)
    settle(c, on & ~skipped & ~waits, on & skipped)


def before_turn(c: Context, on: Array) -> None:
    """Begin the turn. Nothing is due yet, so only the draws of what follows an action remain."""
    c.f.pending[Kind.BEFORE_TURN] = c.where(on, 0, c.f.pending[Kind.BEFORE_TURN])
    for _ in range(2):
        ties.foe_first(c, on)
    queue.resort(c, on & (queue.next_kind(c) == Kind.MOVE))


def terastallize(c: Context, on: Array) -> None:
    """Let `me` take on its tera type."""
    me = c.me
    me.marks = put(c, on, me.marks, Mon.TERA)
    me.tera_used = c.where(on, 1, me.tera_used)
    me.types[2] = c.where(on, 0, me.types[2])


def settle(c: Context, on: Array, skipped: Array) -> None:
    """Run what follows every action: faints, updates, requests to switch.

    `skipped`: a Pokemon that has fainted was to move; only the end of the turn can follow.
    """
    refresh_abilities(c)
    faint.run(c, on)
    on = on & (c.f.winner == 0)
    following = queue.next_kind(c)
    empty = following == queue.EMPTY
    for s in (c.me, c.foe):
        gone = on & empty & fainted(s)
        s.switch_flag = c.where(gone, 1, s.switch_flag)
        s.status = c.where(gone, 0, s.status)
        s.status_turns = c.where(gone, 0, s.status_turns)
    on = on & (following != Kind.INSTASWITCH)
    update.run(c, on)
    asks = [_asks(c, on, s) for s in (c.me, c.foe)]
    for s, here in zip((c.me, c.foe), asks, strict=True):
        kind = c.where(s.conditions[Cond.REVIVAL] > 0, Request.REVIVE, Request.SWITCH)
        s.request = c.where(here, kind, s.request)
    on = on & ~asks[0] & ~asks[1]
    c.when(on & (following == Kind.MOVE), queue.resort)
    c.when((on | skipped) & empty, requests.end_turn)


def _asks(c: Context, on: Array, s: Side) -> Array:
    """Return whether a side must choose who comes in."""
    flagged = on & (s.switch_flag > 0)
    reviving = s.conditions[Cond.REVIVAL] > 0
    nobody = flagged & (s.bench_alive == 0) & ~reviving
    s.switch_flag = c.where(nobody, 0, s.switch_flag)
    asks = flagged & ~nobody
    s.turn_flags = put(c, asks & (s.hp > 0) & ~reviving, s.turn_flags, Turn.SKIP_SWITCH_OUT)
    return asks
