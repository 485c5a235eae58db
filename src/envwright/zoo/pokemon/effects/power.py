"""Moves whose power, damage or type depends on the battle."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects.item_use import removable
from envwright.zoo.pokemon.effects.modifiers import ITEM_PLACE, MOVE_PLACE, VOLATILE_PLACE, Factor
from envwright.zoo.pokemon.engine import ties
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.facts import grounded, terastallized, types_of, weather_for
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, MOVE, TERRAIN, TYPE
from envwright.zoo.pokemon.engine.numbers import ONE, boosted
from envwright.zoo.pokemon.state import Flag, Result, Status, Turn, Weather


def weight(c: Context, s: Side) -> Array:
    """Return the weight in 100 g, at least 1."""
    own = c.look(c.t.species.weight_hg, s.species)
    own = c.where(s.ab == ABILITY.heavymetal, own * 2, own)
    own = c.where(s.ab == ABILITY.lightmetal, own >> 1, own)
    return c.xp.maximum(own, 1)


def base_power(c: Context) -> Array:
    """Return the power before modifiers (basePowerCallback)."""
    mv, me, foe = c.mv, c.me, c.foe
    power = mv.power

    def given(names: tuple[str, ...], value: Array) -> None:
        nonlocal power
        for name in names:
            power = c.where(mv.id == getattr(MOVE, name), value, power)

    mine, theirs = weight(c, me), weight(c, foe)
    ratio = c.div(mine, theirs)
    by_ratio = c.where(ratio >= 5, 120, c.where(ratio >= 4, 100, c.where(ratio >= 3, 80, c.where(
        ratio >= 2, 60, 40))))  # fmt: skip
    given(("heavyslam", "heatcrash"), by_ratio)
    by_weight = c.zero + 20
    for least, value in ((100, 40), (250, 60), (500, 80), (1000, 100), (2000, 120)):
        by_weight = c.where(theirs >= least, value, by_weight)
    given(("grassknot", "lowkick"), by_weight)
    given(("acrobatics",), c.where(me.item == 0, mv.power * 2, mv.power))
    raised = c.xp.maximum(me.boosts, 0).sum(0).astype(c.xp.int32)
    given(("storedpower", "powertrip"), mv.power + raised * 20)
    failed = me.last_result == Result.FAILURE
    given(("stompingtantrum", "temperflare"), c.where(failed, mv.power * 2, mv.power))
    given(("ragefist",), c.xp.minimum(50 + me.times_hit * 50, 350))
    given(("tripleaxel",), mv.hit * 20)
    pace = c.div(ties.speed_stat(c, foe) * 25, c.xp.maximum(ties.speed_stat(c, me), 1)) + 1
    given(("gyroball",), c.xp.minimum(pace, 150))
    given(("terablast",), c.where(terastallized(me) & (me.tera == TYPE.Stellar), 100, mv.power))
    ill = (foe.status != 0) | (foe.ab == ABILITY.comatose)
    given(("hex",), c.where(ill, mv.power * 2, mv.power))
    by_hp = c.xp.maximum(c.div(mv.power * me.hp, c.xp.maximum(me.maxhp, 1)), 1)
    given(("eruption", "waterspout", "dragonenergy"), by_hp)
    return power


def parts(c: Context) -> list[Factor]:
    """Return the factors of the power from the move, the terrain and the user's conditions."""
    mv, me, foe = c.mv, c.me, c.foe
    factor = c.ints(ONE)

    def given(name: str, when: Array, value: int) -> None:
        nonlocal factor
        factor = c.where((mv.id == getattr(MOVE, name)) & when, value, factor)

    given("knockoff", removable(c, foe, foe.item), 6144)
    given("facade", (me.status != 0) & (me.status != Status.SLEEP), 8192)
    given("lashout", has(me.turn_flags, Turn.STATS_LOWERED), 8192)
    sky = weather_for(c, me)
    dim = (sky != Weather.NONE) & (sky != Weather.SUN) & (sky != Weather.HARSH_SUN)
    given("solarbeam", dim & (sky != Weather.WINDS), 2048)
    given("collisioncourse", mv.matchup > 0, 5461)
    given("electrodrift", mv.matchup > 0, 5461)
    electric = c.f.terrain == TERRAIN.electricterrain
    given("psyblade", electric, 6144)
    charged = has(me.flags, Flag.CHARGE) & (mv.type == TYPE.Electric)
    return [
        Factor(factor, 0, MOVE_PLACE, me),
        Factor(_terrain(c), 6, 5),
        Factor(c.where(_soul_dew(c), 4915, ONE), 15, ITEM_PLACE, me),
        Factor(c.where(charged, 8192, ONE), 9, VOLATILE_PLACE, me),
    ]


