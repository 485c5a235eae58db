"""Changes of forme in battle."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine import hp
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, put
from envwright.zoo.pokemon.engine.ids import SPECIES
from envwright.zoo.pokemon.state import Flag


def change(c: Context, on: Array, s: Side, species: Array | int) -> None:
    """Become another forme for good: take its stats and types, but keep the HP."""
    if isinstance(species, int):
        species = c.ints(species)
    plus, minus = c.look(c.t.natures.plus, s.nature), c.look(c.t.natures.minus, s.nature)
    for stat in range(1, 6):
        base = c.look(c.t.species.base_stats[:, stat], species)
        value = c.div((base * 2 + s.growth[stat]) * s.level, 100) + 5
        value = c.where(plus == stat, c.div(value * 110, 100), value)
        value = c.where(minus == stat, c.div(value * 90, 100), value)
        s.stats[stat - 1] = c.where(on, value, s.stats[stat - 1])
    for index in range(2):
        kind = c.look(c.t.species.types[:, index], species)
        s.types[index] = c.where(on, kind, s.types[index])
    s.types[2] = c.where(on, 0, s.types[2])
    s.species = c.where(on, species, s.species)
    s.speed = c.where(on, s.stats[4], s.speed)


def bust(c: Context, on: Array, s: Side) -> None:
    """Break Mimikyu's disguise: it changes its forme and loses an eighth of its HP."""
    change(c, on, s, SPECIES.mimikyubusted)
    s.flags = put(c, on, s.flags, Flag.BUSTED, False)
    hp.hurt(c, on, s, hp.share(c, s, 8), hp.Cause.OTHER)
