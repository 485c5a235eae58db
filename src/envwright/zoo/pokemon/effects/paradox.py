"""Protosynthesis, Quark Drive and the Booster Energy that sets them off."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import item_use
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.facts import fainted, weather
from envwright.zoo.pokemon.engine.ids import ABILITY, TERRAIN
from envwright.zoo.pokemon.engine.numbers import boosted
from envwright.zoo.pokemon.state import Flag, Weather


def best_stat(c: Context, s: Side) -> Array:
    """Return the highest stat with boosts, 0 atk .. 4 spe; the first of equals."""
    best, value = c.zero, c.zero
    for stat in range(5):
        now = boosted(c, s.stats[stat], s.boosts[stat])
        better = now > value
        best, value = c.where(better, stat, best), c.where(better, now, value)
    return best


def _follow(c: Context, on: Array, s: Side, helped: Array, flag: Flag) -> None:
    """Start the ability in sun or terrain, unless it is active already, and end it with them."""
    starts = on & helped & ~has(s.flags, flag) & (s.hp > 0)
    s.paradox_stat = c.where(starts, best_stat(c, s), s.paradox_stat)
    s.flags = put(c, starts, s.flags, flag)
    ends = on & ~helped & ~has(s.flags, Flag.FROM_BOOSTER)
    s.flags = put(c, ends, s.flags, flag, False)


def follow_weather(c: Context, on: Array, s: Side) -> None:
    """Start and end Protosynthesis with the sun."""
    on = on & (s.ab == ABILITY.protosynthesis) & ~fainted(s)
    _follow(c, on, s, weather(c) == Weather.SUN, Flag.PROTOSYNTHESIS)


def follow_terrain(c: Context, on: Array, s: Side) -> None:
    """Start and end Quark Drive with Electric Terrain."""
    on = on & (s.ab == ABILITY.quarkdrive) & ~fainted(s)
    _follow(c, on, s, c.f.terrain == TERRAIN.electricterrain, Flag.QUARK_DRIVE)


def use_booster(c: Context, on: Array, s: Side) -> None:
    """Use up Booster Energy, unless sun or terrain help already."""
    on = on & has(s.flags, Flag.ITEM_STARTED) & (s.hp > 0)
    paradox = has(s.flags, Flag.PROTOSYNTHESIS) | has(s.flags, Flag.QUARK_DRIVE)
    on = on & ~paradox
    proto = on & (s.ab == ABILITY.protosynthesis) & (weather(c) != Weather.SUN)
    quark = on & (s.ab == ABILITY.quarkdrive) & (c.f.terrain != TERRAIN.electricterrain)
    item_use.spend(c, proto | quark, s)
    on = proto | quark
    s.paradox_stat = c.where(on, best_stat(c, s), s.paradox_stat)
    s.flags = put(c, proto, s.flags, Flag.PROTOSYNTHESIS)
    s.flags = put(c, quark, s.flags, Flag.QUARK_DRIVE)
    s.flags = put(c, on, s.flags, Flag.FROM_BOOSTER)