def _soul_dew(c: Context) -> Array:
    mv, me = c.mv, c.me
    number = c.look(c.t.species.num, me.species)
    fits = (mv.type == TYPE.Psychic) | (mv.type == TYPE.Dragon)
    return (me.item == ITEM.souldew) & fits & ((number == 380) | (number == 381))


def _terrain(c: Context) -> Array:
    mv, me, foe = c.mv, c.me, c.foe
    standing = grounded(c, me)
    terrain, kind = c.f.terrain, mv.type
    up = c.no
    for name, own in (
        ("electricterrain", TYPE.Electric),
        ("grassyterrain", TYPE.Grass),
        ("psychicterrain", TYPE.Psychic),
    ):
        up = up | ((terrain == getattr(TERRAIN, name)) & (kind == own))
    quake = (mv.id == MOVE.earthquake) | (mv.id == MOVE.bulldoze)
    down = (terrain == TERRAIN.mistyterrain) & (kind == TYPE.Dragon)
    down = (down | ((terrain == TERRAIN.grassyterrain) & quake)) & grounded(c, foe)
    return c.where(down, 2048, c.where(up & standing, 5325, ONE))


def fixed_damage(c: Context) -> Array:
    """Return damage that ignores power (damageCallback); 0: other moves, -1: the user's level."""
    mv, me, foe = c.mv, c.me, c.foe
    half = (mv.id == MOVE.superfang) | (mv.id == MOVE.ruination) | (mv.id == MOVE.naturesmadness)
    fixed = c.where(half, c.xp.maximum(c.div(foe.hp, 2), 1), mv.fixed)
    fixed = c.where(mv.id == MOVE.endeavor, c.xp.maximum(foe.hp - me.hp, 0), fixed)
    return c.where(mv.ohko > 0, foe.maxhp, fixed)


def modify_type(c: Context) -> None:
    """Change the move's type or category before it is used, by moves and abilities."""
    mv, me = c.mv, c.me
    tera = terastallized(me)
    blast = (mv.id == MOVE.terablast) & tera
    kind = c.where(blast, me.tera, mv.type)
    kind = c.where(mv.id == MOVE.revelationdance, types_of(c, me)[0], kind)
    kind = c.where(mv.id == MOVE.struggle, 0, kind)  # before abilities can change it
    sky = weather_for(c, me)
    ball = mv.id == MOVE.weatherball
    for weathers, own in (
        ((Weather.SUN, Weather.HARSH_SUN), TYPE.Fire),
        ((Weather.RAIN, Weather.HEAVY_RAIN), TYPE.Water),
        ((Weather.SAND,), TYPE.Rock),
        ((Weather.HAIL, Weather.SNOW), TYPE.Ice),
    ):
        for weather in weathers:
            here = ball & (sky == weather)
            kind = c.where(here, own, kind)
            mv.power = c.where(here, 100, mv.power)
    fixed_type = blast | ball | (mv.id == MOVE.revelationdance) | (mv.id == MOVE.judgment)
    mv.type_changed = (me.ab == ABILITY.pixilate) & (kind == TYPE.Normal) & ~fixed_type
    mv.type = c.where(mv.type_changed, TYPE.Fairy, kind)
    strong = boosted(c, me.stats[0], me.boosts[0]) > boosted(c, me.stats[2], me.boosts[2])
    mv.category = c.where(blast & strong, 0, mv.category)
    mv.stellar_blast = blast & (me.tera == TYPE.Stellar)
