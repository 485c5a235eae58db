"""Rows that answer a trigger: boosts, status, shares of HP, weather, terrain, flags."""

from __future__ import annotations

from typing import Any

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects.rows import Op, Trigger
from envwright.zoo.pokemon.engine import boosts, field, hp, status
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has


def after_ko(c: Context, on: Array, hearty: Array, s: Side, felled: Array) -> None:
    """Reply if the holder's move made the other faint (`on`), or anyone fainted (`hearty`)."""
    rows = c.rows.ability_replies
    at = (c.ints(Trigger.KO), s.ab)
    on = on & (c.look(rows.op, *at) != Op.NONE)
    c.when(on | hearty, _boost_by, hearty, s, felled)


def _boost_by(c: Context, on: Array, hearty: Array, s: Side, times: Array) -> None:
    at = (c.ints(Trigger.KO), s.ab)
    stages = [c.look(c.rows.ability_replies.boosts[i], *at) * times for i in range(7)]
    stages[boosts.SPA] = c.where(hearty, times, stages[boosts.SPA])
    boosts.boost(c, on, s, stages, False)


def reply(
    c: Context, on: Array, s: Side, trigger: Trigger, facts: Array | None = None,
    kind: Any = None,
) -> None:  # fmt: skip
    """Run the row that the ability of side `s` has for a trigger."""
    rows, at = c.rows.ability_replies, (c.ints(trigger), s.ab)
    op = c.look(rows.op, *at)
    on = on & (op != Op.NONE)
    if facts is not None:
        guard = c.look(rows.guard, *at)
        on = on & ((facts & guard) == guard) & has(c.look(rows.types, *at), kind)
    out_of = c.look(rows.out_of, *at)
    rolls = on & (out_of > 1)
    lucky = c.draw(rolls, c.xp.maximum(out_of, 1)) < c.look(rows.chance, *at)
    on = on & (~rolls | lucky)
    arg, across = c.look(rows.arg, *at), c.look(rows.on_other, *at)
    stages = [c.look(rows.boosts[i], *at) for i in range(7)]
    o = c.other(s)
    c.when(on & (op == Op.BOOST) & ~across, boosts.boost, s, stages, False)
    if trigger == Trigger.SWITCH_IN:
        c.when(on & (op == Op.WEATHER), field.set_weather, arg, s)
        c.when(on & (op == Op.TERRAIN), field.set_terrain, arg, s)
        return
    c.when(on & (op == Op.BOOST) & across, boosts.boost, o, stages, True)
    c.when(on & (op == Op.STATUS), status.set_status, o, arg, s, False)
    c.when(on & (op == Op.HURT), _hurt, o, arg)


def hit_by_item(c: Context, on: Array, facts: Array) -> None:
    """Run the row of the target's item for being hit: it hurts the other one."""
    foe, rows = c.foe, c.rows.item_replies
    at = (c.ints(Trigger.HIT), foe.item)
    guard = c.look(rows.guard, *at)
    on = on & (c.look(rows.op, *at) == Op.HURT) & ((facts & guard) == guard)
    c.when(on, _hurt, c.me, c.look(rows.arg, *at))


def residual_item(c: Context, on: Array, s: Side) -> None:
    """Run the row of an item for the end of a turn: it heals."""
    rows, at = c.rows.item_replies, (c.ints(Trigger.RESIDUAL), s.item)
    share = c.xp.maximum(c.look(rows.arg, *at), 1)
    amount = c.xp.maximum(c.div(s.maxhp, share), 1)
    hp.heal(c, on & (c.look(rows.op, *at) == Op.HEAL), s, amount)


def _hurt(c: Context, on: Array, s: Side, share: Array) -> None:
    amount = c.xp.maximum(c.div(s.maxhp, c.xp.maximum(share, 1)), 1)
    hp.hurt(c, on, s, amount, hp.Cause.OTHER)
