"""Compute the damage of a hit."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import modifiers, power
from envwright.zoo.pokemon.effects.modifiers import Factor
from envwright.zoo.pokemon.effects.rows import Event, Fact
from envwright.zoo.pokemon.engine import ties
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.facts import (
    grounded,
    has_type,
    own_types,
    terastallized,
    types_of,
    weather,
    weather_for,
)
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, MOVE, SPECIES, TERRAIN, TYPE
from envwright.zoo.pokemon.engine.numbers import ONE, boosted, modify
from envwright.zoo.pokemon.state import Cond, Flag, Status, Weather

CRIT_CHANCE = (1, 24, 8, 2, 1)
PHYSICAL, SPECIAL, STATUS = range(3)


def type_matchup(c: Context, s: Side, kind: Array) -> Array:
    """Return the exponent of a type against a Pokemon: each type adds -1, 0 or 1."""
    total = c.zero
    for own in types_of(c, s):
        total = total + c.look(c.t.types.exponent, kind, own)
    return total


def effectiveness(c: Context) -> Array:
    """Return the exponent of the move against `foe`; some moves have their own chart."""
    mv, foe = c.mv, c.foe
    total = c.zero
    grass_winds = weather(c) == Weather.WINDS
    for own in types_of(c, foe):
        part = c.look(c.t.types.exponent, mv.type, own)
        part = c.where((mv.id == MOVE.freezedry) & (own == TYPE.Water), 1, part)
        extra = c.look(c.t.types.exponent, c.ints(TYPE.Flying), own)
        part = c.where(mv.id == MOVE.flyingpress, part + extra, part)
        part = c.where(grass_winds & (own == TYPE.Flying) & (part > 0), 0, part)
        total = total + part
    stellar = terastallized(foe) & (mv.type == TYPE.Stellar)
    total = c.where(_disguised(c), 0, total)
    return c.xp.clip(c.where(stellar, 1, total), -6, 6)


def _disguised(c: Context) -> Array:
    """Return whether the disguise of `foe` will take the hit."""
    mv, foe = c.mv, c.foe
    disguised = (foe.ab == ABILITY.disguise) & (foe.species == SPECIES.mimikyu)
    return disguised & ~((foe.sub_hp > 0) & ~mv.bypasssub)


def immune_by_type(c: Context, s: Side, kind: Array, ignored: Array) -> Array:
    """Return whether a Pokemon's types are immune to a type (`ignored`: bits of types that hit)."""
    chart = c.t.types.immune
    found = c.no
    for own in types_of(c, s):
        found = found | c.look(chart, kind, own)
    airborne = (kind == TYPE.Ground) & ~grounded(c, s)
    found = c.where(kind == TYPE.Ground, airborne, found)
    return found & ~has(ignored, kind) & (kind != 0)


def facts_of_hit(c: Context) -> dict[Fact, Array]:
    """Return the facts that rows may require of the hit that `me` deals to `foe`."""
    mv, me, foe = c.mv, c.me, c.foe
    own = modifiers.holder_facts(c, me)
    return own | {
        Fact.PHYSICAL: mv.category == PHYSICAL,
        Fact.SPECIAL: mv.category == SPECIAL,
        Fact.CONTACT: mv.contact,
        Fact.PUNCH: mv.punch,
        Fact.BITE: mv.bite,
        Fact.SLICING: mv.slicing,
        Fact.PULSE: mv.pulse,
        Fact.SOUND: mv.sound,
        Fact.RECOIL: mv.recoils,
        Fact.SHEER: mv.sheer,
        Fact.TYPE_CHANGED: mv.type_changed,
        Fact.USER_LOW: me.hp * 3 <= me.maxhp,
        Fact.USER_POISONED: me.status >= Status.POISON,
        Fact.USER_BURNED: me.status == Status.BURN,
        Fact.TARGET_FULL: foe.hp >= foe.maxhp,
        Fact.SUPER_EFFECTIVE: mv.matchup > 0,
        Fact.RESISTED: mv.matchup < 0,
        Fact.CRITICAL: mv.crit,
        Fact.TARGET_NEW: foe.active_turns == 0,
        Fact.WEAK_POWER: mv.now_power <= 60,
        Fact.GRASSY_TERRAIN: c.f.terrain == TERRAIN.grassyterrain,
        Fact.TARGET_STATUS: foe.status != 0,
    }


