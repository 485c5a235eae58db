"""Effects of a hit besides damage: on its target, on its user, and by chance."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import conditions, on_hit
from envwright.zoo.pokemon.effects.on_hit import FALSE, NULL, TRUE, note
from envwright.zoo.pokemon.engine import boosts, field, status
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, put
from envwright.zoo.pokemon.engine.hp import heal, queue_faint
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM
from envwright.zoo.pokemon.engine.numbers import rounded
from envwright.zoo.pokemon.state import Turn


def primary(c: Context, on: Array) -> None:
    """Apply the move's effect on its target (or user, or the field)."""
    mv = c.mv
    mine, theirs = on & ~mv.on_foe, on & mv.on_foe
    for s, here in ((c.me, mine), (c.foe, theirs)):
        c.when(here & mv.has_boosts, _boosts, s)
        c.when(here & (mv.heal_n > 0), _heal, s)
        c.when(here & (mv.volatile > 0), conditions.add_volatile, s, mv.volatile, True)
    c.when(theirs & (mv.status > 0), _status, c.foe)
    c.when(on & ((mv.side_condition > 0) | (mv.slot_condition > 0)), conditions.add_to_side)
    c.when(on & ((mv.weather > 0) | (mv.terrain > 0) | (mv.pseudo_weather > 0)), _field)
    forced = on & mv.force_switch
    note(c, forced, c.foe.bench_alive > 0)
    on_hit.run(c, on)


def _boosts(c: Context, on: Array, s: Side) -> None:
    table = c.t.moves.boosts
    stages = [c.look(table[:, i], c.mv.id) for i in range(7)]
    changed = boosts.boost(c, on & (s.hp > 0), s, stages, s is c.foe)
    note(c, on, changed, NULL)


def _heal(c: Context, on: Array, s: Side) -> None:
    mv = c.mv
    amount = rounded(c, s.maxhp, mv.heal_n, mv.heal_d)
    healed = heal(c, on, s, amount)
    note(c, on, healed > 0)


def _status(c: Context, on: Array, s: Side) -> None:
    worked = status.set_status(c, on, s, c.mv.status, c.me)
    note(c, on, worked)


def _field(c: Context, on: Array) -> None:
    mv, me = c.mv, c.me
    here = on & (mv.weather > 0)
    note(c, here, field.set_weather(c, here, mv.weather, me))
    here = on & (mv.terrain > 0)
    note(c, here, field.set_terrain(c, here, mv.terrain, me))
    conditions.add_pseudo_weather(c, on & (mv.pseudo_weather > 0))


def switch_out(c: Context, on: Array) -> None:
    """Switch the user out after some moves; others make it faint if they hit."""
    mv, me = c.mv, c.me
    leaving = on & (mv.self_switch > 0)
    able = me.bench_alive > 0
    note(c, leaving & (mv.category == 2), able)
    worked = (mv.category != 2) | (mv.did == TRUE) | mv.has_self
    leaves = leaving & worked & (me.hp > 0)
    kind = c.where(mv.self_switch == 3, 3, 2)
    me.switch_flag = c.where(leaves, kind, me.switch_flag)
    queue_faint(c, on & (mv.self_destruct == 2) & (mv.did != FALSE), me)


def own(c: Context, on: Array) -> None:
    """Apply the move's effect on its user; a boost draws a number even if it is certain."""
    mv, me = c.mv, c.me
    raises = on & mv.self_has_boosts & ~mv.self_dropped
    roll = c.draw(raises, 100)
    chance = c.where(me.ab == ABILITY.serenegrace, mv.self_chance * 2, mv.self_chance)
    lucky = raises & ((chance == 0) | (roll < chance))
    table = c.t.moves.self_boosts
    stages = [c.look(table[:, i], mv.id) for i in range(7)]
    for stat in (boosts.ATK, boosts.SPA):
        stages[stat] = c.where(mv.stellar_blast, -1, stages[stat])
    boosts.boost(c, lucky, me, stages, False)
    mv.self_dropped = mv.self_dropped | (raises & ~mv.multihit)
    c.when(on & (mv.self_volatile > 0), conditions.add_volatile, me, mv.self_volatile, False)


def secondaries(c: Context, on: Array) -> None:
    """Apply effects by chance; each draws a number, and works on what it can reach."""
    mv = c.mv
    mv.second = c.where(on, 0, 99)
    mv.going = on
    c.loop(lambda c: c.mv.going & (c.mv.second < c.mv.secondaries), _one_secondary)


def _one_secondary(c: Context) -> None:
    mv, me, foe, t = c.mv, c.me, c.foe, c.t.moves
    index = c.xp.clip(mv.second, 0, 2)
    on = mv.going & (mv.second < mv.secondaries)
    own_boost = c.look(t.secondary_self_has_boosts, mv.id, index)
    shielded = (foe.ab == ABILITY.shielddust) | (foe.item == ITEM.covertcloak)
    rolls = on & ~(shielded & mv.on_foe & ~own_boost & ~mv.hit_sub)
    chance = c.look(t.secondary_chance, mv.id, index)
    doubled = c.where(me.ab == ABILITY.serenegrace, chance * 2, chance)
    lucky = rolls & ((c.draw(rolls, 100) < doubled) | (chance == 0))
    reached = lucky & ~mv.hit_sub
    stages = [c.look(t.secondary_boosts[:, :, i], mv.id, index) for i in range(7)]
    lowers = c.look(t.secondary_has_boosts, mv.id, index)
    c.when(reached & lowers, boosts.boost, foe, stages, True)
    given = c.look(t.secondary_status, mv.id, index)
    c.when(reached & (given > 0), status.set_status, foe, given, me)
    volatile = c.look(t.secondary_volatile, mv.id, index)
    c.when(reached & (volatile > 0), conditions.add_volatile, foe, volatile, False)
    callback = c.look(t.secondary_callback, mv.id, index)
    c.when(reached & callback, on_hit.secondary)
    raised = [c.look(t.secondary_self_boosts[:, :, i], mv.id, index) for i in range(7)]
    c.when(lucky & own_boost, boosts.boost, me, raised, False)
    mv.second = mv.second + 1


def drag(c: Context, on: Array) -> None:
    """Mark the target to be dragged out, if possible."""
    me, foe = c.me, c.foe
    on = on & (foe.hp > 0) & (me.hp > 0) & (foe.bench_alive > 0)
    rooted = (foe.ab == ABILITY.suctioncups) | (foe.ab == ABILITY.guarddog)
    foe.turn_flags = put(c, on & ~rooted, foe.turn_flags, Turn.FORCE_SWITCH)
