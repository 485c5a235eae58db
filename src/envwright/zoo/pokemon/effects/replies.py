"""Rows that answer a trigger: boosts, status, shares of HP, weather, terrain, flags."""

from __future__ import annotations

from typing import Any

from envwright.zoo.pokemon.effects.rows import Op, Trigger
from envwright.zoo.pokemon.engine.context import Box, Context, has

Array = Any


def after_ko(c: Context, on: Array, s: Box, felled: Array) -> None:
    """The holder's move made the other faint."""
    rows = c.rows.ability_replies
    at = (c.ints(Trigger.KO), s.ab)
    on = on & (c.look(rows.op, *at) != Op.NONE)
    c.when(on, _boost_by, s, felled)


def _boost_by(c: Context, on: Array, s: Box, times: Array) -> None:
    from envwright.zoo.pokemon.engine import boosts

    at = (c.ints(Trigger.KO), s.ab)
    stages = [c.look(c.rows.ability_replies.boosts[i], *at) * times for i in range(7)]
    boosts.boost(c, on, s, stages, False)


def reply(
    c: Context, on: Array, s: Box, rows: Any, trigger: Trigger, holder: Array,
    facts: Array | None = None, kind: Array | None = None, order: int | None = None,
) -> None:  # fmt: skip
    """Run the row that an ability or item (`holder`) of side `s` has for a trigger."""
    at = (c.ints(trigger), holder)
    op = c.look(rows.op, *at)
    on = on & (op != Op.NONE)
    if order is not None:
        on = on & (c.look(rows.order, *at) == order)
    if facts is not None:
        guard = c.look(rows.guard, *at)
        on = on & ((facts & guard) == guard) & has(c.look(rows.types, *at), kind)
    c.when(on, _reply, s, rows, at, op)


def _reply(c: Context, on: Array, s: Box, rows: Any, at: Any, op: Array) -> None:
    from envwright.zoo.pokemon.engine import hp

    out_of = c.look(rows.out_of, *at)
    rolls = on & (out_of > 1)
    lucky = c.draw(rolls, out_of) < c.look(rows.chance, *at)
    on = on & (~rolls | lucky)
    arg, across = c.look(rows.arg, *at), c.look(rows.on_other, *at)
    o = c.other(s)
    for who, here in ((s, on & ~across), (o, on & across)):
        by_other = who is o
        stages = [c.look(rows.boosts[i], *at) for i in range(7)]
        c.when(here & (op == Op.BOOST), _boost, who, stages, by_other)
        c.when(here & (op == Op.STATUS), _status, who, arg, s)
        denominator = c.xp.maximum(arg, 1)
        amount = c.xp.maximum(c.div(who.maxhp, denominator), 1)
        hp.heal(c, here & (op == Op.HEAL), who, amount)
        c.when(here & (op == Op.HURT), _hurt, who, amount)
    c.when(on & (op == Op.WEATHER), _weather, arg, s)
    c.when(on & (op == Op.TERRAIN), _terrain, arg, s)
    flagged = on & (op == Op.FLAG)
    s.flags = c.where(flagged, s.flags | (1 << arg), s.flags)


def _boost(c: Context, on: Array, s: Box, stages: list[Array], by_foe: bool) -> None:
    from envwright.zoo.pokemon.engine import boosts

    boosts.boost(c, on, s, stages, by_foe)


def _status(c: Context, on: Array, s: Box, status: Array, source: Box) -> None:
    from envwright.zoo.pokemon.engine import status as rules

    rules.set_status(c, on, s, status, source, by_move=False)


def _hurt(c: Context, on: Array, s: Box, amount: Array) -> None:
    from envwright.zoo.pokemon.engine import hp

    hp.hurt(c, on, s, amount, hp.Cause.OTHER)


def _weather(c: Context, on: Array, weather: Array, s: Box) -> None:
    from envwright.zoo.pokemon.engine import field

    field.set_weather(c, on, weather, s)


def _terrain(c: Context, on: Array, terrain: Array, s: Box) -> None:
    from envwright.zoo.pokemon.engine import field

    field.set_terrain(c, on, terrain, s)
