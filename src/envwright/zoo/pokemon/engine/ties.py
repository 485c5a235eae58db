"""Decide who comes first, and draw the random numbers that ties consume."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import modifiers
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context
from envwright.zoo.pokemon.engine.facts import fainted
from envwright.zoo.pokemon.engine.ids import ABILITY
from envwright.zoo.pokemon.engine.numbers import boosted, modify
from envwright.zoo.pokemon.state import Status

SPEED = 4


def speed_stat(c: Context, s: Side) -> Array:
    """Return speed with boosts and all modifiers."""
    stat = boosted(c, s.stats[SPEED], s.boosts[SPEED])
    factor = modifiers.speed_factor(c, s)
    stat = modify(stat, factor)
    slowed = (s.status == Status.PARALYSIS) & (s.ab != ABILITY.quickfeet)
    stat = c.where(slowed, c.div(stat * 50, 100), stat)
    return c.xp.minimum(stat, 10000)


def action_speed(c: Context, s: Side) -> Array:
    """Return speed as it orders actions: reversed by Trick Room, 13 bits."""
    speed = speed_stat(c, s)
    return c.where(c.f.trick_room > 0, 10000 - speed, speed) & 8191


def boosts_asked(c: Context, on: Array, times: Array | int = 1) -> None:
    """Draw for lookups of stages (at most three): two Unaware Pokemon tie in each such event."""
    me, foe = c.me, c.foe
    both = (me.ability == ABILITY.unaware) & (foe.ability == ABILITY.unaware)
    both = both & (me.hp > 0) & (foe.hp > 0) & (me.speed == foe.speed)
    c.when(on & both & (c.zero + times > 0), _each_asked, times)


def _each_asked(c: Context, on: Array, times: Array | int) -> None:
    for number in range(3):
        c.draw(on & (c.zero + times > number), 2)


def update_speed(c: Context, on: Array, s: Side) -> None:
    """Store the current speed."""
    boosts_asked(c, on)
    s.speed = c.where(on, action_speed(c, s), s.speed)


def update_speeds(c: Context, on: Array) -> None:
    """Store the current speeds of all that have not fainted."""
    for s in (c.me, c.foe):
        update_speed(c, on & ~fainted(s), s)


def foe_first(c: Context, on: Array) -> Array:
    """Return whether `foe` comes before `me` in an event on both; a tie draws a number."""
    tie = on & ~fainted(c.me) & ~fainted(c.foe) & (c.me.speed == c.foe.speed)
    return ordered(c, on, tie)


def ordered(c: Context, on: Array, tie: Array) -> Array:
    """Return the same as `foe_first`, for a tie that was computed elsewhere."""
    swapped = c.draw(tie, 2) == 1
    return on & c.where(tie, c.f.flip ^ swapped, c.foe.speed > c.me.speed)
