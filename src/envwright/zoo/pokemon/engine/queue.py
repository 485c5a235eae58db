"""The queue of actions.

A side never has two actions of one kind queued, and kinds have a fixed order. So the queue is, per
kind, which sides have one (`pending`) and which of two comes first (`second_first`).
"""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine import ties
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.facts import fainted, grounded
from envwright.zoo.pokemon.engine.ids import ABILITY, FLAG, MOVE, TERRAIN, TYPE
from envwright.zoo.pokemon.state import Kind, Request, Timer, Turn

MOVE_ACTIONS, FIRST_SWITCH = 8, 8
QUEUED = tuple(kind for kind in Kind if kind != Kind.DRAG)
EMPTY = len(QUEUED)


def move_priority(c: Context, s: Side) -> Array:
    """Return the priority of the chosen move."""
    move = s.chosen_move
    base = c.look(c.t.moves.priority, move)
    prank = (s.ab == ABILITY.prankster) & (c.look(c.t.moves.category, move) == 2) & (move != 0)
    word, bit = FLAG["heal"]
    heals = has(c.look(c.t.moves.flags[:, word], move), bit)
    triage = (s.ab == ABILITY.triage) & heals
    wings = (s.ab == ABILITY.galewings) & (c.look(c.t.moves.type, move) == TYPE.Flying)
    wings = wings & (s.hp == s.maxhp)
    glide = (move == MOVE.grassyglide) & (c.f.terrain == TERRAIN.grassyterrain) & grounded(c, s)
    return base + c.i(prank) + c.where(triage, 3, 0) + c.i(wings) + c.i(glide)


def _sort(c: Context, on: Array, kind: Kind, keys: tuple[Array, Array] | None = None) -> None:
    """Decide which of two actions of a kind comes first; a tie draws a number."""
    both = on & (c.f.pending[kind] == 3)
    a, b = c.me.speed, c.foe.speed
    later, same = b > a, b == a
    if keys is not None:
        later = (keys[1] > keys[0]) | ((keys[1] == keys[0]) & later)
        same = same & (keys[0] == keys[1])
    tie = both & same
    now = c.f.second_first[kind]
    swapped = c.draw(tie, 2)
    c.f.second_first[kind] = c.where(tie, now ^ swapped, c.where(both, c.i(later), now))


def sort_moves(c: Context, on: Array) -> None:
    """Sort the queued moves by priority and speed."""
    keys = (
        c.me.chosen_priority * 10 + c.me.chosen_fraction,
        c.foe.chosen_priority * 10 + c.foe.chosen_fraction,
    )
    _sort(c, on, Kind.MOVE, keys)


def resort(c: Context, on: Array) -> None:
    """Update speeds and priorities whenever a move is next."""
    ties.update_speeds(c, on)
    for s in (c.me, c.foe):
        s.chosen_priority = c.where(on & ~fainted(s), move_priority(c, s), s.chosen_priority)
    waiting = c.f.pending[Kind.MOVE]
    ties.boosts_asked(c, on, (waiting & 1) + (waiting >> 1))
    # a fainted Pokemon's queued move keeps its place in the sort
    sort_moves(c, on)


def locked(s: Side) -> Array:
    """Return whether a Pokemon has no choice at all."""
    return (
        (s.timers[Timer.LOCKED] > 0)
        | (s.timers[Timer.CHARGING] > 0)
        | (s.timers[Timer.RECHARGE] > 0)
    )


def usable(c: Context, s: Side) -> list[Array]:
    """Return which of the four moves may be chosen."""
    return [(s.moves[i] != 0) & (s.pp[i] > 0) & ~has(s.disabled, i) for i in range(4)]


def chosen(c: Context, s: Side, slot: Array) -> Array:
    """Return the move of a slot: the locked one, Struggle if there is none, else the slot's own."""
    able = c.no
    for one in usable(c, s):
        able = able | one
    move = c.zero
    for index in range(4):
        move = c.where(slot == index, s.moves[index], move)
    move = c.where(able, move, MOVE.struggle)
    move = c.where(s.timers[Timer.CHARGING] > 0, s.charge_move, move)
    move = c.where(s.timers[Timer.LOCKED] > 0, s.locked_move, move)
    return c.where(s.timers[Timer.RECHARGE] > 0, 0, move)


