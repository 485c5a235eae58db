"""Entering the field: hazards, abilities, items, in the simulator's order.

By priority, then speed; for one Pokemon: its status, conditions of its slot, hazards in the order
of laying, ability, item.
"""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import paradox, replies, white_herb
from envwright.zoo.pokemon.effects.rows import Trigger
from envwright.zoo.pokemon.engine import boosts, faint, field, status
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, put
from envwright.zoo.pokemon.engine.damage import type_matchup
from envwright.zoo.pokemon.engine.facts import fainted, grounded, has_type
from envwright.zoo.pokemon.engine.hp import Cause, hurt
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, TYPE
from envwright.zoo.pokemon.state import Cond, Flag, Status, Timer

HAZARDS = (Cond.SPIKES, Cond.TOXIC_SPIKES, Cond.STEALTH_ROCK, Cond.STICKY_WEB)


def run(c: Context, on: Array, both: Array, foe_faster: Array) -> None:
    """Let `me` enter, and `foe` too in `both`; in `foe_faster`, foe comes before me."""
    c.flip(foe_faster)
    c.mv.second = c.zero
    c.mv.using, c.mv.going = on, both
    c.loop(lambda c: c.mv.using & (c.mv.second < 2), _round)
    c.flip(foe_faster)
    white_herb.run(c, on)


def _round(c: Context) -> None:
    """Run one Pokemon at one stage: `me`, then `foe` if both enter, then both again, later."""
    on = c.mv.using & (c.mv.second < 2)
    going = on & (c.f.winner == 0)  # a hazard may have ended it all
    early, late = going & (c.mv.second == 0), going & (c.mv.second == 1)
    _first(c, early, c.me)
    c.when(late, _late, c.me)
    # where both enter, sides change after every round, and the stage after every other
    turned = c.mv.going & on
    c.flip(turned)
    c.mv.aimed = c.where(turned, ~c.mv.aimed, c.mv.aimed)
    c.mv.second = c.where(turned & c.mv.aimed, c.mv.second, c.mv.second + 1)


def _first(c: Context, on: Array, s: Side) -> None:
    entering = on
    toxic = on & (s.status == Status.TOXIC)
    s.status_turns = c.where(toxic, 0, s.status_turns)
    _healing_wish(c, on, s)
    there = c.no
    for hazard in HAZARDS:
        there = there | (s.conditions[hazard] > 0)
    c.when(on & there & (s.hp > 0), _hazards, s)
    on = on & ~fainted(s) & (s.hp > 0)
    c.when(on & (s.ab == ABILITY.intimidate), _intimidate, s)
    slow = on & (s.ab == ABILITY.slowstart)
    s.timers[Timer.SLOW_START] = c.where(slow, 5, s.timers[Timer.SLOW_START])
    wind = on & (s.ab == ABILITY.windrider) & (s.conditions[Cond.TAILWIND] > 0)
    boosts.boost(c, wind, s, boosts.one(c, boosts.ATK, 1), False)
    calm = c.look(c.t.abilities.suppress_weather, s.ability)
    c.when(on & calm & (s.ab != 0), field.weather_changed)
    replies.reply(c, on, s, Trigger.SWITCH_IN)
    faint.run(c, entering)


def _late(c: Context, on: Array, s: Side) -> None:
    """Run priority -2: Protosynthesis, Quark Drive, Booster Energy."""
    on = on & ~fainted(s) & (s.hp > 0)
    paradox.follow_weather(c, on, s)
    paradox.follow_terrain(c, on, s)
    booster = on & (s.item == ITEM.boosterenergy)
    s.flags = put(c, booster, s.flags, Flag.ITEM_STARTED)
    c.when(booster, paradox.use_booster, s)


def _intimidate(c: Context, on: Array, s: Side) -> None:
    o = c.other(s)
    on = on & ~fainted(o) & (o.sub_hp == 0) & (o.hp > 0)
    boosts.boost(c, on, o, boosts.one(c, boosts.ATK, -1), True, intimidating=True)


def _healing_wish(c: Context, on: Array, s: Side) -> None:
    waiting = on & (s.conditions[Cond.HEALING_WISH] > 0) & (s.hp > 0)
    needed = waiting & ((s.hp < s.maxhp) | (s.status != 0))
    s.hp = c.where(needed, s.maxhp, s.hp)
    s.status = c.where(needed, 0, s.status)
    s.conditions[Cond.HEALING_WISH] = c.where(needed, 0, s.conditions[Cond.HEALING_WISH])


def _hazards(c: Context, on: Array, s: Side) -> None:
    """Apply hazards in the order in which they were laid."""
    ranks = []
    for index in range(4):
        rank = c.zero
        for other, cond in enumerate(HAZARDS):
            earlier = s.hazard_order[other] < s.hazard_order[index]
            rank = rank + c.i((s.conditions[cond] > 0) & earlier)
        ranks.append(c.where(s.conditions[HAZARDS[index]] > 0, rank, 9))
    c.mv.did = c.where(on, 0, 4)
    c.loop(lambda c: c.mv.did < 4, lambda c: _next_hazard(c, on, s, ranks))


def _next_hazard(c: Context, on: Array, s: Side, ranks: list[Array]) -> None:
    for index in range(4):
        here = on & (ranks[index] == c.mv.did) & ~fainted(s) & (s.hp > 0)
        c.when(here, RULES[index], s)
    c.mv.did = c.mv.did + 1


def _boots(s: Side) -> Array:
    return s.item == ITEM.heavydutyboots


def _spikes(c: Context, on: Array, s: Side) -> None:
    layers = s.conditions[Cond.SPIKES]
    amount = c.where(layers == 1, 3, c.where(layers == 2, 4, 6))
    here = on & grounded(c, s) & ~_boots(s)
    hurt(c, here, s, c.xp.maximum(c.div(s.maxhp * amount, 24), 1), Cause.OTHER)


def _toxic_spikes(c: Context, on: Array, s: Side) -> None:
    on = on & grounded(c, s)
    soaked = on & has_type(c, s, TYPE.Poison)
    layers = s.conditions[Cond.TOXIC_SPIKES]
    s.conditions[Cond.TOXIC_SPIKES] = c.where(soaked, 0, layers)
    poisoned = on & ~soaked & ~has_type(c, s, TYPE.Steel) & ~_boots(s)
    kind = c.where(layers >= 2, Status.TOXIC, Status.POISON)
    status.set_status(c, poisoned, s, kind, c.other(s), by_move=False, passed_on=False)


def _stealth_rock(c: Context, on: Array, s: Side) -> None:
    matchup = c.xp.clip(type_matchup(c, s, c.ints(TYPE.Rock)), -6, 6)
    up, down = c.xp.maximum(matchup, 0), c.xp.maximum(-matchup, 0)
    amount = c.xp.maximum(((s.maxhp << up) >> 3) >> down, 1)
    hurt(c, on & ~_boots(s), s, amount, Cause.OTHER)


def _sticky_web(c: Context, on: Array, s: Side) -> None:
    here = on & grounded(c, s) & ~_boots(s)
    boosts.boost(c, here, s, boosts.one(c, boosts.SPE, -1), True)


RULES = (_spikes, _toxic_spikes, _stealth_rock, _sticky_web)
