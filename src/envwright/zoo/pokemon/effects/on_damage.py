"""Answers to damage about to be done (onDamage)."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import item_use
from envwright.zoo.pokemon.engine import hp
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, put
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, MOVE, SPECIES
from envwright.zoo.pokemon.state import Flag


def run(c: Context, on: Array, s: Side, amount: Array, cause: hp.Cause) -> tuple[Array, Array]:
    """Return the damage after all answers, and the lanes in which it still happens."""
    if cause in (hp.Cause.MOVE, hp.Cause.CONFUSION):
        return _of_move(c, on, s, amount, cause)
    on = on & ~(s.ab == ABILITY.magicguard)
    if cause == hp.Cause.RECOIL:
        on = on & ~(s.ab == ABILITY.rockhead)
    if cause == hp.Cause.BURN:
        amount = c.where(s.ab == ABILITY.heatproof, c.xp.maximum(c.div(amount, 2), 1), amount)
    return amount, on


def _of_move(c: Context, on: Array, s: Side, amount: Array, cause: hp.Cause) -> tuple[Array, Array]:
    disguised = on & (s.ab == ABILITY.disguise) & (s.species == SPECIES.mimikyu)
    s.flags = put(c, disguised, s.flags, Flag.BUSTED)
    amount = c.where(disguised, 0, amount)
    full, deadly = s.hp == s.maxhp, amount >= s.hp
    spared = c.no
    if cause == hp.Cause.MOVE:
        spared = (c.mv.id == MOVE.falseswipe) | (c.mv.id == MOVE.holdback)
    sturdy = full & (s.ab == ABILITY.sturdy)
    amount = c.where(on & deadly & (spared | sturdy), s.hp - 1, amount)
    sash = on & full & (amount >= s.hp) & (s.item == ITEM.focussash)
    amount = c.where(sash, s.hp - 1, amount)
    item_use.spend(c, sash, s)
    return amount, on