def commit(c: Context, on: Array, actions: list[Array]) -> None:
    """Queue the choices of both sides. `actions` are 0..12, or 13 to wait."""
    f = c.f
    ties.update_speeds(c, on)
    for kind in (Kind.INSTASWITCH, Kind.SWITCH, Kind.TERA, Kind.MOVE):
        f.second_first[kind] = c.where(on & (f.pending[kind] == 0), 0, f.second_first[kind])
    asked = on & ((c.me.request == Request.MOVE) | (c.foe.request == Request.MOVE))
    speeds = c.zero
    for side, s in enumerate((c.me, c.foe)):
        action, bit = actions[side], 1 << side
        moving = on & (s.request == Request.MOVE)
        attacks = moving & (action < MOVE_ACTIONS)
        s.chosen_move = c.where(attacks, chosen(c, s, action & 3), s.chosen_move)
        s.chosen_priority = c.where(attacks, move_priority(c, s), s.chosen_priority)
        s.chosen_fraction = c.where(attacks, _fraction(c, s), s.chosen_fraction)
        switches = on & (s.request != Request.WAIT) & (action >= FIRST_SWITCH)
        switches = switches & (action < FIRST_SWITCH + 5)
        s.chosen_slot = c.where(switches, action - FIRST_SWITCH + 1, s.chosen_slot)
        tera = attacks & (action >= 4) & (s.tera_used == 0)
        queued = (
            (Kind.MOVE, attacks),
            (Kind.TERA, tera),
            (Kind.SWITCH, switches & moving),
            (Kind.INSTASWITCH, switches & (s.request == Request.SWITCH)),
            (Kind.REVIVAL, switches & (s.request == Request.REVIVE)),
        )
        for kind, here in queued:
            f.pending[kind] = c.where(here, f.pending[kind] | bit, f.pending[kind])
        # a pokemon that leaves by a move is remembered until it is gone (Shed Tail)
        s.request = c.where(on, Request.WAIT, s.request)
        speeds = speeds + c.i(attacks) + c.i(tera) + c.i(switches)
    for part in (c.xp.minimum(speeds, 3), speeds - 3):  # each action asks for its speed
        ties.boosts_asked(c, on, part)
    _sort(c, on & ~asked, Kind.INSTASWITCH)
    _sort(c, asked, Kind.SWITCH)
    _sort(c, asked, Kind.TERA)
    sort_moves(c, asked)
    begins = on & (f.mid_turn == 0)
    f.pending[Kind.BEFORE_TURN] = c.where(begins, 1, f.pending[Kind.BEFORE_TURN])
    f.pending[Kind.RESIDUAL] = c.where(begins, 1, f.pending[Kind.RESIDUAL])
    f.mid_turn = c.where(on, 1, f.mid_turn)


def _fraction(c: Context, s: Side) -> Array:
    status = c.look(c.t.moves.category, s.chosen_move) == 2
    slow = (s.ab == ABILITY.stall) | ((s.ab == ABILITY.myceliummight) & status)
    return c.where(slow, -1, 0)


def next_kind(c: Context) -> Array:
    """Return the kind of the next action; EMPTY if the queue is empty."""
    kind = c.ints(EMPTY)
    for each in reversed(QUEUED):
        kind = c.where(c.f.pending[each] != 0, int(each), kind)
    return kind


def in_step(c: Context, on: Array) -> Array:
    """Return the lanes whose next action is of the earliest group that any lane has next.

    The groups: all before moves, moves, the end of the turn.
    """
    drags = has(c.me.turn_flags | c.foe.turn_flags, Turn.FORCE_SWITCH)
    group = c.xp.maximum(next_kind(c), int(Kind.CHARGE))
    group = c.where(on, c.where(drags, int(Kind.CHARGE), group), EMPTY + 1)
    return group == group.min()


def take(c: Context, on: Array) -> tuple[Array, Array]:
    """Take the next action off the queue; return its kind, and whether it is side 1's."""
    kind = c.where(on, next_kind(c), EMPTY)
    dragged = [has(s.turn_flags, Turn.FORCE_SWITCH) for s in (c.me, c.foe)]
    drags = on & (dragged[0] | dragged[1])
    kind = c.where(drags, int(Kind.DRAG), kind)
    second = drags & ~dragged[0]
    for each in QUEUED:
        here = on & (kind == each)
        waiting = c.f.pending[each]
        of_second = c.where(waiting == 3, c.f.second_first[each] != 0, waiting == 2)
        second = second | (here & of_second)
        rest = waiting & ~c.where(of_second, 2, 1)
        keep = each == Kind.RUN_SWITCH  # entries are all taken together when they run
        c.f.pending[each] = waiting if keep else c.where(here, rest, waiting)
    return kind, second
