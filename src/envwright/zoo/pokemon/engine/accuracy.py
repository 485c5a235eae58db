"""Whether a move hits."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import modifiers
from envwright.zoo.pokemon.effects.modifiers import Factor
from envwright.zoo.pokemon.effects.rows import Event, Fact
from envwright.zoo.pokemon.engine import ties
from envwright.zoo.pokemon.engine.context import Context
from envwright.zoo.pokemon.engine.facts import has_type, no_guard
from envwright.zoo.pokemon.engine.ids import ABILITY, MOVE, TYPE
from envwright.zoo.pokemon.engine.numbers import modify

ACCURACY, EVASION = 5, 6


def _number(c: Context) -> Array:
    """Return the accuracy in percent with all changes; 0 still means certain."""
    mv, me, foe = c.mv, c.me, c.foe
    facts = modifiers.word(c, {Fact.PHYSICAL: mv.category == 0, Fact.SPECIAL: mv.category == 1})
    parts = []
    for s, of_target in ((me, False), (foe, True)):
        for rows, holder, place in (
            (c.rows.ability_modifiers, s.ab, modifiers.ABILITY_PLACE),
            (c.rows.item_modifiers, s.item, modifiers.ITEM_PLACE),
        ):
            found = modifiers.row(c, rows, int(Event.ACCURACY), holder, of_target, facts, mv.type)
            parts.append(Factor(found[0], found[1], place, s))
    accuracy = modify(mv.accuracy, modifiers.chained(c, parts))
    mine = c.where(foe.ab == ABILITY.unaware, 0, me.boosts[ACCURACY])
    theirs = c.where((me.ab == ABILITY.unaware) | mv.ignore_evasion, 0, foe.boosts[EVASION])
    keen = (me.ab == ABILITY.keeneye) | (me.ab == ABILITY.mindseye)
    theirs = c.where(keen & (theirs > 0), 0, theirs)
    stage = c.xp.clip(c.xp.clip(mine, -6, 6) - theirs, -6, 6)
    up = c.div(accuracy * (3 + c.xp.maximum(stage, 0)), 3)
    return c.where(stage >= 0, up, c.div(accuracy * 3, 3 + c.xp.maximum(-stage, 0)))


def _certain(c: Context) -> Array:
    mv, me, foe = c.mv, c.me, c.foe
    sure = (mv.accuracy == 0) | ~mv.on_foe
    sure = sure | ((mv.id == MOVE.toxic) & has_type(c, me, TYPE.Poison))
    return sure | no_guard(me) | no_guard(foe)


def accurate(c: Context, on: Array) -> Array:
    """Return the lanes in which the move does not miss; draws a number where it might."""
    mv, me, foe = c.mv, c.me, c.foe
    both = no_guard(me) & no_guard(foe)
    asks = on & c.mv.on_foe & ~c.mv.on_field
    c.draw(asks & both & (c.me.speed == c.foe.speed), 2)
    rolls = asks & ~_certain(c)
    deadly = mv.ohko > 0
    ties.boosts_asked(c, asks & (mv.accuracy > 0) & ~deadly, 1 + c.i(~mv.ignore_evasion))
    weaker = asks & deadly & (me.level < foe.level)
    weaker = weaker | (asks & (mv.ohko == 2) & has_type(c, foe, TYPE.Ice))
    rolls = rolls & ~weaker
    cold = (mv.ohko == 2) & ~has_type(c, me, TYPE.Ice)
    chance = c.where(deadly, c.where(cold, 20, 30) + me.level - foe.level, _number(c))
    return ~weaker & (~rolls | (c.draw(rolls, 100) < chance))


def rolls_again(c: Context, on: Array) -> Array:
    """Return the lanes in which a later hit of a move that rolls for each hit misses."""
    mv = c.mv
    rolls = on & ~_certain(c)
    ties.boosts_asked(c, on & (mv.accuracy > 0), 1 + c.i(~mv.ignore_evasion))
    return rolls & ~(c.draw(rolls, 100) < _number(c))
