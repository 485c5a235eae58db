"""Raising and lowering stats by stages."""

from __future__ import annotations

from typing import Any

from envwright.zoo.pokemon.engine.context import Box, Context, put
from envwright.zoo.pokemon.engine.facts import has_type
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, TYPE
from envwright.zoo.pokemon.state import Cond, Turn

Array = Any
ATK, DEF, SPA, SPD, SPE, ACC, EVA = range(7)
STATS = ("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")


def boost(
    c: Context, on: Array, s: Box, stages: list[Array], by_foe: bool, intimidating: bool = False
) -> Array:
    """Change stats; the lanes in which any did change. `stages` in the order of STATS."""
    o = c.other(s)
    on = on & (s.hp > 0) & (o.left > 0)
    sign = c.where(s.ab == ABILITY.contrary, -1, c.where(s.ab == ABILITY.simple, 2, 1))
    stages = [x * sign for x in stages]
    stages = [
        c.xp.clip(old + x, -6, 6) - old for old, x in zip(s.boosts, stages, strict=True)
    ]
    if by_foe:
        stages = _protected(c, s, stages, intimidating)
    changed, raised, lowered = c.no, c.no, c.no
    after = _defiance(c, s) if by_foe else None
    for stat, x in enumerate(stages):
        old = s.boosts[stat]
        new = c.xp.clip(old + x, -6, 6)
        moved = on & (new != old)
        s.boosts[stat] = c.where(moved, new, old)
        changed = changed | moved
        raised, lowered = raised | (on & (x > 0)), lowered | (on & (x < 0))
        if after is not None:
            down = moved & (x < 0)
            for which, has_it in after:
                s.boosts[which] = c.where(
                    down & has_it, c.xp.minimum(s.boosts[which] + 2, 6), s.boosts[which]
                )
                raised = raised | (down & has_it)
    s.turn_flags = put(c, changed & raised, s.turn_flags, Turn.STATS_RAISED)
    s.turn_flags = put(c, changed & lowered, s.turn_flags, Turn.STATS_LOWERED)
    return changed


def _defiance(c: Context, s: Box) -> list[tuple[int, Array]]:
    return [(ATK, s.ab == ABILITY.defiant), (SPA, s.ab == ABILITY.competitive)]


def _protected(c: Context, s: Box, stages: list[Array], intimidating: bool) -> list[Array]:
    """Drops by the other side that abilities, items or Mist prevent."""
    steadfast = c.no
    for name in ("clearbody", "whitesmoke", "fullmetalbody"):
        steadfast = steadfast | (s.ab == getattr(ABILITY, name))
    steadfast = steadfast | (s.item == ITEM.clearamulet) | (s.conditions[Cond.MIST] > 0)
    steadfast = steadfast | ((s.ab == ABILITY.flowerveil) & has_type(c, s, TYPE.Grass))
    out = []
    for stat, x in enumerate(stages):
        safe = steadfast
        if stat == ATK:
            safe = safe | (s.ab == ABILITY.hypercutter)
            if intimidating:
                for name in ("innerfocus", "scrappy", "owntempo", "oblivious"):
                    safe = safe | (s.ab == getattr(ABILITY, name))
        if stat == DEF:
            safe = safe | (s.ab == ABILITY.bigpecks)
        if stat == ACC:
            safe = safe | (s.ab == ABILITY.keeneye) | (s.ab == ABILITY.mindseye)
            safe = safe | (s.ab == ABILITY.illuminate)
        out.append(c.where(safe & (x < 0), 0, x))
    return out


def one(c: Context, stat: int, stages: int) -> list[Array]:
    """Stages for a single stat."""
    return [c.ints(stages if index == stat else 0) for index in range(7)]


def several(c: Context, **stages: int) -> list[Array]:
    """Stages by name: `several(c, atk=1, spe=1)`."""
    return [c.ints(stages.get(name, 0)) for name in STATS]
