"""Rows that answer a trigger: boosts, status, shares of HP, weather, terrain, flags."""

from __future__ import annotations

from typing import Any

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects.rows import Op, Trigger
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has


def after_ko(c: Context, on: Array, hearty: Array, s: Side, felled: Array) -> None:
    """The holder's move made the other faint (`on`), or anyone fainted (`hearty`)."""
    rows = c.rows.ability_replies
    at = (c.ints(Trigger.KO), s.ab)
    on = on & (c.look(rows.op, *at) != Op.NONE)
    c.when(on | hearty, _boost_by, hearty, s, felled)


def _boost_by(c: Context, on: Array, hearty: Array, s: Side, times: Array) -> None:
    from envwright.zoo.pokemon.engine import boosts

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
    c.when(on & (op == Op.BOOST) & ~across, _boost, s, stages, False)
    if trigger == Trigger.SWITCH_IN:
        c.when(on & (op == Op.WEATHER), _weather, arg, s)
        c.when(on & (op == Op.TERRAIN), _terrain, arg, s)
        return
    c.when(on & (op == Op.BOOST) & across, _boost, o, stages, True)
    c.when(on & (op == Op.STATUS), _status, o, arg, s)
    c.when(on & (op == Op.HURT), _hurt, o, arg)


def hit_by_item(c: Context, on: Array, facts: Array) -> None:
    """Run the row that the target's item has for being hit: it hurts the other one."""
    foe, rows = c.foe, c.rows.item_replies
    at = (c.ints(Trigger.HIT), foe.item)
    guard = c.look(rows.guard, *at)
    on = on & (c.look(rows.op, *at) == Op.HURT) & ((facts & guard) == guard)
    c.when(on, _hurt, c.me, c.look(rows.arg, *at))


def residual_item(c: Context, on: Array, s: Side) -> None:
    """Run the row that an item has for the end of a turn: it heals."""
    from envwright.zoo.pokemon.engine import hp

    rows, at = c.rows.item_replies, (c.ints(Trigger.RESIDUAL), s.item)
    share = c.xp.maximum(c.look(rows.arg, *at), 1)
    amount = c.xp.maximum(c.div(s.maxhp, share), 1)
    hp.heal(c, on & (c.look(rows.op, *at) == Op.HEAL), s, amount)


def _boost(c: Context, on: Array, s: Side, stages: list[Array], by_foe: bool) -> None:
    from envwright.zoo.pokemon.engine import boosts

    boosts.boost(c, on, s, stages, by_foe)


def _status(c: Context, on: Array, s: Side, status: Array, source: Side) -> None:
    from envwright.zoo.pokemon.engine import status as rules

    rules.set_status(c, on, s, status, source, by_move=False)


def _hurt(c: Context, on: Array, s: Side, share: Array) -> None:
    from envwright.zoo.pokemon.engine import hp

    amount = c.xp.maximum(c.div(s.maxhp, c.xp.maximum(share, 1)), 1)
    hp.hurt(c, on, s, amount, hp.Cause.OTHER)


def _weather(c: Context, on: Array, weather: Array, s: Side) -> None:
    from envwright.zoo.pokemon.engine import field

    field.set_weather(c, on, weather, s)


def _terrain(c: Context, on: Array, terrain: Array, s: Side) -> None:
    from envwright.zoo.pokemon.engine import field

    field.set_terrain(c, on, terrain, s)
