"""The end of a turn: weather, healing, poison, things that run out."""

from __future__ import annotations

from typing import Any

from envwright.zoo.pokemon.effects import residuals, update, white_herb
from envwright.zoo.pokemon.engine import faint, field, ties
from envwright.zoo.pokemon.engine.context import Box, Context, has
from envwright.zoo.pokemon.engine.facts import fainted, refresh_abilities, type_immunity, weather
from envwright.zoo.pokemon.engine.hp import Cause, hurt, share
from envwright.zoo.pokemon.engine.ids import ABILITY, IMMUNITY, ITEM, TERRAIN
from envwright.zoo.pokemon.state import Cond, Flag, Status, Timer, Weather

Array = Any
# counters without a place of their own; all handlers of a Pokemon there tie with each other
PLACELESS = (
    Timer.FLINCH, Timer.STALL, Timer.PROTECT, Timer.ENDURE, Timer.RECHARGE, Timer.LOCKED,
    Timer.CHARGING, Timer.GLAIVE_RUSH, Timer.FOCUS_PUNCH, Timer.BEAK_BLAST, Timer.COUNTER,
)  # fmt: skip
SIDE_TURNS = (
    Cond.REFLECT, Cond.LIGHT_SCREEN, Cond.SAFEGUARD, Cond.MIST, Cond.TAILWIND, Cond.AURORA_VEIL,
)  # fmt: skip
COUNTED = (
    Timer.SYRUP, Timer.TAUNT, Timer.ENCORE, Timer.DISABLE, Timer.MAGNET_RISE, Timer.HEAL_BLOCK,
    Timer.THROAT_CHOP, Timer.YAWN, Timer.PERISH, Timer.ROOST,
)  # fmt: skip
RAIN_OR_SUN = (Weather.RAIN, Weather.HEAVY_RAIN, Weather.SUN, Weather.HARSH_SUN, Weather.WINDS)


def run(c: Context, on: Array) -> None:
    """One end of a turn, in the lanes `on`."""
    refresh_abilities(c)
    ties.update_speeds(c, on)
    _tie_draws(c, on)
    turned = on & (c.foe.speed > c.me.speed)
    c.flip(turned)
    _weather(c, on)
    on = on & (c.f.winner == 0)
    residuals.run(c, on)
    on = on & (c.f.winner == 0)
    _side_turns(c, on)
    _field_turns(c, on)
    white_herb.run(c, on)
    _placeless(c, on)


def _handlers(c: Context, s: Box) -> dict[str, Array]:
    """How many handlers a side has in each place, in the order of the places."""
    early, item, late, orb, herb = residuals.places(c, s)
    loose = c.i((s.timers[Timer.CHARGING] > 0) & residuals.hides(c, s))
    for timer in PLACELESS:
        loose = loose + c.i(s.timers[timer] > 0)
    return {
        "future": c.i(s.conditions[Cond.FUTURE] > 0),
        "wish": c.i(s.conditions[Cond.WISH] > 0),
        "terrain": c.i(c.f.terrain == TERRAIN.grassyterrain),
        "early": early,
        "item": item,
        "aqua ring": c.i(has(s.flags, Flag.AQUA_RING)),
        "ingrain": c.i(has(s.flags, Flag.INGRAIN)),
        "seed": c.i(has(s.flags, Flag.LEECH_SEED)),
        "poison": c.i((s.status == Status.POISON) | (s.status == Status.TOXIC)),
        "burn": c.i(s.status == Status.BURN),
        "curse": c.i(has(s.flags, Flag.CURSE)),
        "bound": c.i(s.timers[Timer.BOUND] > 0) + c.i(has(s.flags, Flag.SALT_CURE)),
        **{timer.name: c.i(s.timers[timer] > 0) for timer in COUNTED},
        **{cond.name: c.i(s.conditions[cond] > 0) for cond in SIDE_TURNS},
        "late": late,
        "orb": orb,
        "herb": herb,
        "loose": loose,
    }


