"""Conditions of a move before it is used (onTry, onPrepareHit)."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.facts import fainted, types_of, weather
from envwright.zoo.pokemon.engine.ids import ABILITY, MOVE
from envwright.zoo.pokemon.state import Flag, Kind, Status, Timer, Weather

ARCEUS, SILVALLY = 493, 773  # numbers in the National Dex


def will_move(c: Context, of_me: bool) -> Array:
    """Return whether a side has a move queued this turn."""
    s = c.me if of_me else c.foe
    bit = c.where(c.f.flip ^ (not of_me), 1, 0)
    return has(c.f.pending[Kind.MOVE], bit) & ~fainted(s)


def will_act(c: Context) -> Array:
    """Return whether anyone still moves or switches this turn."""
    waiting = c.f.pending[Kind.MOVE] | c.f.pending[Kind.SWITCH] | c.f.pending[Kind.INSTASWITCH]
    return waiting != 0


def run(c: Context, on: Array) -> Array:
    """Return the lanes in which the move's own conditions are met."""
    mv, me, foe = c.mv, c.me, c.foe

    def fails(name: str, when: Array) -> None:
        nonlocal on
        on = on & ~((mv.id == getattr(MOVE, name)) & when)

    first_turn = me.move_actions <= 1
    fails("fakeout", ~first_turn)
    fails("firstimpression", ~first_turn)
    ready = will_move(c, False)
    theirs = c.look(c.t.moves.category, foe.chosen_move)
    unready = ~ready | (theirs == 2) | (foe.timers[Timer.RECHARGE] > 0)
    unready = unready | (foe.chosen_move == 0)
    fails("suckerpunch", unready)
    fails("thunderclap", unready)
    fails("poltergeist", foe.item == 0)
    snowy = (weather(c) == Weather.SNOW) | (weather(c) == Weather.HAIL)
    fails("auroraveil", ~snowy)
    asleep = (me.status == Status.SLEEP) | (me.ab == ABILITY.comatose)
    fails("rest", asleep)
    awake = (me.ab == ABILITY.insomnia) | (me.ab == ABILITY.vitalspirit)
    rested = (mv.id == MOVE.rest) & ((me.hp == me.maxhp) | awake)

    on = on & ~rested
    fails("teleport", me.bench_alive == 0)
    mv.going = on
    c.when(on & mv.stalling, _stall)
    become_type(c, mv.going)
    return mv.going


def _stall(c: Context, on: Array) -> None:
    """Draw whether Protect works, which is less likely each time in a row."""
    mv, me = c.mv, c.me
    able = on & will_act(c)
    again = able & (me.timers[Timer.STALL] > 0)
    lucky = c.draw(again, c.xp.maximum(me.stall_counter, 1)) == 0
    lost = again & ~lucky
    me.timers[Timer.STALL] = c.where(lost, 0, me.timers[Timer.STALL])
    mv.going = c.where(on, able & ~lost, mv.going)


def become_type(c: Context, on: Array) -> None:
    """Take on the type of a move about to be used or prepared (Protean and Libero)."""
    able = (c.me.ab == ABILITY.protean) | (c.me.ab == ABILITY.libero)
    c.when(on & able, _become_type)


def _become_type(c: Context, on: Array) -> None:
    """Take on the type, once per stay."""
    mv, me = c.mv, c.me
    first, second, added = types_of(c, me)
    same = (first == mv.type) & (second == 0) & (added == 0)
    on = on & ~has(me.flags, Flag.ABILITY_USED) & ~mv.bounced & ~mv.futuremove & (mv.type != 0)
    on = on & ~same & ~(me.marks & 2 != 0) & (mv.called_by == 0) & (mv.id != MOVE.sleeptalk)
    number = c.look(c.t.species.num, me.species)
    on = on & (number != ARCEUS) & (number != SILVALLY)  # whose types nothing changes
    me.types[0] = c.where(on, mv.type, me.types[0])
    me.types[1] = c.where(on, 0, me.types[1])
    me.types[2] = c.where(on, 0, me.types[2])
    me.flags = put(c, on, me.flags, Flag.ABILITY_USED)
