"""Lose and regain HP."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import on_damage
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context
from envwright.zoo.pokemon.engine.facts import fainted
from envwright.zoo.pokemon.engine.ids import ABILITY
from envwright.zoo.pokemon.state import Timer


class Cause(IntEnum):
    """The causes of damage, as far as reactions to it differ."""

    MOVE, RECOIL, POISON, BURN, WEATHER, OTHER, CONFUSION = range(7)


def lose(c: Context, on: Array, s: Side, amount: Array, by_move: Any = False) -> Array:
    """Take HP away without reactions; return the amount that was really lost."""
    on = on & (s.hp > 0) & (amount > 0)
    lost = c.xp.minimum(amount, s.hp)
    s.hp = c.where(on, s.hp - lost, s.hp)
    queue_faint(c, on & (s.hp == 0), s, by_move)
    return c.where(on, lost, 0)


def queue_faint(c: Context, on: Array, s: Side, by_move: Any = False) -> None:
    """Put a Pokemon with 0 HP into the queue of those about to faint."""
    on = on & ~fainted(s) & (s.fainting == 0)
    o = c.other(s)
    s.hp = c.where(on, 0, s.hp)
    s.switch_flag = c.where(on, 0, s.switch_flag)
    s.fainting = c.where(on, c.where(o.fainting > 0, 2, 1), s.fainting)
    s.felled_by_move = c.where(on, by_move, s.felled_by_move)


def hurt(c: Context, on: Array, s: Side, amount: Array, cause: Cause) -> Array:
    """Deal damage to which abilities and items may react; return the amount really lost."""
    on = on & (s.hp > 0)
    amount = c.where(amount != 0, c.xp.maximum(amount, 1), amount)
    amount, on = on_damage.run(c, on, s, amount, cause)
    amount = c.where(amount != 0, c.xp.maximum(amount, 1), amount)
    lost = lose(c, on, s, amount, cause == Cause.MOVE)
    s.hurt = c.where(on & (lost > 0), s.hp, s.hurt)
    return c.where(on, lost, 0)


def share(c: Context, s: Side, denominator: int) -> Array:
    """Return a share of maximum HP, at least 1."""
    return c.xp.maximum(c.div(s.maxhp, denominator), 1)


def siphon(c: Context, on: Array, s: Side, source: Side, amount: Array) -> Array:
    """Regain HP that another has lost, as `heal`; Liquid Ooze of the other hurts instead.

    Heal Block is checked first and prevents either.
    """
    ooze = source.ab == ABILITY.liquidooze
    open_ = on & (amount > 0) & (s.timers[Timer.HEAL_BLOCK] == 0)
    hurt(c, open_ & ooze, s, amount, Cause.OTHER)
    return heal(c, open_ & ~ooze, s, amount)


def heal(c: Context, on: Array, s: Side, amount: Array) -> Array:
    """Regain HP; return the amount that was really regained."""
    on = on & (s.hp > 0) & (s.hp < s.maxhp) & (amount > 0) & (s.timers[Timer.HEAL_BLOCK] == 0)
    gained = c.xp.minimum(amount, s.maxhp - s.hp)
    s.hp = c.where(on, s.hp + gained, s.hp)
    return c.where(on, gained, 0)
