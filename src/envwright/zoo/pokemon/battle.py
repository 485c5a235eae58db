"""Battles: start them, play a decision of both sides, list the legal actions.

    rules = compile.rules()
    state = start(np, rules, teams)                  # see `state.State`
    state = step(np, rules, state, actions)          # actions int32[2, B]
    legal = legal_actions(np, rules, state)          # bool[2, 14, B]

`xp` is numpy or jax.numpy; with the latter wrap these in `jax.jit`.
"""

from __future__ import annotations

from typing import Any

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine import bench, moves, queue, requests, switching, turn
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.facts import refresh_abilities
from envwright.zoo.pokemon.engine.ties import action_speed, boosts_asked
from envwright.zoo.pokemon.engine.volatiles import clear
from envwright.zoo.pokemon.state import Kind, Mon, Request, State

ACTIONS = 14
WAIT = 13


def _context(xp: Any, rules: Any, state: State) -> Context:
    c = Context(xp, rules, state)
    moves.fresh(c)
    bench.refresh(c)
    refresh_abilities(c)
    return c


def begin(xp: Any, rules: Any, state: State) -> State:
    """Send out the first Pokemon of both teams, up to the first decision."""
    c = _context(xp, rules, state)
    _send_out(c, ~c.no)
    turn.play(c)
    return c.pack(state)


def step(xp: Any, rules: Any, state: State, actions: Array) -> State:
    """Both sides decide (int32[2, B], 13 to wait); play until the next decision.

    Battles that have not begun do so, whatever the actions: one program serves for both.
    """
    c = _context(xp, rules, state)
    new = c.f.pending[Kind.START] != 0
    on = (c.f.winner == 0) & ((c.me.request != Request.WAIT) | (c.foe.request != Request.WAIT))
    queue.commit(c, on, [actions[0], actions[1]])
    c.when(new, _send_out)
    turn.play(c)
    return c.pack(state)


def _send_out(c: Context, on: Array) -> None:
    for s in (c.me, c.foe):
        clear(c, on, s)
    refresh_abilities(c)
    c.f.mid_turn = c.where(on, 1, c.f.mid_turn)
    c.f.pending[Kind.START] = c.where(on, 0, c.f.pending[Kind.START])
    for second in (False, True):
        if second:
            c.flip(on)
            boosts_asked(c, on, 2)  # there is no opponent yet when the first one enters
        c.me.speed = c.where(on, action_speed(c, c.me), c.me.speed)
        switching.queue_entry(c, on)
    c.flip(on)


def legal_actions(xp: Any, rules: Any, state: State) -> Array:
    """Return what either side may choose, bool[2, 14, B].

    In a battle that is over or has not begun, only waiting is legal.
    """
    c = _context(xp, rules, state)
    still = (c.f.winner != 0) | (c.f.pending[Kind.START] != 0)
    rows = []
    for side, s in enumerate((c.me, c.foe)):
        reviving = s.request == Request.REVIVE
        there = [species != 0 for species in c.bench.species[side]]
        gone = [has(marks, Mon.FAINTED) for marks in c.bench.marks[side]]
        alive = [x & (g == reviving) for x, g in zip(there, gone, strict=True)]
        allowed = requests.mask(c, s, alive)
        rows.append(xp.stack([*(x & ~still for x in allowed[:-1]), allowed[-1] | still]))
    return xp.stack(rows)
