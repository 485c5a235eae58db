"""Leave and enter the field."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import switch_in, switch_out, update
from envwright.zoo.pokemon.engine import bench, ties
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.facts import fainted, refresh_abilities, suppress_foe
from envwright.zoo.pokemon.engine.volatiles import clear
from envwright.zoo.pokemon.state import Flag, Kind, Turn


def switch(c: Context, on: Array, dragged: Array) -> None:
    """Replace `me` by the party member in `chosen_slot`; its entry is queued unless dragged."""
    me = c.me
    standing = on & (me.hp > 0) & ~fainted(me)
    looks = standing & ~has(me.turn_flags, Turn.SKIP_SWITCH_OUT) & ~dragged
    me.turn_flags = put(c, looks, me.turn_flags, Turn.CALLED_BACK)
    update.run(c, looks)
    passed = c.where(standing & (me.switch_flag == 3), me.sub_hp, 0)
    switch_out.run(c, standing)
    _cancel(c, standing)
    clear(c, on, me)
    c.foe.flags = put(c, on, c.foe.flags, Flag.BINDER_GONE)
    me.status = c.where(on & fainted(me), 0, me.status)
    c.when(on, lambda c, on: bench.exchange(c, on, c.me.chosen_slot))
    _enter(c, on)
    me.sub_hp = c.where(on, passed, me.sub_hp)
    bench.refresh(c)
    breaks = dragged & c.mv.broke
    refresh_abilities(c)
    suppress_foe(c, breaks, me)
    queued = on & ~dragged
    ties.update_speed(c, queued, me)
    ties.boosts_asked(c, queued)  # the queued entry asks for its speed
    queue_entry(c, queued)


def _cancel(c: Context, on: Array) -> None:
    """Cancel what the leaving Pokemon had queued."""
    bit = c.where(c.f.flip, 2, 1)
    for kind in (Kind.MOVE, Kind.TERA, Kind.CHARGE, Kind.SWITCH):
        queued = c.f.pending[kind]
        c.f.pending[kind] = c.where(on, queued & ~bit, queued)


def _enter(c: Context, on: Array) -> None:
    me = c.me
    clear(c, on, me)
    for name in ("switch_flag", "active_turns", "move_actions", "fainting"):
        me.__dict__[name] = c.where(on, 0, me.__dict__[name])
    me.felled_by_move = c.where(on, False, me.felled_by_move)
    me.ab = c.where(on, me.ability, me.ab)


def queue_entry(c: Context, on: Array) -> None:
    """Queue the entry before or after one that is already queued, by speed; a tie draws."""
    bit, other = c.where(c.f.flip, 2, 1), c.where(c.f.flip, 1, 2)
    queued = c.f.pending[Kind.RUN_SWITCH]
    both = on & (queued & other != 0)
    tie = both & (c.me.speed == c.foe.speed)
    before = c.where(tie, c.draw(tie, 2) == 0, c.me.speed > c.foe.speed)
    second_first = c.i(before == c.f.flip)  # whether side 1's entry comes first
    c.f.second_first[Kind.RUN_SWITCH] = c.where(
        both, second_first, c.f.second_first[Kind.RUN_SWITCH]
    )
    c.f.pending[Kind.RUN_SWITCH] = c.where(on, queued | bit, queued)


def run_entries(c: Context, on: Array, dragged: Array) -> None:
    """Run all queued entries (or that of one dragged in); equal speeds draw a number.

    `me` is the side whose entry is next in the queue.
    """
    other = c.where(c.f.flip, 1, 2)
    queued = on & ~dragged
    both = queued & (c.f.pending[Kind.RUN_SWITCH] & other != 0)
    c.f.pending[Kind.RUN_SWITCH] = c.where(queued, 0, c.f.pending[Kind.RUN_SWITCH])
    tie = on & (c.me.speed == c.foe.speed)
    foe_faster = ties.ordered(c, on, tie)
    switch_in.run(c, on, both, both & foe_faster)


def choose_dragged(c: Context, on: Array) -> None:
    """Draw who is dragged in for `me`; none if `me` is about to faint."""
    me = c.me
    able = on & (me.hp > 0)
    slot = bench.random_slot(c, able)
    me.chosen_slot = c.where(able, slot, me.chosen_slot)
    stays = on & ~(able & (slot > 0))
    me.turn_flags = put(c, stays, me.turn_flags, Turn.FORCE_SWITCH, False)