def _tie_draws(c: Context, on: Array) -> None:
    """Handlers that tie are shuffled. Of two Pokemon with one handler each in a place, the number
    drawn tells who comes first (`c.mv.order`, a bit for each of `residuals.RULES`); elsewhere what
    handlers do hardly depends on their order, and only the numbers are spent.

    The simulator's sort may exchange handlers of places to come before they are shuffled: that is
    not followed here."""
    me, foe = _handlers(c, c.me), _handlers(c, c.foe)
    tie = c.me.speed == c.foe.speed
    sides = {cond.name for cond in SIDE_TURNS}  # these have no speed, and always tie
    total, before = c.zero, {}
    for name, a in me.items():
        b = foe[name]
        before[name] = total
        together = c.xp.maximum(a + b - 1, 0)
        apart = c.xp.maximum(a - 1, 0) + c.xp.maximum(b - 1, 0)
        total = total + (together if name in sides else c.where(tie, together, apart))
    c.mv.order = c.zero
    c.mv.second = c.where(on, total, 0)
    c.loop(lambda c: c.mv.second > 0, _spend)
    order = c.zero
    for rule, name in enumerate(residuals.PLACES):
        pair = on & tie & (me[name] == 1) & (foe[name] == 1)
        drawn = has(c.mv.order, c.xp.clip(total - 1 - before[name], 0, 31))
        order = order | c.where(pair & drawn, 1 << rule, 0)
    c.mv.order = order


def _spend(c: Context) -> None:
    going = c.mv.second > 0
    drawn = c.draw(going, 2).astype(c.xp.int32)
    c.mv.order = c.where(going, c.mv.order * 2 + drawn, c.mv.order)
    c.mv.second = c.mv.second - 1


def _weather(c: Context, on: Array) -> None:
    f = c.f
    timed = on & (f.weather != 0) & (f.weather_turns > 0)
    f.weather_turns = c.where(timed, f.weather_turns - 1, f.weather_turns)
    ends = timed & (f.weather_turns == 0)
    c.when(ends, field.clear_weather)
    stays = on & (f.weather != 0) & ~ends
    shown = weather(c) != 0
    always = c.no
    for kind in RAIN_OR_SUN:
        always = always | (f.weather == kind)
    c.when(stays & (always | shown), _weather_acts)


def _weather_acts(c: Context, on: Array) -> None:
    foe_first = ties.foe_first(c, on)
    sky = weather(c)
    for s, here in ((c.foe, on & foe_first), (c.me, on), (c.foe, on & ~foe_first)):
        here = here & ~fainted(s)
        sand = here & (sky == Weather.SAND) & ~_sand_proof(c, s)
        hurt(c, sand, s, share(c, s, 16), Cause.WEATHER)
        residuals.in_weather(c, here, s, sky)
    update.run(c, on)
    faint.run(c, on)


def _sand_proof(c: Context, s: Box) -> Array:
    proof = type_immunity(c, s, IMMUNITY["sandstorm"]) | (s.item == ITEM.safetygoggles)
    for name in ("sandrush", "sandforce", "sandveil", "overcoat"):
        proof = proof | (s.ab == getattr(ABILITY, name))
    return proof


def _side_turns(c: Context, on: Array) -> None:
    for s in (c.me, c.foe):
        for cond in SIDE_TURNS:
            left = s.conditions[cond]
            s.conditions[cond] = c.where(on & (left > 0), left - 1, left)


def _field_turns(c: Context, on: Array) -> None:
    f = c.f
    f.trick_room = c.where(on & (f.trick_room > 0), f.trick_room - 1, f.trick_room)
    laid = on & (f.terrain != 0) & (f.terrain_turns > 0)
    f.terrain_turns = c.where(laid, f.terrain_turns - 1, f.terrain_turns)
    c.when(laid & (f.terrain_turns == 0), field.clear_terrain)


def _placeless(c: Context, on: Array) -> None:
    for s in (c.me, c.foe):
        here = on & ~fainted(s)
        locked = here & (s.timers[Timer.LOCKED] > 0)
        s.locked_left = c.where(
            locked & (s.timers[Timer.LOCKED] > 1), s.locked_left - 1, s.locked_left
        )
        asleep = locked & (s.status == Status.SLEEP)
        ends = locked & (s.timers[Timer.LOCKED] == 1)
        for timer in PLACELESS:
            left = s.timers[timer]
            lowered = c.where(left == 2, 0, left - 1) if timer == Timer.FOCUS_PUNCH else left - 1
            s.timers[timer] = c.where(here & (left > 0), lowered, left)
        s.timers[Timer.LOCKED] = c.where(asleep, 0, s.timers[Timer.LOCKED])
        c.when(ends & (s.locked_left <= 1), residuals.rampage_over, s)
