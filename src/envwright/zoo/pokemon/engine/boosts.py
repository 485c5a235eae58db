"""Raise and lower stats by stages."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, put
from envwright.zoo.pokemon.engine.facts import any_of, has_type
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, TYPE
from envwright.zoo.pokemon.state import Turn

ATK, DEF, SPA, SPD, SPE, ACC, EVA = range(7)
STATS = ("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")


def boost(
    c: Context, on: Array, s: Side, stages: list[Array], by_foe: bool, intimidating: bool = False
) -> Array:
    """Change stats; return the lanes in which any did change. `stages` in the order of STATS."""
    xp, old = c.xp, s.boosts
    on = on & (s.hp > 0) & (c.other(s).left > 0)
    sign = c.where(s.ab == ABILITY.contrary, -1, c.where(s.ab == ABILITY.simple, 2, 1))
    change = xp.stack(stages) * sign
    change = xp.clip(old + change, -6, 6) - old
    if by_foe:
        change = c.where(_protected(c, s, intimidating) & (change < 0), 0, change)
    change = c.where(on, change, 0)
    new, moved = old + change, change != 0
    changed = moved.any(0)
    raised, lowered = (change > 0).any(0), (change < 0).any(0)
    if by_foe:
        defied = (change < 0).sum(0).astype(xp.int32) * 2
        brave, rival = s.ab == ABILITY.defiant, s.ab == ABILITY.competitive
        lifted = xp.stack([c.where(brave, defied, 0), c.zero, c.where(rival, defied, 0),
                           c.zero, c.zero, c.zero, c.zero])  # fmt: skip
        new = xp.minimum(new + lifted, 6)
        raised = raised | ((brave | rival) & (defied > 0))
    s.boosts = c.where(changed, new, old)
    s.turn_flags = put(c, changed & raised, s.turn_flags, Turn.STATS_RAISED)
    s.turn_flags = put(c, changed & lowered, s.turn_flags, Turn.STATS_LOWERED)
    return changed


def _protected(c: Context, s: Side, intimidating: bool) -> Array:
    """Return which stats the other side may not lower, bool[7, B]."""
    steadfast = any_of(c.no, s.ab, ABILITY, "clearbody", "whitesmoke", "fullmetalbody")
    steadfast = steadfast | (s.item == ITEM.clearamulet)
    steadfast = steadfast | ((s.ab == ABILITY.flowerveil) & has_type(c, s, TYPE.Grass))
    attack = s.ab == ABILITY.hypercutter
    if intimidating:
        attack = any_of(attack, s.ab, ABILITY, "innerfocus", "scrappy", "owntempo")
    keen = (s.ab == ABILITY.keeneye) | (s.ab == ABILITY.mindseye) | (s.ab == ABILITY.illuminate)
    own = [attack, s.ab == ABILITY.bigpecks, c.no, c.no, c.no, keen, c.no]
    return c.xp.stack(own) | steadfast


def one(c: Context, stat: int, stages: int) -> list[Array]:
    """Return stages for a single stat."""
    return [c.ints(stages if index == stat else 0) for index in range(7)]


def several(c: Context, **stages: int) -> list[Array]:
    """Return stages by name: `several(c, atk=1, spe=1)`."""
    return [c.ints(stages.get(name, 0)) for name in STATS]
