"""Facts about a side that many rules need."""

from __future__ import annotations

from typing import Any

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.ids import ABILITY, BREAKABLE, ITEM, TYPE
from envwright.zoo.pokemon.state import Flag, Mon, Timer, Weather


def any_of(found: Array, value: Array, ids: Any, *names: str) -> Array:
    """Return where `found` holds, or a value is one of those named; `ids` is `MOVE` or the like."""
    for name in names:
        found = found | (value == getattr(ids, name))
    return found


def fainted(s: Side) -> Array:
    """Return whether it is gone for good (not merely at 0 HP and about to faint)."""
    return has(s.marks, Mon.FAINTED)


def terastallized(s: Side) -> Array:
    """Return whether it has its tera type."""
    return has(s.marks, Mon.TERA)


def types_of(c: Context, s: Side) -> tuple[Array, Array, Array]:
    """Return the types that count now, 0 where there is none; Normal if nothing is left."""
    first, second, added = s.types
    first, second = without_flying(c, s, first, second)
    tera = terastallized(s) & (s.tera != TYPE.Stellar)
    return c.where(tera, s.tera, first), c.where(tera, 0, second), c.where(tera, 0, added)


def own_types(c: Context, s: Side) -> tuple[Array, Array, Array]:
    """Return the types that it would have without its tera type."""
    return (*without_flying(c, s, s.types[0], s.types[1]), s.types[2])


def without_flying(c: Context, s: Side, first: Array, second: Array) -> tuple[Array, Array]:
    """Return the types of a Pokemon that may be resting its wings (Roost)."""
    down = s.timers[Timer.ROOST] > 0
    first_off, second_off = down & (first == TYPE.Flying), down & (second == TYPE.Flying)
    first = c.where(first_off, c.where(second == 0, TYPE.Normal, second), first)
    return first, c.where(first_off | second_off, 0, second)


def has_type(c: Context, s: Side, kind: Array | int) -> Array:
    """Return whether a type is among those that count now."""
    first, second, added = types_of(c, s)
    found = (first == kind) | (second == kind) | (added == kind)
    return found if isinstance(kind, int) else found & (kind != 0)


def grounded(c: Context, s: Side, ignore_type: Array | None = None) -> Array:
    """Return whether it touches the ground."""
    flying = has_type(c, s, TYPE.Flying)
    if ignore_type is not None:
        flying = flying & ~ignore_type
    return ~(flying | (s.ab == ABILITY.levitate))


def type_immunity(c: Context, s: Side, bit: int) -> Array:
    """Return whether its types give immunity to a status or the like (see `ids.IMMUNITY`)."""
    words = c.t.types.immunities
    found = c.zero
    for kind in types_of(c, s):
        found = found | c.look(words, kind)
    return has(found, bit)


def weather(c: Context) -> Array:
    """Return the weather, none while an ability suppresses it."""
    gone = c.no
    for s in (c.me, c.foe):
        gone = gone | (
            c.look(c.t.abilities.suppress_weather, s.ability)
            & ~fainted(s)
            & ~has(s.flags, Flag.ABILITY_ENDING)
        )
    return c.where(gone, Weather.NONE, c.f.weather)


def weather_for(c: Context, s: Side) -> Array:
    """Return the weather as a Pokemon feels it (an umbrella keeps sun and rain off)."""
    now = weather(c)
    sheltered = (
        (s.item == ITEM.utilityumbrella) & (now >= Weather.RAIN) & (now <= Weather.HARSH_SUN)
    )
    return c.where(sheltered, Weather.NONE, now)


def refresh_abilities(c: Context) -> None:
    """Set the abilities that work now: not those suppressed."""
    for s in (c.me, c.foe):
        s.ab = c.where(fainted(s), 0, s.ability)


def suppress_foe(c: Context, on: Array, s: Side) -> None:
    """Suppress the other side's abilities as far as possible, for a move that ignores abilities."""
    broken = on & (c.look(c.t.abilities.flags, s.ability) & BREAKABLE != 0)
    s.ab = c.where(broken & (s.item != ITEM.abilityshield), 0, s.ab)


def no_guard(s: Side) -> Array:
    """Return whether this Pokemon's No Guard works; not if it has just blown itself up."""
    return (s.ab == ABILITY.noguard) & (s.hp > 0)
