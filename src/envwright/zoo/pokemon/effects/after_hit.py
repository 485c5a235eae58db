"""Answers to a hit (onDamagingHit, onAfterHit, onAfterSubDamage, onAfterMoveSecondary)."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import conditions, item_use, modifiers, on_hit, replies
from envwright.zoo.pokemon.effects.rows import Trigger
from envwright.zoo.pokemon.engine import boosts, damage, field, status
from envwright.zoo.pokemon.engine.context import Context, put
from envwright.zoo.pokemon.engine.facts import type_immunity
from envwright.zoo.pokemon.engine.hp import Cause, hurt, share
from envwright.zoo.pokemon.engine.ids import ABILITY, IMMUNITY, ITEM, MOVE, TYPE
from envwright.zoo.pokemon.state import Flag, Status, Timer


def damaging_hit(c: Context, on: Array) -> None:
    """Run the answers of the target (and the user's ability) to a hit: ordered ones first."""
    mv, me, foe = c.mv, c.me, c.foe
    facts = modifiers.word(c, damage.facts_of_hit(c))
    blast = on & (foe.ab == ABILITY.aftermath) & (foe.hp == 0) & mv.contact
    c.when(blast, _aftermath)
    # no ability's row has an order, and items' rows that have one come before abilities'
    replies.hit_by_item(c, on, facts)
    thawed = on & (foe.status == Status.FREEZE) & (mv.type == TYPE.Fire)
    status.cure(c, thawed, foe)
    replies.reply(c, on, foe, Trigger.HIT, facts, mv.type)
    spore = on & (foe.ab == ABILITY.effectspore) & mv.contact & (me.ab != ABILITY.overcoat)
    spore = spore & ~type_immunity(c, me, IMMUNITY["powder"]) & (me.item != ITEM.safetygoggles)
    c.when(spore, _effect_spore)
    shocked = on & (foe.ab == ABILITY.electromorphosis)
    foe.flags = put(c, shocked, foe.flags, Flag.CHARGE)
    policy = on & (foe.item == ITEM.weaknesspolicy) & (mv.matchup > 0) & (mv.fixed == 0)
    c.when(policy & (foe.hp > 0), _weakness_policy)
    cursed = on & (foe.ab == ABILITY.cursedbody) & (me.timers[Timer.DISABLE] == 0)
    c.when(cursed & (mv.id != MOVE.struggle), _cursed_body)
    proof = (foe.ab == ABILITY.shielddust) | (foe.item == ITEM.covertcloak)
    poison = on & (me.ab == ABILITY.poisontouch) & mv.contact & ~proof
    chain = on & (me.ab == ABILITY.toxicchain) & ~proof
    c.when(poison | chain, _poison)


def _effect_spore(c: Context, on: Array) -> None:
    roll = c.draw(on, 100)
    late = c.where(roll < 21, Status.PARALYSIS, Status.POISON)
    kind = c.where(roll < 11, Status.SLEEP, late)
    status.set_status(c, on & (roll < 30), c.me, kind, c.foe, by_move=False)


def _aftermath(c: Context, on: Array) -> None:
    hurt(c, on, c.me, share(c, c.me, 4), Cause.OTHER)


def _weakness_policy(c: Context, on: Array) -> None:
    boosts.boost(c, on, c.foe, boosts.several(c, atk=2, spa=2), False)
    item_use.spend(c, on, c.foe)


def _cursed_body(c: Context, on: Array) -> None:
    me = c.me
    on = c.chance(on, 3, 10) & (me.hp > 0) & (me.ab != ABILITY.aromaveil)
    for slot in range(4):
        on = on & ~((me.moves[slot] == me.last_move) & (me.pp[slot] == 0))
    on = on & (me.last_move != 0)
    me.timers[Timer.DISABLE] = c.where(on, 4, me.timers[Timer.DISABLE])
    me.disable_move = c.where(on, me.last_move, me.disable_move)


def _poison(c: Context, on: Array) -> None:
    kind = c.where(c.me.ab == ABILITY.toxicchain, Status.TOXIC, Status.POISON)
    lucky = c.chance(on, 3, 10)
    status.set_status(c, lucky, c.foe, kind, c.me, by_move=False)


def run(c: Context, on: Array) -> None:
    """Run the move's own after-effects on a target that it has hurt (onAfterHit)."""
    mv, foe = c.mv, c.foe
    item_use.take(c, on & (mv.id == MOVE.knockoff), foe)
    _clean(c, on)


def on_substitute(c: Context, on: Array) -> None:
    """Run the same if a substitute took the hit (onAfterSubDamage)."""
    _clean(c, on & (c.me.hp > 0))


def _clean(c: Context, on: Array) -> None:
    mv, me, foe = c.mv, c.me, c.foe
    spin = on & ((mv.id == MOVE.rapidspin) | (mv.id == MOVE.mortalspin)) & ~mv.sheer
    c.when(spin, _spin)
    c.when(on & (mv.id == MOVE.icespinner), field.clear_terrain)
    axe = on & (mv.id == MOVE.stoneaxe) & ~mv.sheer & (me.hp > 0)
    conditions.lay(c, axe, foe, *conditions.HAZARDS["stealthrock"])
    edge = on & (mv.id == MOVE.ceaselessedge) & ~mv.sheer & (me.hp > 0)
    conditions.lay(c, edge, foe, *conditions.HAZARDS["spikes"])


def _spin(c: Context, on: Array) -> None:
    me = c.me
    me.flags = put(c, on, me.flags, Flag.LEECH_SEED, False)
    on_hit.clear_hazards(c, on, me)
    me.timers[Timer.BOUND] = c.where(on, 0, me.timers[Timer.BOUND])


def after_secondary(c: Context, on: Array) -> None:
    """Run what follows all hits and secondary effects (onAfterMoveSecondary)."""
    mv, foe = c.mv, c.foe
    thaws = on & mv.on_foe & mv.thaws_target & (foe.status == Status.FREEZE) & ~mv.hit_sub
    status.cure(c, thaws, foe)
