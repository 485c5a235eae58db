"""The end of a turn: weather, healing, poison, and conditions that expire."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import residuals, update, white_herb
from envwright.zoo.pokemon.engine import faint, field, line, ties, volatiles
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.facts import (
    any_of,
    fainted,
    refresh_abilities,
    type_immunity,
    weather,
)
from envwright.zoo.pokemon.engine.hp import Cause, hurt, share
from envwright.zoo.pokemon.engine.ids import ABILITY, IMMUNITY, ITEM, TERRAIN
from envwright.zoo.pokemon.engine.line import Handler, Segment
from envwright.zoo.pokemon.state import Cond, Flag, Status, Timer, Weather

# counters without a place of their own; all handlers of a Pokemon there tie with each other
PLACELESS = (
    Timer.FLINCH, Timer.STALL, Timer.PROTECT, Timer.RECHARGE, Timer.LOCKED, Timer.CHARGING,
)  # fmt: skip
SIDE_TURNS = (Cond.REFLECT, Cond.LIGHT_SCREEN, Cond.TAILWIND, Cond.AURORA_VEIL)
COUNTED = (
    Timer.TAUNT, Timer.ENCORE, Timer.DISABLE, Timer.HEAL_BLOCK, Timer.THROAT_CHOP, Timer.YAWN,
    Timer.ROOST,
)  # fmt: skip
# All places, in the order in which they come.
PLACES = (
    "weather", "wish", "terrain", "early", "item", "seed", "poison", "burn", "curse", "bound",
    *(timer.name for timer in COUNTED), *(cond.name for cond in SIDE_TURNS),
    "trick room", "end of terrain", "late", "orb", "herb", "loose",
)  # fmt: skip
# Those that decide who is first in one of `residuals.RULES`, each with a bit.
DECIDING = {name: 1 << rule for rule, name in enumerate(residuals.PLACES)}
RAIN_OR_SUN = (Weather.RAIN, Weather.HEAVY_RAIN, Weather.SUN, Weather.HARSH_SUN, Weather.WINDS)


def run(c: Context, on: Array) -> None:
    """Run the end of a turn, in the lanes `on`."""
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
    line.note(c, on)


def _of_field(c: Context) -> list[Handler]:
    f = c.f
    return [
        Handler("trick room", f.trick_room > 0, age=0),
        Handler("weather", f.weather != 0, age=1),
        Handler("end of terrain", f.terrain != 0, age=2),
    ]


def _of_side(c: Context, s: Side) -> list[Handler]:
    """Return the handlers of a side and its Pokemon."""
    early, item, late, orb, herb = residuals.places(c, s)
    charging = line.lasting(s, "loose", Timer.CHARGING)
    hiding = charging.there & residuals.hides(c, s)
    poisoned = (s.status == Status.POISON) | (s.status == Status.TOXIC)
    return [
        *(line.lasting(s, cond.name, cond) for cond in SIDE_TURNS),
        Handler("poison", poisoned, Segment.STATUS),
        Handler("burn", s.status == Status.BURN, Segment.STATUS),
        line.lasting(s, "seed", Flag.LEECH_SEED),
        line.lasting(s, "curse", Flag.CURSE),
        line.lasting(s, "bound", Timer.BOUND),
        *(line.lasting(s, timer.name, timer) for timer in COUNTED),
        *(line.lasting(s, "loose", timer) for timer in PLACELESS),
        Handler("loose", hiding, Segment.VOLATILE, charging.age + 1),  # a condition of its own
        Handler("early", early, Segment.ABILITY),
        Handler("late", late, Segment.ABILITY),
        Handler("item", item, Segment.ITEM),
        Handler("orb", orb, Segment.ITEM),
        Handler("herb", herb, Segment.ITEM),
        Handler("wish", s.conditions[Cond.WISH] > 0, Segment.SLOT),
        Handler("terrain", c.f.terrain == TERRAIN.grassyterrain, Segment.TERRAIN),
    ]


def _counted(c: Context, handlers: list[Handler]) -> dict[str, Array]:
    """Count the handlers in each place."""
    counts: dict[str, Array] = dict.fromkeys(PLACES, c.zero)
    for one in handlers:
        counts[one.place] = counts[one.place] + c.i(one.there)
    return counts


def _tie_draws(c: Context, on: Array) -> None:
    """Draw for handlers that tie, which are shuffled.

    If two Pokemon have one handler each in a place, the number drawn decides who comes first
    (`c.mv.order`, a bit for each of `residuals.RULES`); elsewhere what handlers do does not depend
    on their order, and only the numbers are spent.
    """
    sides = _of_side(c, c.me), _of_side(c, c.foe)
    me, foe = (_counted(c, handlers) for handlers in sides)
    tie = c.me.speed == c.foe.speed
    always = {cond.name for cond in SIDE_TURNS}  # these have no speed
    total, before = c.zero, {}
    for name in PLACES:
        a, b = me[name], foe[name]
        before[name] = total
        together = c.xp.maximum(a + b - 1, 0)
        apart = c.xp.maximum(a - 1, 0) + c.xp.maximum(b - 1, 0)
        total = total + (together if name in always else c.where(tie, together, apart))
    c.mv.order = c.zero
    c.mv.second = c.where(on, total, 0)
    c.loop(lambda c: c.mv.second > 0, _spend)
    order, some = c.zero, c.no
    for name, bit in DECIDING.items():
        pair = on & tie & (me[name] == 1) & (foe[name] == 1)
        drawn = has(c.mv.order, c.xp.clip(total - 1 - before[name], 0, 31))
        order, some = order | c.where(pair & drawn, bit, 0), some | pair
    c.mv.order = order
    c.when(some, _exchange, [_of_field(c), *sides])


def _exchange(c: Context, on: Array, handlers: list[list[Handler]]) -> None:
    places = {name: DECIDING.get(name, 0) for name in PLACES}
    turned = line.exchanged(c, on, handlers, places)
    c.mv.order = c.where(on, c.mv.order ^ turned, c.mv.order)


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


def _sand_proof(c: Context, s: Side) -> Array:
    proof = type_immunity(c, s, IMMUNITY["sandstorm"]) | (s.item == ITEM.safetygoggles)
    return any_of(proof, s.ab, ABILITY, "sandrush", "sandforce", "overcoat")


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
            s.timers[timer] = c.where(here & (left > 0), left - 1, left)
        s.timers[Timer.LOCKED] = c.where(asleep, 0, s.timers[Timer.LOCKED])
        # a rampage that was interrupted ends in confusion all the same
        c.when(ends & (s.locked_left <= 1), volatiles.confuse, s)
