"""Abilities as rows; what rows cannot say is a rule in the module of its trigger."""

from __future__ import annotations

from typing import Any

from envwright.zoo.pokemon.effects.rows import (
    DOUBLE,
    HALF,
    ONE_AND_HALF,
    ONE_AND_QUARTER,
    THREE_QUARTERS,
    Event,
    Fact,
    Gate,
    Modifier,
    Op,
    Reply,
    Row,
    Trigger,
)
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.state import Flag, Status, Weather

FIFTH, THIRD = 4915, 5325  # one and a fifth, one and a third


def _attack(factor: int, priority: int = 5, **kw: Any) -> list[Row]:
    return [Modifier(event, factor, priority, **kw) for event in (Event.ATK, Event.SPA)]


def _pinch(kind: str) -> list[Row]:
    return _attack(ONE_AND_HALF, guard=(Fact.USER_LOW,), types=(kind,))


def _power(factor: int, priority: int, *guard: Fact) -> list[Row]:
    return [Modifier(Event.POWER, factor, priority, guard=guard)]


def _weather_speed(fact: Fact) -> list[Row]:
    return [Modifier(Event.SPE, DOUBLE, guard=(fact,))]


def _shield(factor: int, *guard: Fact) -> list[Row]:
    return [Modifier(Event.DAMAGE, factor, guard=guard, of_target=True)]


def _softens(*types: str) -> list[Row]:
    return [
        Modifier(Event.ATK, HALF, 6, types=types, of_target=True),
        Modifier(Event.SPA, HALF, 5, types=types, of_target=True),
    ]


def _touched(status: Status) -> list[Row]:
    return [
        Reply(Trigger.HIT, Op.STATUS, status, on_other=True, guard=(Fact.CONTACT,), chance=(3, 10))
    ]


def _surge(terrain: str) -> list[Row]:
    return [Reply(Trigger.SWITCH_IN, Op.TERRAIN, NAMES.number("terrains", terrain))]


def _after_ko(stat: str) -> list[Row]:
    return [Reply(Trigger.KO, Op.BOOST, boosts=((stat, 1),))]