def _rows(c: Context, on: Array, event: Array | int, facts: Array) -> list[Factor]:
    """Apply the rows of both sides; two abilities (or items) that tie draw a number."""
    me, foe = c.me, c.foe
    parts: list[Factor] = []
    for rows, name, place in (
        (c.rows.ability_modifiers, "ab", modifiers.ABILITY_PLACE),
        (c.rows.item_modifiers, "item", modifiers.ITEM_PLACE),
    ):
        found = []
        for s, of_target in ((me, False), (foe, True)):
            holder = getattr(s, name)
            found.append(modifiers.row(c, rows, event, holder, of_target, facts, c.mv.type))
            parts.append(Factor(found[-1][0], found[-1][1], place, s))
        (_, mine, there), (_, theirs, too) = found
        tie = on & there & too & (mine == theirs) & (me.speed == foe.speed)
        c.when(tie, Context.draw, 2)
    return parts


def critical(c: Context, on: Array) -> Array:
    """Return whether the hit is critical; draws a number unless it is certain."""
    mv, me, foe = c.mv, c.me, c.foe
    ratio = mv.crit_ratio + c.where(has(me.flags, Flag.FOCUS_ENERGY), 2, 0)
    sharp = (me.item == ITEM.scopelens) | (me.item == ITEM.razorclaw)
    ratio = ratio + c.i(sharp) + c.i(me.ab == ABILITY.superluck)
    ratio = c.xp.clip(ratio, 0, 4)
    bound = c.look(c.xp.asarray(CRIT_CHANCE, c.xp.int32), ratio)
    rolls = on & ~mv.will_crit & (ratio > 0)
    crit = (on & mv.will_crit) | (rolls & (c.draw(rolls, bound) == 0))
    proof = (foe.ab == ABILITY.battlearmor) | (foe.ab == ABILITY.shellarmor)
    disguised = _disguised(c)
    return crit & ~proof & ~disguised


def calculate(c: Context, on: Array) -> Array:
    """Return the damage of one hit of `me` on `foe` in the lanes `on`; draws for crit and spread.

    The result is also left in `c.mv`: `crit`, `matchup`. A move without power gives 0.
    """
    mv, me = c.mv, c.me
    mv.now_power = c.xp.maximum(power.base_power(c), 0)
    plain = on & (mv.fixed == 0) & (mv.now_power > 0)
    crit = critical(c, plain)
    mv.crit = c.where(on, crit, mv.crit)
    mv.matchup = c.where(on, effectiveness(c), mv.matchup)
    facts = modifiers.word(c, facts_of_hit(c))
    strength = _power(c, plain, facts)
    ties.boosts_asked(c, plain, 2)
    attack, defense = _attack(c, plain, facts), _defense(c, plain, facts)
    level = c.div(me.level * 2, 5) + 2
    damage = c.div(c.div(level * strength * attack, c.xp.maximum(defense, 1)), 50) + 2
    damage = modify(damage, _weather_factor(c))
    damage = c.where(mv.crit, damage + (damage >> 1), damage)
    damage = c.div(damage * (100 - c.draw(plain, 16)), 100)
    damage = modify(damage, _stab(c, plain))
    up, down = c.xp.maximum(mv.matchup, 0), c.xp.maximum(-mv.matchup, 0)
    damage = (damage << up) >> down
    burned = (me.status == Status.BURN) & (mv.category == PHYSICAL)
    burned = burned & (me.ab != ABILITY.guts) & (mv.id != MOVE.facade)
    damage = c.where(burned, modify(damage, 2048), damage)
    damage = _final(c, plain, facts, damage)
    damage = c.where(damage == 0, 1, damage & 0xFFFF)
    level_damage = c.where(mv.fixed == -1, me.level, mv.fixed)
    return c.where(plain, damage, c.where(mv.fixed != 0, level_damage, 0))


