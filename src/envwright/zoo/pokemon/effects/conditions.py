"""Conditions that moves put on Pokemon, on sides and on the field."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects.attempt import will_move
from envwright.zoo.pokemon.effects.on_hit import note
from envwright.zoo.pokemon.engine import boosts, volatiles
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.facts import any_of, grounded, terastallized
from envwright.zoo.pokemon.engine.ids import (
    ABILITY,
    FLAG,
    ITEM,
    PSEUDO,
    SIDE,
    SLOT,
    TERRAIN,
    VOLATILE,
)
from envwright.zoo.pokemon.state import Cond, Flag, Status, Timer

SHIELDS = ("protect", "banefulbunker", "kingsshield", "spikyshield", "silktrap", "burningbulwark",
           "obstruct")  # fmt: skip
FLAGGED = {
    "curse": Flag.CURSE,
    "focusenergy": Flag.FOCUS_ENERGY,
    "leechseed": Flag.LEECH_SEED,
}
AROMA_VEIL_STOPS = ("encore", "taunt", "healblock")


def add_volatile(c: Context, on: Array, s: Side, which: Array, noted: bool) -> None:
    """Add a condition to a Pokemon; `noted`: it counts for the move's success."""
    veiled = any_of(c.no, which, VOLATILE, *AROMA_VEIL_STOPS)
    able = on & (s.hp > 0) & ~(veiled & (s.ab == ABILITY.aromaveil))
    worked = c.no
    worked = worked | volatiles.confuse(c, able & (which == VOLATILE.confusion), s)
    worked = worked | volatiles.flinch(c, able & (which == VOLATILE.flinch), s)
    for name, flag in FLAGGED.items():
        here = able & (which == getattr(VOLATILE, name)) & ~has(s.flags, flag)
        s.flags = put(c, here, s.flags, flag)
        worked = worked | here
    shield = any_of(c.no, which, VOLATILE, *SHIELDS)
    shielding = volatiles.set_timer(c, able & shield, s, Timer.PROTECT, 1)
    s.protect_move = c.where(shielding, c.mv.id, s.protect_move)
    worked = worked | shielding
    late = (s.active_turns > 0) & ~will_move(c, s is c.me)
    turns = c.where(late, 4, 3)
    worked = worked | volatiles.set_timer(
        c, able & (which == VOLATILE.taunt), s, Timer.TAUNT, turns
    )
    worked = worked | _encore(c, able & (which == VOLATILE.encore), s)
    worked = worked | _bind(c, able & (which == VOLATILE.partiallytrapped), s)
    worked = worked | _substitute(c, able & (which == VOLATILE.substitute), s)
    worked = worked | _yawn(c, able & (which == VOLATILE.yawn), s)
    worked = worked | _lock(c, able & (which == VOLATILE.lockedmove), s)
    tired = able & (which == VOLATILE.mustrecharge)
    worked = worked | volatiles.set_timer(c, tired, s, Timer.RECHARGE, 2)
    landing = able & (which == VOLATILE.roost) & ~terastallized(s)
    worked = worked | volatiles.set_timer(c, landing, s, Timer.ROOST, 1)
    noise = able & (which == VOLATILE.healblock)
    worked = worked | volatiles.set_timer(c, noise, s, Timer.HEAL_BLOCK, 2)
    if noted:
        note(c, on, worked)


def _encore(c: Context, on: Array, s: Side) -> Array:
    """Force the target to repeat its last move."""
    word, bit = FLAG["failencore"]
    barred = has(c.look(c.t.moves.flags[:, word], s.last_move), bit)
    has_pp = c.no
    for slot in range(4):
        has_pp = has_pp | ((s.moves[slot] == s.last_move) & (s.pp[slot] > 0))
    on = on & (s.last_move != 0) & ~barred & has_pp
    turns = c.where(will_move(c, s is c.me), 3, 4)
    on = volatiles.set_timer(c, on, s, Timer.ENCORE, turns)
    s.encore_move = c.where(on, s.last_move, s.encore_move)
    return on


def _bind(c: Context, on: Array, s: Side) -> Array:
    on = on & (s.timers[Timer.BOUND] == 0)
    s.timers[Timer.BOUND] = c.where(on, c.draw(on, 2) + 5, s.timers[Timer.BOUND])
    s.flags = put(c, on, s.flags, Flag.BINDER_GONE, False)
    return on


def _substitute(c: Context, on: Array, s: Side) -> Array:
    on = on & (s.sub_hp == 0)
    s.sub_hp = c.where(on, c.div(s.maxhp, 4), s.sub_hp)
    s.timers[Timer.BOUND] = c.where(on, 0, s.timers[Timer.BOUND])
    return on


