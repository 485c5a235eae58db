"""Moves that need a preparation turn, and conditions that forbid a move (onTryMove)."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import attempt, item_use
from envwright.zoo.pokemon.engine import boosts
from envwright.zoo.pokemon.engine.context import Context
from envwright.zoo.pokemon.engine.facts import weather, weather_for
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, MOVE, TARGET, TYPE
from envwright.zoo.pokemon.state import Result, Timer, Weather


def run(c: Context, on: Array) -> Array:
    """Return the lanes in which the move goes on."""
    mv, me, foe = c.mv, c.me, c.foe
    mv.going = on
    c.when(on & mv.charge, _charge)
    on = mv.going
    sky = weather(c)
    damaging = mv.category != 2
    drowned = (sky == Weather.HEAVY_RAIN) & (mv.type == TYPE.Fire) & damaging
    dried = (sky == Weather.HARSH_SUN) & (mv.type == TYPE.Water) & damaging
    me.move_result = c.where(on & (drowned | dried), Result.NEITHER, me.move_result)
    on = on & ~drowned & ~dried
    awed = (foe.ab == ABILITY.queenlymajesty) | (foe.ab == ABILITY.dazzling)
    awed = (awed | (foe.ab == ABILITY.armortail)) & (mv.priority > 0) & mv.on_foe
    return on & ~(awed & (mv.target != TARGET.foeSide) & (mv.target != TARGET.all))


def _charge(c: Context, on: Array) -> None:
    """Run the first turn of a move that takes two."""
    mv, me = c.mv, c.me
    second = on & (me.timers[Timer.CHARGING] > 0) & (me.charge_move == mv.id)
    first = on & ~second
    # its timer runs out by itself; below 0 the move is named but no longer being prepared
    me.charge_move = c.where(second, -mv.id, me.charge_move)
    beam = mv.id == MOVE.meteorbeam
    boosts.boost(c, first & beam, me, boosts.one(c, boosts.SPA, 1), False)
    shot = mv.id == MOVE.electroshot
    boosts.boost(c, first & shot, me, boosts.one(c, boosts.SPA, 1), False)
    sky = weather_for(c, me)
    solar = mv.id == MOVE.solarbeam
    bright = solar & ((sky == Weather.SUN) | (sky == Weather.HARSH_SUN))
    bright = bright | (shot & ((sky == Weather.RAIN) | (sky == Weather.HEAVY_RAIN)))
    herb = first & ~bright & (me.item == ITEM.powerherb)
    item_use.spend(c, herb, me)
    waits = first & ~bright & ~herb
    me.timers[Timer.CHARGING] = c.where(waits, 2, me.timers[Timer.CHARGING])
    me.charge_move = c.where(waits, mv.id, me.charge_move)
    me.move_result = c.where(waits, Result.NEITHER, me.move_result)
    mv.going = mv.going & ~waits
    attempt.become_type(c, waits)
