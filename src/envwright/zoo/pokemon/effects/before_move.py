"""Conditions that may prevent a move (onBeforeMove), in the simulator's order."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine import ties
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.hp import Cause, hurt
from envwright.zoo.pokemon.engine.ids import ABILITY, MOVE, TYPE
from envwright.zoo.pokemon.engine.numbers import boosted
from envwright.zoo.pokemon.engine.status import cure
from envwright.zoo.pokemon.state import Flag, Result, Status, Timer


def run(c: Context, on: Array) -> Array:
    """Return the lanes in which `me` may go on with its move."""
    mv, me = c.mv, c.me
    start = on
    gagged(c, on)
    recharging = on & (me.timers[Timer.RECHARGE] > 0)
    me.timers[Timer.RECHARGE] = c.where(recharging, 0, me.timers[Timer.RECHARGE])
    on = on & ~recharging
    on = _sleep(c, on)
    on = _freeze(c, on)
    on = on & ~(me.timers[Timer.FLINCH] > 0)
    on = on & ~((me.timers[Timer.DISABLE] > 0) & (me.disable_move == mv.id))
    on = on & ~((me.timers[Timer.THROAT_CHOP] > 0) & mv.sound)
    on = on & ~((me.timers[Timer.HEAL_BLOCK] > 0) & mv.heal)
    on = on & ~((me.timers[Timer.TAUNT] > 0) & (mv.category == 2))
    on = _confusion(c, on)
    numb = c.chance(on & (me.status == Status.PARALYSIS), 1, 4)
    on = on & ~numb
    on = _choice(c, on)
    stopped = start & ~on
    spent = stopped & (mv.type == TYPE.Electric)
    me.flags = put(c, spent, me.flags, Flag.CHARGE, False)
    result = c.where(recharging, Result.NEITHER, Result.FAILURE)
    me.move_result = c.where(stopped, result, me.move_result)
    charging = stopped & (me.timers[Timer.CHARGING] > 0)
    me.timers[Timer.CHARGING] = c.where(charging, 0, me.timers[Timer.CHARGING])
    return on


def gagged(c: Context, on: Array) -> None:
    """Draw for the tie of Heal Block and Throat Chop, before a move and at its preparation."""
    me = c.me
    both = (me.timers[Timer.THROAT_CHOP] > 0) & (me.timers[Timer.HEAL_BLOCK] > 0)
    c.draw(on & both, 2)


def _sleep(c: Context, on: Array) -> Array:
    me = c.me
    asleep = on & (me.status == Status.SLEEP)
    rest = c.where(me.ab == ABILITY.earlybird, 2, 1)
    me.status_turns = c.where(asleep, me.status_turns - rest, me.status_turns)
    awake = asleep & (me.status_turns <= 0)
    cure(c, awake, me)
    return on & ~(asleep & ~awake & ~c.mv.sleep_usable)


def _freeze(c: Context, on: Array) -> Array:
    me = c.me
    frozen = on & (me.status == Status.FREEZE) & ~c.mv.defrost
    thaws = c.chance(frozen, 1, 5)
    cure(c, thaws, me)
    return on & ~(frozen & ~thaws)


def _confusion(c: Context, on: Array) -> Array:
    me = c.me
    dazed = on & (me.timers[Timer.CONFUSION] > 0)
    me.timers[Timer.CONFUSION] = c.where(
        dazed, me.timers[Timer.CONFUSION] - 1, me.timers[Timer.CONFUSION]
    )
    still = dazed & (me.timers[Timer.CONFUSION] > 0)
    c.mv.failed = c.no
    c.when(still, _hurt_itself)
    return on & ~(still & c.mv.failed)


def _hurt_itself(c: Context, on: Array) -> None:
    me = c.me
    on = c.chance(on, 33, 100)
    ties.boosts_asked(c, on, 2)
    attack, defense = boosted(c, me.stats[0], me.boosts[0]), boosted(c, me.stats[1], me.boosts[1])
    level = c.div(me.level * 2, 5) + 2
    damage = c.div(c.div(level * 40 * attack, c.xp.maximum(defense, 1)), 50) + 2
    damage = c.div((damage & 0xFFFF) * (100 - c.draw(on, 16)), 100)
    hurt(c, on, me, c.xp.maximum(damage, 1), Cause.CONFUSION)
    c.mv.failed = on


def _choice(c: Context, on: Array) -> Array:
    mv, me = c.mv, c.me
    held = has(me.flags, Flag.CHOICE_LOCK)
    choice = c.look(c.t.items.is_choice, me.item)
    me.flags = put(c, on & held & ~choice, me.flags, Flag.CHOICE_LOCK, False)
    return on & ~(held & choice & (mv.id != me.choice_move) & (mv.id != MOVE.struggle))