def _yawn(c: Context, on: Array, s: Side) -> Array:
    awake = (s.ab == ABILITY.insomnia) | (s.ab == ABILITY.vitalspirit)
    on = on & ~awake & ~((c.f.terrain == TERRAIN.electricterrain) & grounded(c, s))
    return volatiles.set_timer(c, on, s, Timer.YAWN, 2)


def _lock(c: Context, on: Array, s: Side) -> Array:
    """Begin or continue a rampage of two or three turns."""
    on = on & (s.status != Status.SLEEP)
    begins = on & (s.timers[Timer.LOCKED] == 0)
    goes_on = on & (s.timers[Timer.LOCKED] > 0) & (s.locked_left >= 2)
    turns = c.draw(begins, 2) + 2
    s.locked_left = c.where(begins, turns, s.locked_left)
    s.locked_move = c.where(begins, c.mv.id, s.locked_move)
    s.timers[Timer.LOCKED] = c.where(begins | goes_on, 2, s.timers[Timer.LOCKED])
    return on


SCREENS = {
    "reflect": Cond.REFLECT,
    "lightscreen": Cond.LIGHT_SCREEN,
    "auroraveil": Cond.AURORA_VEIL,
}
HAZARDS = {
    "spikes": (Cond.SPIKES, 3),
    "toxicspikes": (Cond.TOXIC_SPIKES, 2),
    "stealthrock": (Cond.STEALTH_ROCK, 1),
    "stickyweb": (Cond.STICKY_WEB, 1),
}


def lay(c: Context, on: Array, s: Side, cond: Cond, most: int) -> Array:
    """Lay a hazard on a side; return the lanes in which there was room for it."""
    on = on & (s.conditions[cond] < most)
    first = on & (s.conditions[cond] == 0)
    newest = c.zero
    for index in range(4):
        there = s.conditions[Cond.SPIKES + index] > 0
        newest = c.xp.maximum(newest, c.where(there, s.hazard_order[index], 0))
    index = cond - Cond.SPIKES
    s.hazard_order[index] = c.where(first, newest + 1, s.hazard_order[index])
    s.conditions[cond] = c.where(on, s.conditions[cond] + 1, s.conditions[cond])
    return on


def add_to_side(c: Context, on: Array) -> None:
    """Add a condition to a side: screens, Tailwind, hazards, Wish and the like."""
    mv, me, foe = c.mv, c.me, c.foe
    clay = c.where(me.item == ITEM.lightclay, 8, 5)
    for name, cond in SCREENS.items():
        here = on & (mv.side_condition == getattr(SIDE, name))
        fresh = here & (me.conditions[cond] == 0)
        me.conditions[cond] = c.where(fresh, clay, me.conditions[cond])
        note(c, here, fresh)
    here = on & (mv.side_condition == SIDE.tailwind)
    fresh = here & (me.conditions[Cond.TAILWIND] == 0)
    me.conditions[Cond.TAILWIND] = c.where(fresh, 4, me.conditions[Cond.TAILWIND])
    rider = fresh & (me.ab == ABILITY.windrider)
    boosts.boost(c, rider, me, boosts.one(c, boosts.ATK, 1), False)
    note(c, here, fresh)
    for name, (cond, most) in HAZARDS.items():
        here = on & (mv.side_condition == getattr(SIDE, name))
        note(c, here, lay(c, here, foe, cond, most))
    wish = on & (mv.slot_condition == SLOT.wish)
    fresh = wish & (me.conditions[Cond.WISH] == 0)
    me.conditions[Cond.WISH] = c.where(fresh, 2, me.conditions[Cond.WISH])
    me.wish_hp = c.where(fresh, me.maxhp, me.wish_hp)
    note(c, wish, fresh)
    for name, cond in (("healingwish", Cond.HEALING_WISH), ("lunardance", Cond.LUNAR_DANCE),
                       ("revivalblessing", Cond.REVIVAL)):  # fmt: skip
        here = on & (mv.slot_condition == getattr(SLOT, name))
        fresh = here & (me.conditions[cond] == 0)
        me.conditions[cond] = c.where(fresh, 1, me.conditions[cond])
        note(c, here, fresh)


def add_pseudo_weather(c: Context, on: Array) -> None:
    """Begin Trick Room, or end it if it is active."""
    room = on & (c.mv.pseudo_weather == PSEUDO.trickroom)
    there = c.f.trick_room > 0
    c.f.trick_room = c.where(room, c.where(there, 0, 5), c.f.trick_room)
    note(c, room, room)