def _power(c: Context, on: Array, facts: Array) -> Array:
    mv, me = c.mv, c.me
    parts = power.parts(c) + _rows(c, on, Event.POWER, facts)
    strength = c.xp.maximum(modify(mv.now_power, modifiers.chained(c, parts)), 1)
    fits = has_type(c, me, mv.type)
    unused = ~has(me.stellar, mv.type)
    fits = c.where(me.tera == TYPE.Stellar, unused, fits)
    lifted = terastallized(me) & fits & (strength < 60) & (mv.base_priority <= 0)
    lifted = lifted & ~mv.multihit & ~mv.variable_power
    return c.where(lifted, 60, strength)


def _attack(c: Context, on: Array, facts: Array) -> Array:
    mv, me, foe = c.mv, c.me, c.foe
    stat = c.where(mv.offensive_stat > 0, mv.offensive_stat - 1, mv.category * 2)
    stage, value = c.zero, c.zero
    for index in (0, 1, 2):
        of_me = stat == index
        stage = c.where(
            of_me, c.where(mv.offensive_target, foe.boosts[index], me.boosts[index]), stage
        )
        value = c.where(
            of_me, c.where(mv.offensive_target, foe.stats[index], me.stats[index]), value
        )
    stage = c.where(mv.crit, c.xp.maximum(stage, 0), stage)
    stage = c.where(foe.ab == ABILITY.unaware, 0, stage)
    attack = boosted(c, value, stage)
    attack = c.where(
        (me.ab == ABILITY.hustle) & (mv.category == PHYSICAL), modify(attack, 6144), attack
    )
    event = c.where(mv.category == PHYSICAL, int(Event.ATK), int(Event.SPA))
    parts = _rows(c, on, event, facts)
    paradox = has(me.flags, Flag.PROTOSYNTHESIS) | has(me.flags, Flag.QUARK_DRIVE)
    paradox = paradox & (me.paradox_stat == mv.category * 2) & (me.ab != 0)
    fire = has(me.flags, Flag.FLASH_FIRE) & (mv.type == TYPE.Fire) & (me.ab == ABILITY.flashfire)
    place = modifiers.VOLATILE_PLACE
    parts.append(Factor(c.where(paradox, 5325, ONE), 5, place, me))
    parts.append(Factor(c.where(fire, 6144, ONE), 5, place, me))
    return c.xp.maximum(modify(attack, modifiers.chained(c, parts)), 1)


def _defense(c: Context, on: Array, facts: Array) -> Array:
    mv, me, foe = c.mv, c.me, c.foe
    stat = c.where(mv.defensive_stat > 0, mv.defensive_stat - 1, c.where(mv.category == 0, 1, 3))
    against_def = stat == 1
    stage = c.where(against_def, foe.boosts[1], foe.boosts[3])
    value = c.where(against_def, foe.stats[1], foe.stats[3])
    stage = c.where(mv.crit, c.xp.minimum(stage, 0), stage)
    stage = c.where(mv.ignore_defensive | (me.ab == ABILITY.unaware), 0, stage)
    defense = boosted(c, value, stage)
    sky = weather_for(c, foe)
    rock = (sky == Weather.SAND) & ~against_def & has_type(c, foe, TYPE.Rock)
    ice = (sky == Weather.SNOW) & against_def & has_type(c, foe, TYPE.Ice)
    defense = c.where(rock | ice, modify(defense, 6144), defense)
    event = c.where(against_def, int(Event.DEF), int(Event.SPD))
    own = modifiers.word(c, modifiers.holder_facts(c, foe)) | (facts & 0xFFFF)
    parts = _rows(c, on, event, own)
    paradox = has(foe.flags, Flag.PROTOSYNTHESIS) | has(foe.flags, Flag.QUARK_DRIVE)
    paradox = paradox & (foe.paradox_stat == stat) & (foe.ab != 0)
    parts.append(Factor(c.where(paradox, 5325, ONE), 6, modifiers.VOLATILE_PLACE, foe))
    return c.xp.maximum(modify(defense, modifiers.chained(c, parts)), 1)


