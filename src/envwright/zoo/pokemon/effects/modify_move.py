"""Changes of the move in use (onModifyMove) by abilities, items and the move itself."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import power
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.facts import any_of, has_type, weather_for
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, MOVE, TARGET, TYPE
from envwright.zoo.pokemon.engine.status import cure
from envwright.zoo.pokemon.state import Flag, Status, Weather

IGNORING_ABILITIES = ("moldbreaker", "teravolt", "turboblaze")


def run(c: Context, on: Array) -> None:
    """Change `c.mv` before it is used."""
    mv, me = c.mv, c.me
    _weather_accuracy(c)
    self_curse = (mv.id == MOVE.curse) & ~has_type(c, me, TYPE.Ghost)
    mv.target = c.where(self_curse, TARGET.self, mv.target)
    mv.on_foe = mv.on_foe & ~self_curse
    mv.volatile = c.where(self_curse, 0, mv.volatile)
    thawing = on & mv.defrost & (me.status == Status.FREEZE)
    cure(c, thawing, me)
    mv.fixed = power.fixed_damage(c)
    mv.infiltrates = me.ab == ABILITY.infiltrator
    mv.breaks_abilities = any_of(mv.ignore_ability, me.ab, ABILITY, *IGNORING_ABILITIES)
    forced = (me.ab == ABILITY.sheerforce) & ((mv.secondaries > 0) | mv.sheer_force)
    mv.sheer = forced
    mv.has_self = mv.has_self | mv.stellar_blast
    mv.self_has_boosts = mv.self_has_boosts | mv.stellar_blast
    stripped = forced & (mv.secondaries > 0)
    mv.secondaries = c.where(stripped, 0, mv.secondaries)
    mv.has_self = mv.has_self & ~stripped
    scrappy = (me.ab == ABILITY.scrappy) | (me.ab == ABILITY.mindseye)
    bits = (1 << TYPE.Normal) | (1 << TYPE.Fighting)
    mv.ignore_immunity = c.where(scrappy, mv.ignore_immunity | bits, mv.ignore_immunity)
    mv.multiaccuracy = mv.multiaccuracy & (me.item != ITEM.loadeddice)
    lock_choice(c, on & ~mv.bounced)


def lock_choice(c: Context, on: Array) -> None:
    """Lock the holder of a choice item into the move in use."""
    mv, me = c.mv, c.me
    locks = on & c.look(c.t.items.is_choice, me.item) & ~has(me.flags, Flag.CHOICE_LOCK)
    me.choice_move = c.where(locks, mv.id, me.choice_move)
    me.flags = put(c, locks, me.flags, Flag.CHOICE_LOCK)


def _weather_accuracy(c: Context) -> None:
    mv = c.mv
    sky = weather_for(c, c.foe)
    rain = (sky == Weather.RAIN) | (sky == Weather.HEAVY_RAIN)
    sun = (sky == Weather.SUN) | (sky == Weather.HARSH_SUN)
    stormy = (mv.id == MOVE.hurricane) | (mv.id == MOVE.thunder)
    wild = (mv.id == MOVE.bleakwindstorm) | (mv.id == MOVE.wildboltstorm)
    wild = wild | (mv.id == MOVE.sandsearstorm)
    sure = (stormy | wild) & rain
    sure = sure | ((mv.id == MOVE.blizzard) & ((sky == Weather.SNOW) | (sky == Weather.HAIL)))
    mv.accuracy = c.where(sure, 0, c.where(stormy & sun, 50, mv.accuracy))