ABILITIES: dict[str, list[Row]] = {
    "blaze": _pinch("Fire"),
    "chillingneigh": _after_ko("atk"),
    "chlorophyll": _weather_speed(Fact.SUN),
    "compoundeyes": [Modifier(Event.ACCURACY, THIRD, -1)],
    "bulletproof": [Gate(flags=("bullet",))],
    "dragonsmaw": _attack(ONE_AND_HALF, types=("Dragon",)),
    "drizzle": [Reply(Trigger.SWITCH_IN, Op.WEATHER, Weather.RAIN)],
    "drought": [Reply(Trigger.SWITCH_IN, Op.WEATHER, Weather.SUN)],
    "dryskin": [
        Gate(types=("Water",), heal=4),
        Modifier(Event.POWER, ONE_AND_QUARTER, 17, types=("Fire",), of_target=True),
    ],
    "eartheater": [Gate(types=("Ground",), heal=4)],
    "electricsurge": _surge("electricterrain"),
    "filter": _shield(THREE_QUARTERS, Fact.SUPER_EFFECTIVE),
    "flamebody": _touched(Status.BURN),
    "flashfire": [Gate(types=("Fire",), flag=Flag.FLASH_FIRE)],
    "grassysurge": _surge("grassyterrain"),
    "gooey": [
        Reply(Trigger.HIT, Op.BOOST, boosts=(("spe", -1),), on_other=True, guard=(Fact.CONTACT,))
    ],
    "grimneigh": _after_ko("spa"),
    "guts": [Modifier(Event.ATK, ONE_AND_HALF, 5, guard=(Fact.USER_STATUS,))],
    "heatproof": _softens("Fire"),
    "hugepower": [Modifier(Event.ATK, DOUBLE, 5)],
    "hustle": [Modifier(Event.ACCURACY, 3277, -1, guard=(Fact.PHYSICAL,))],
    "icescales": _shield(HALF, Fact.SPECIAL),
    "ironfist": _power(FIFTH, 23, Fact.PUNCH),
    "justified": [Reply(Trigger.HIT, Op.BOOST, boosts=(("atk", 1),), types=("Dark",))],
    "lightningrod": [Gate(types=("Electric",), boost=("spa", 1))],
    "megalauncher": _power(ONE_AND_HALF, 19, Fact.PULSE),
    "motordrive": [Gate(types=("Electric",), boost=("spe", 1))],
    "moxie": _after_ko("atk"),
    "multiscale": _shield(HALF, Fact.TARGET_FULL),
    "overgrow": _pinch("Grass"),
    "pixilate": _power(FIFTH, 23, Fact.TYPE_CHANGED),
    "psychicsurge": _surge("psychicterrain"),
    "purepower": [Modifier(Event.ATK, DOUBLE, 5)],
    "reckless": _power(FIFTH, 23, Fact.RECOIL),
    "roughskin": [Reply(Trigger.HIT, Op.HURT, 8, on_other=True, guard=(Fact.CONTACT,), order=1)],
    "sandrush": _weather_speed(Fact.SAND),
    "sandstream": [Reply(Trigger.SWITCH_IN, Op.WEATHER, Weather.SAND)],
    "sapsipper": [Gate(types=("Grass",), boost=("atk", 1), priority=1)],
    "shadowshield": _shield(HALF, Fact.TARGET_FULL),
    "sharpness": _power(ONE_AND_HALF, 19, Fact.SLICING),
    "sheerforce": _power(THIRD, 21, Fact.SHEER),
    "slowstart": [
        Modifier(Event.ATK, HALF, 5, guard=(Fact.SLOW_START,)),
        Modifier(Event.SPE, HALF, guard=(Fact.SLOW_START,)),
    ],
    "slushrush": _weather_speed(Fact.SNOW),
    "sniper": [Modifier(Event.DAMAGE, ONE_AND_HALF, guard=(Fact.CRITICAL,))],
    "snowwarning": [Reply(Trigger.SWITCH_IN, Op.WEATHER, Weather.SNOW)],
    "solidrock": _shield(THREE_QUARTERS, Fact.SUPER_EFFECTIVE),
    "soundproof": [Gate(flags=("sound",))],
    "stakeout": _attack(DOUBLE, guard=(Fact.TARGET_NEW,)),
    "stamina": [Reply(Trigger.HIT, Op.BOOST, boosts=(("def", 1),))],
    "static": _touched(Status.PARALYSIS),
    "steelyspirit": [Modifier(Event.POWER, ONE_AND_HALF, 22, types=("Steel",))],
    "stormdrain": [Gate(types=("Water",), boost=("spa", 1))],
    "strongjaw": _power(ONE_AND_HALF, 19, Fact.BITE),
    "swarm": _pinch("Bug"),
    "swiftswim": _weather_speed(Fact.RAIN),
    "technician": _power(ONE_AND_HALF, 30, Fact.WEAK_POWER),
    "thickfat": _softens("Ice", "Fire"),
    "tintedlens": [Modifier(Event.DAMAGE, DOUBLE, guard=(Fact.RESISTED,))],
    "torrent": _pinch("Water"),
    "toughclaws": _power(THIRD, 21, Fact.CONTACT),
    "toxicboost": _power(ONE_AND_HALF, 19, Fact.USER_POISONED, Fact.PHYSICAL),
    "voltabsorb": [Gate(types=("Electric",), heal=4)],
    "waterabsorb": [Gate(types=("Water",), heal=4)],
    "weakarmor": [
        Reply(Trigger.HIT, Op.BOOST, boosts=(("def", -1), ("spe", 2)), guard=(Fact.PHYSICAL,))
    ],
    "windrider": [Gate(flags=("wind",), boost=("atk", 1))],
    "wellbakedbody": [Gate(types=("Fire",), boost=("def", 2))],
}
