"""Leaving the field (onSwitchOut)."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import formes
from envwright.zoo.pokemon.engine import field
from envwright.zoo.pokemon.engine.context import Context
from envwright.zoo.pokemon.engine.ids import ABILITY, SPECIES


def run(c: Context, on: Array) -> None:
    """Let `me` leave: Regenerator heals, Natural Cure cures, Palafin changes."""
    me = c.me
    field.calm_ends(c, on, me)
    healed = c.xp.minimum(me.hp + c.div(me.maxhp, 3), me.maxhp)
    me.hp = c.where(on & (me.ab == ABILITY.regenerator) & (me.hp > 0), healed, me.hp)
    cured = on & (me.ab == ABILITY.naturalcure)
    me.status = c.where(cured, 0, me.status)
    me.status_turns = c.where(cured, 0, me.status_turns)
    hero = on & (me.ab == ABILITY.zerotohero) & (me.species == SPECIES.palafin)
    c.when(hero, lambda c, on: formes.change(c, on, c.me, SPECIES.palafinhero))
