"""Weather, terrain and the effects of their change."""

from __future__ import annotations

from collections.abc import Callable

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import paradox
from envwright.zoo.pokemon.engine import ties
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, put
from envwright.zoo.pokemon.engine.ids import ITEM
from envwright.zoo.pokemon.state import Flag, Weather

ROCKS = {
    Weather.RAIN: "damprock",
    Weather.SUN: "heatrock",
    Weather.SAND: "smoothrock",
    Weather.SNOW: "icyrock",
    Weather.HAIL: "icyrock",
}
ENDLESS = (Weather.HEAVY_RAIN, Weather.HARSH_SUN, Weather.WINDS)


def set_weather(c: Context, on: Array, weather: Array | int, source: Side) -> Array:
    """Change the weather; return the lanes in which it changed."""
    if isinstance(weather, int):
        weather = c.ints(weather)
    strong = c.no
    for kind in ENDLESS:
        strong = strong | (
            (c.f.weather == kind)
            & (weather != Weather.HEAVY_RAIN)
            & (weather != Weather.HARSH_SUN)
            & (weather != Weather.WINDS)
        )
    on = on & (c.f.weather != weather) & ~strong
    turns = c.ints(5)
    for kind, rock in ROCKS.items():
        turns = c.where((weather == kind) & (source.item == getattr(ITEM, rock)), 8, turns)
    for kind in ENDLESS:
        turns = c.where(weather == kind, 0, turns)
    _change(c, on, "weather", weather, turns)
    return on


def clear_weather(c: Context, on: Array) -> None:
    """End the weather."""
    _change(c, on & (c.f.weather != 0), "weather", 0, 0)


def weather_changed(c: Context, on: Array) -> None:
    """Run both Pokemon's reactions to the weather."""
    _react(c, on, paradox.follow_weather)


def calm_ends(c: Context, on: Array, s: Side) -> None:
    """Run both Pokemon's reactions when one that suppresses the weather is about to leave."""
    on = on & c.look(c.t.abilities.suppress_weather, s.ability) & (s.ab != 0)
    s.flags = put(c, on, s.flags, Flag.ABILITY_ENDING)
    c.when(on, weather_changed)


def set_terrain(c: Context, on: Array, terrain: Array | int, source: Side) -> Array:
    """Change the terrain; return the lanes in which it changed."""
    if isinstance(terrain, int):
        terrain = c.ints(terrain)
    on = on & (c.f.terrain != terrain)
    _change(c, on, "terrain", terrain, c.where(source.item == ITEM.terrainextender, 8, 5))
    return on


def clear_terrain(c: Context, on: Array) -> None:
    """End the terrain."""
    _change(c, on & (c.f.terrain != 0), "terrain", 0, 0)


def _change(c: Context, on: Array, kind: str, now: Array | int, turns: Array | int) -> None:
    """Set the weather or the terrain and its duration, and run both Pokemon's reactions."""
    for name, value in ((kind, now), (f"{kind}_turns", turns)):
        setattr(c.f, name, c.where(on, value, getattr(c.f, name)))
    _react(c, on, paradox.follow_weather if kind == "weather" else paradox.follow_terrain)


def _react(c: Context, on: Array, follow: Callable[[Context, Array, Side], None]) -> None:
    """Run both Pokemon's reactions; a tie of their speeds draws a number."""
    ties.foe_first(c, on)
    for s in (c.me, c.foe):
        follow(c, on, s)
