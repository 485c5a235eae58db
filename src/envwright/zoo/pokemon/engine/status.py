"""Give and cure major status."""

from __future__ import annotations

from typing import Any

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import status_guard
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, put
from envwright.zoo.pokemon.engine.facts import type_immunity, weather_for
from envwright.zoo.pokemon.engine.ids import ABILITY, IMMUNITY
from envwright.zoo.pokemon.state import Mon, Status, Weather


def immune(c: Context, s: Side, status: Array, source: Side) -> Array:
    """Return whether types or weather keep a status off."""
    poison = (status == Status.POISON) | (status == Status.TOXIC)
    sky = weather_for(c, s)
    sunny = (sky == Weather.SUN) | (sky == Weather.HARSH_SUN)
    return (
        ((status == Status.BURN) & type_immunity(c, s, IMMUNITY["brn"]))
        | ((status == Status.PARALYSIS) & type_immunity(c, s, IMMUNITY["par"]))
        | ((status == Status.FREEZE) & (type_immunity(c, s, IMMUNITY["frz"]) | sunny))
        | (poison & type_immunity(c, s, IMMUNITY["psn"]) & (source.ab != ABILITY.corrosion))
    )


def set_status(
    c: Context, on: Array, s: Side, status: Array | int, source: Side, by_move: Any = True,
    passed_on: bool = True,
) -> Array:  # fmt: skip
    """Give a status unless something prevents it; return the lanes in which it was given.

    `passed_on`: Synchronize may give it back.
    """
    if isinstance(status, int):
        status = c.ints(status)
    on = on & (s.hp > 0) & (s.status == 0) & (status != 0)
    on = on & ~immune(c, s, status, source)
    if source is not s:
        on = on & ~((status == Status.SLEEP) & s.bench_asleep)
    on = on & ~status_guard.blocks(c, s, status, source)
    asleep = on & (status == Status.SLEEP)
    turns = c.draw(asleep, 3) + 2
    s.status = c.where(on, status, s.status)
    s.status_turns = c.where(on, c.where(asleep, turns, 0), s.status_turns)
    s.marks = put(c, asleep, s.marks, Mon.SLEPT_BY_SELF, source is s)
    c.when(on, status_guard.after, s, source, by_move, passed_on)
    return on


def cure(c: Context, on: Array, s: Side) -> Array:
    """Cure the status; return the lanes in which there was one."""
    on = on & (s.status != 0) & (s.hp > 0)
    s.status = c.where(on, 0, s.status)
    s.status_turns = c.where(on, 0, s.status_turns)
    return on