def _weather_factor(c: Context) -> Array:
    mv = c.mv
    sky = weather_for(c, c.foe)
    rain = (sky == Weather.RAIN) | (sky == Weather.HEAVY_RAIN)
    sun = (sky == Weather.SUN) | (sky == Weather.HARSH_SUN)
    fire, water = mv.type == TYPE.Fire, mv.type == TYPE.Water
    steam = (mv.id == MOVE.hydrosteam) & (weather_for(c, c.me) == Weather.SUN)
    factor = c.where((rain & water) | (sun & fire) | steam, 6144, ONE)
    weak = (rain & fire & (sky == Weather.RAIN)) | (sun & water & (sky == Weather.SUN) & ~steam)
    return c.where(weak, 2048, factor)


def _stab(c: Context, on: Array) -> Array:
    mv, me = c.mv, c.me
    own = own_types(c, me)
    born = (own[0] == mv.type) | (own[1] == mv.type) | (own[2] == mv.type)
    fits = (has_type(c, me, mv.type) | born) & (mv.type != 0)
    tera = terastallized(me)
    stab = c.where(fits, 6144, ONE)
    stab = c.where(tera & (me.tera == mv.type) & born, 8192, stab)
    adaptable = (me.ab == ABILITY.adaptability) & has_type(c, me, mv.type) & (mv.type != 0)
    stab = c.where(adaptable, c.where(stab == 8192, 9216, 8192), stab)
    stellar = tera & (me.tera == TYPE.Stellar) & (mv.type != 0)
    fresh = stellar & (~has(me.stellar, mv.type) | mv.stellar_boosted)
    stab = c.where(stellar, c.where(fits, 6144, ONE), stab)
    stab = c.where(fresh, c.where(fits, 8192, 4915), stab)
    used = on & fresh & (me.species != SPECIES.terapagosstellar)
    me.stellar = c.where(used, me.stellar | (1 << mv.type), me.stellar)
    mv.stellar_boosted = c.where(on & fresh, True, mv.stellar_boosted)
    return stab


def _final(c: Context, on: Array, facts: Array, damage: Array) -> Array:
    mv, me, foe = c.mv, c.me, c.foe
    parts = _rows(c, on, Event.DAMAGE, facts)
    reflect = foe.conditions[Cond.REFLECT] > 0
    light = foe.conditions[Cond.LIGHT_SCREEN] > 0
    veil = foe.conditions[Cond.AURORA_VEIL] > 0
    through = mv.crit | mv.infiltrates | (mv.id == MOVE.brickbreak) | (mv.id == MOVE.psychicfangs)
    physical = mv.category == PHYSICAL
    screened = veil | c.where(physical, reflect, light)
    screen = c.where(screened & ~through, 2048, ONE)
    # both sides' screens handle the event; those of a side tie with each other and draw
    count = c.zero
    for s in (me, foe):
        for cond in (Cond.REFLECT, Cond.LIGHT_SCREEN, Cond.AURORA_VEIL):
            count = count + c.i(s.conditions[cond] > 0)
    c.when(on & (count > 1), _tied_screens, count)
    parts.append(Factor(screen, 0, 4))
    return modify(damage, modifiers.chained(c, parts))


def _tied_screens(c: Context, on: Array, count: Array) -> None:
    for drawn in range(5):
        c.draw(on & (count > drawn + 1), c.xp.maximum(count - drawn, 1))
