"""White Herb: lost stats come back, once."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import item_use
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context
from envwright.zoo.pokemon.engine.facts import fainted
from envwright.zoo.pokemon.engine.ids import ITEM


def run(c: Context, on: Array) -> None:
    """Let both Pokemon use their herb if they need it."""
    for s in (c.me, c.foe):
        lowered = (s.boosts < 0).any(0)
        needed = on & (s.item == ITEM.whiteherb) & lowered & ~fainted(s) & (s.hp > 0)
        c.when(needed, _use, s)


def tie(c: Context, on: Array) -> None:
    """Draw for the tie of two holders of the same speed after every move."""
    for s in (c.me, c.foe):
        on = on & (s.item == ITEM.whiteherb) & (s.hp > 0)
    c.draw(on & (c.me.speed == c.foe.speed), 2)


def _use(c: Context, on: Array, s: Side) -> None:
    s.boosts = c.where(on, c.xp.maximum(s.boosts, 0), s.boosts)
    item_use.spend(c, on, s)
