"""Multiply the numbers of a hit by rows, in the simulator's order."""

from __future__ import annotations

from typing import Any, NamedTuple

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects.rows import DOUBLE, ONE_AND_HALF, Event, Fact
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.facts import weather_for
from envwright.zoo.pokemon.engine.ids import TERRAIN
from envwright.zoo.pokemon.engine.numbers import ONE, chain
from envwright.zoo.pokemon.state import Cond, Flag, Timer, Weather

ABILITY_PLACE, ITEM_PLACE, VOLATILE_PLACE, MOVE_PLACE = 7, 8, 2, 0


class Factor(NamedTuple):
    """One handler of an event: its factor, and its place in the order."""

    factor: Array
    priority: Array | int
    place: int
    holder: Side | None = None  # none: a side or the field


def word(c: Context, facts: dict[Fact, Array]) -> Array:
    """Pack facts into bits."""
    bits = c.zero
    for fact, holds in facts.items():
        bits = bits | (c.i(holds) << int(fact))
    return bits


def row(
    c: Context, rows: Any, event: Array | int, holder: Array, of_target: bool, facts: Array,
    kind: Array | None,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return factor, priority and presence of the row of one ability or item."""
    at = event * 2 + int(of_target)
    if isinstance(at, int):
        at = c.ints(at)
    guard, types = c.look(rows.guard, at, holder), c.look(rows.types, at, holder)
    factor = c.look(rows.factor, at, holder)
    there = factor != 0
    met = there & ((facts & guard) == guard) & has(types, 0 if kind is None else kind)
    return c.where(met, factor, ONE), c.look(rows.priority, at, holder), there


def chained(c: Context, parts: list[Factor]) -> Array:
    """Return the product of factors in order of priority, then speed, then place.

    Two abilities (or items) of the two sides with the same priority and speed tie, and draw.
    """
    keys = []
    for part in parts:
        speed = c.zero if part.holder is None else part.holder.speed
        keys.append((part.priority * 16384 + speed) * 16 - part.place)
    items = [(part.factor, key) for part, key in zip(parts, keys, strict=True)]
    for i in range(len(items)):  # a bubble network; equal keys keep their order
        for j in range(len(items) - 1 - i):
            (fa, ka), (fb, kb) = items[j], items[j + 1]
            swap = kb > ka
            items[j] = (c.where(swap, fb, fa), c.xp.maximum(ka, kb))
            items[j + 1] = (c.where(swap, fa, fb), c.xp.minimum(ka, kb))
    total = items[0][0]
    for factor, _ in items[1:]:
        total = chain(total, factor)
    return total


def holder_facts(c: Context, s: Side) -> dict[Fact, Array]:
    """Return the facts about a Pokemon alone."""
    sky = weather_for(c, s)
    return {
        Fact.SUN: (sky == Weather.SUN) | (sky == Weather.HARSH_SUN),
        Fact.RAIN: (sky == Weather.RAIN) | (sky == Weather.HEAVY_RAIN),
        Fact.SAND: sky == Weather.SAND,
        Fact.SNOW: (sky == Weather.SNOW) | (sky == Weather.HAIL),
        Fact.USER_STATUS: s.status != 0,
        Fact.ELECTRIC_TERRAIN: c.f.terrain == TERRAIN.electricterrain,
        Fact.SLOW_START: s.timers[Timer.SLOW_START] > 0,
        Fact.NOT_EVOLVED: c.look(c.t.species.nfe, s.species),
    }


def speed_factor(c: Context, s: Side) -> Array:
    """Return the factor of a Pokemon's speed. Any order: factors are powers of 2 times 3."""
    facts = word(c, holder_facts(c, s))
    by_ability, _, _ = row(c, c.rows.ability_modifiers, Event.SPE, s.ab, False, facts, None)
    by_item, _, _ = row(c, c.rows.item_modifiers, Event.SPE, s.item, False, facts, None)
    total = chain(by_ability, by_item)
    paradox = has(s.flags, Flag.PROTOSYNTHESIS) | has(s.flags, Flag.QUARK_DRIVE)
    paradox = paradox & (s.paradox_stat == 4) & (s.ab != 0)
    total = chain(total, c.where(paradox, ONE_AND_HALF, ONE))
    light = has(s.flags, Flag.UNBURDEN) & (s.item == 0) & (s.ab != 0)
    total = chain(total, c.where(light, DOUBLE, ONE))
    return chain(total, c.where(s.conditions[Cond.TAILWIND] > 0, DOUBLE, ONE))
