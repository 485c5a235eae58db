"""The simulator's hit steps and the loop over hits, from the use of a move to its effects."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import after_hit, attempt, on_hit, try_hit, update
from envwright.zoo.pokemon.engine import damage, faint, hit_effects
from envwright.zoo.pokemon.engine.accuracy import accurate, rolls_again
from envwright.zoo.pokemon.engine.context import Context
from envwright.zoo.pokemon.engine.hp import Cause, hurt, lose, siphon
from envwright.zoo.pokemon.engine.ids import ITEM, MOVE
from envwright.zoo.pokemon.engine.numbers import rounded
from envwright.zoo.pokemon.state import Result, Status, Timer

HITS = (2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5)


def run(c: Context, on: Array) -> Array:
    """Return the lanes in which the move had an effect."""
    mv, me = c.mv, c.me
    on = attempt.run(c, on)
    across = on & mv.on_foe
    on = on & ~try_hit.out_of_reach(c, across)
    on, neither = try_hit.run(c, on)
    on = on & ~_immune(c, across)
    on = on & ~try_hit.own_immunities(c, across & on)
    on = on & accurate(c, on)
    c.when(on & mv.breaks_protect, _break_protect)
    me.move_result = c.where(neither, Result.NEITHER, me.move_result)
    on = try_hit.single(c, on)
    _prepare(c, on)
    c.loop(lambda c: c.mv.hitting, _one_hit)
    hit = on & mv.landed
    _after_hits(c, hit)
    return hit


def _immune(c: Context, on: Array) -> Array:
    mv = c.mv
    return on & ~mv.on_field & damage.immune_by_type(c, c.foe, mv.type, mv.ignore_immunity)


def _break_protect(c: Context, on: Array) -> None:
    foe = c.foe
    broke = on & (foe.timers[Timer.PROTECT] > 0)
    foe.timers[Timer.PROTECT] = c.where(on, 0, foe.timers[Timer.PROTECT])
    foe.timers[Timer.STALL] = c.where(broke, 0, foe.timers[Timer.STALL])


def _prepare(c: Context, on: Array) -> None:
    """Draw the number of hits."""
    mv, me = c.mv, c.me
    least, most = c.look(c.t.moves.hits[:, 0], mv.id), c.look(c.t.moves.hits[:, 1], mv.id)
    mv.hits, mv.hit = most, c.zero
    mv.total, mv.dealt, mv.landed = c.zero, c.zero, c.no
    me.last_damage = c.where(on, 0, me.last_damage)
    mv.hitting = on
    c.when(on & ((least != most) | (most == 10)), _roll_hits, least, most)


def _roll_hits(c: Context, on: Array, least: Array, most: Array) -> None:
    mv, me = c.mv, c.me
    varied = on & (least != most)
    usual = varied & (least == 2) & (most == 5)
    pick = c.look(c.xp.asarray(HITS, c.xp.int32), c.draw(usual, 20))
    dice = me.item == ITEM.loadeddice
    few = usual & dice & (pick < 4)
    pick = c.where(few, 5 - c.draw(few, 2), pick)
    ten = on & (most == 10) & dice
    mv.hits = c.where(usual, pick, c.where(ten, 10 - c.draw(ten, 7), mv.hits))


def _one_hit(c: Context) -> None:
    """Run one hit of the move, in the lanes `c.mv.hitting`."""
    mv, me, foe = c.mv, c.me, c.foe
    on = mv.hitting
    missed = rolls_again(c, on & mv.multiaccuracy & (mv.hit > 0))
    mv.hitting = on = on & ~missed
    # a quirk: after a miss the simulator forgets that a substitute took the hit before
    mv.hit_sub = c.where(missed, False, mv.hit_sub)
    mv.hit = c.where(on, mv.hit + 1, mv.hit)
    across = on & mv.on_foe & ~mv.on_field
    guarded = across & (foe.sub_hp > 0) & ~mv.bypasssub & ~mv.infiltrates
    mv.hit_sub = c.where(on, guarded, mv.hit_sub)
    mv.did, mv.dealt = c.zero, c.zero
    attacking = across & (mv.category != 2)
    c.when(attacking, _strike, guarded)
    status = on & (mv.category == 2) & ~guarded
    c.when(on & ~guarded & ~(attacking & (mv.dealt < 0)), hit_effects.primary)
    hit_effects.switch_out(c, on)
    did = c.where(mv.did == on_hit.UNDEFINED, on_hit.TRUE, mv.did)
    failed = status & (did != on_hit.TRUE)
    worked = on & ~failed
    c.when(worked & mv.has_self, hit_effects.own)
    hit_effects.secondaries(c, worked)
    c.when(worked & mv.force_switch & ~guarded, hit_effects.drag)
    struck = attacking & ~guarded
    c.when(struck, after_hit.damaging_hit)
    c.when(struck & (me.hp > 0), after_hit.run)
    mv.landed = mv.landed | worked
    update.run(c, worked & ~mv.on_field)
    more = worked & (mv.hit < mv.hits) & (me.hp > 0) & (foe.hp > 0)
    drowsy = (me.status == Status.SLEEP) & ~(mv.sleep_usable | (mv.called_by > 0))
    mv.hitting = more & ~drowsy


def _strike(c: Context, on: Array, guarded: Array) -> None:
    """Compute the damage and deal it, to the substitute or the Pokemon behind it."""
    mv, me, foe = c.mv, c.me, c.foe
    amount = damage.calculate(c, on)
    to_sub = on & guarded
    on_sub = c.xp.minimum(amount, foe.sub_hp)
    foe.sub_hp = c.where(to_sub, foe.sub_hp - on_sub, foe.sub_hp)
    dealt = hurt(c, on & ~guarded, foe, amount, Cause.MOVE)
    felt = c.where(guarded, on_sub, dealt)
    me.last_damage = c.where(on, felt, me.last_damage)
    c.when(to_sub & (mv.recoil_n > 0), _recoil, on_sub)
    c.when(to_sub & (mv.id == MOVE.chloroblast), _half)
    drained = rounded(c, felt, mv.drain_n, mv.drain_d)
    on_guard = c.div(felt * mv.drain_n + mv.drain_d - 1, mv.drain_d)
    drains = on & (mv.drain_n > 0) & (felt > 0)
    c.when(drains, siphon, me, foe, c.where(guarded, on_guard, drained))
    c.when(to_sub, after_hit.on_substitute)
    mv.dealt = c.where(on & ~guarded, dealt, 0)
    mv.total = c.where(on & ~guarded, mv.total + dealt, mv.total)


def _recoil(c: Context, on: Array, dealt: Array) -> None:
    mv, me = c.mv, c.me
    amount = c.xp.maximum(rounded(c, dealt, mv.recoil_n, mv.recoil_d), 1)
    hurt(c, on, me, amount, Cause.RECOIL)


def _after_hits(c: Context, on: Array) -> None:
    mv, me, foe = c.mv, c.me, c.foe
    faint.run(c, on & ~mv.on_field, me.hp == 0)
    c.when(on & (mv.recoil_n > 0) & (mv.total > 0), _recoil, mv.total)
    c.when(on & (mv.id == MOVE.chloroblast) & (mv.total > 0), _half)
    c.when(on & mv.struggle_recoil, _struggle)
    hit = on & mv.on_foe & ~mv.on_field & ~mv.hit_sub & (mv.category != 2)
    foe.times_hit = c.where(hit, foe.times_hit + mv.hit, foe.times_hit)
    c.when(on & ~mv.on_field, _second_look)


def _second_look(c: Context, on: Array) -> None:
    update.run(c, on)
    after_hit.after_secondary(c, on & ~c.mv.sheer)


def _half(c: Context, on: Array) -> None:
    amount = c.div(c.me.maxhp + 1, 2)
    hurt(c, on, c.me, amount, Cause.RECOIL)


def _struggle(c: Context, on: Array) -> None:
    me = c.me
    amount = c.xp.maximum(rounded(c, me.maxhp, 1, 4), 1)
    lose(c, on, me, amount)
