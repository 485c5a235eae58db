"""Protection from a status (onSetStatus), and reactions to one (onAfterSetStatus)."""

from __future__ import annotations

from typing import Any

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import update
from envwright.zoo.pokemon.engine import status, volatiles
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context
from envwright.zoo.pokemon.engine.facts import grounded, has_type
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, SPECIES, TERRAIN, TYPE
from envwright.zoo.pokemon.state import Status

PROOF = {
    Status.SLEEP: ("insomnia", "vitalspirit"),
    Status.BURN: ("waterveil",),
    Status.PARALYSIS: ("limber",),
    Status.FREEZE: ("magmaarmor",),
    Status.POISON: ("immunity",),
    Status.TOXIC: ("immunity",),
}


def blocks(c: Context, s: Side, given: Array, source: Side) -> Array:
    """Return whether an ability or the terrain blocks a status."""
    blocked = c.no
    for kind, names in PROOF.items():
        for name in names:
            blocked = blocked | ((given == kind) & (s.ab == getattr(ABILITY, name)))
    blocked = blocked | (s.ab == ABILITY.comatose)
    on_ground = grounded(c, s)
    terrain = c.f.terrain
    blocked = blocked | (on_ground & (terrain == TERRAIN.mistyterrain))
    wakeful = on_ground & (terrain == TERRAIN.electricterrain)
    blocked = blocked | (wakeful & (given == Status.SLEEP))
    if source is not s:
        veiled = (s.ab == ABILITY.flowerveil) & has_type(c, s, TYPE.Grass)
        blocked = blocked | veiled
    return blocked


def after(c: Context, on: Array, s: Side, source: Side, by_move: Any, passed_on: bool) -> None:
    """React to a new status: Synchronize passes it on, a Lum Berry cures it."""
    if source is not s and passed_on:
        passed = on & (s.ab == ABILITY.synchronize)
        passed = passed & (s.status != Status.SLEEP) & (s.status != Status.FREEZE)
        given = c.where(passed, s.status, 0)
        o = source
        fits = passed & (o.hp > 0) & (o.status == 0) & ~status.immune(c, o, given, s)
        fits = fits & ~blocks(c, o, given, s)
        o.status = c.where(fits, given, o.status)
        o.status_turns = c.where(fits, 0, o.status_turns)
        update.eat(c, fits & (o.item == ITEM.lumberry), o)
        puppet = on & by_move & (source.ab == ABILITY.poisonpuppeteer)
        puppet = puppet & (s.status >= Status.POISON) & (source.species == SPECIES.pecharunt)
        volatiles.confuse(c, puppet, s)
    update.eat(c, on & (s.item == ITEM.lumberry), s)
