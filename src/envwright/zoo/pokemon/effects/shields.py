"""Protect and similar moves."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine import boosts
from envwright.zoo.pokemon.engine.context import Context
from envwright.zoo.pokemon.engine.hp import Cause, hurt, share
from envwright.zoo.pokemon.engine.ids import ABILITY, MOVE
from envwright.zoo.pokemon.engine.status import set_status
from envwright.zoo.pokemon.state import Status, Timer

DAMAGE_ONLY = ("kingsshield", "silktrap", "burningbulwark", "obstruct")


def passes(c: Context) -> Array:
    """Return whether the shield lets the move through."""
    mv, foe = c.mv, c.foe
    through = (c.me.ab == ABILITY.unseenfist) & mv.contact
    for name in DAMAGE_ONLY:
        through = through | ((foe.protect_move == getattr(MOVE, name)) & (mv.category == 2))
    return through


def touched(c: Context, on: Array) -> None:
    """React to a hit on the shield: a rampage may end, and some shields answer contact."""
    mv, me, foe = c.mv, c.me, c.foe
    fresh = on & (me.timers[Timer.LOCKED] == 2)
    me.timers[Timer.LOCKED] = c.where(fresh, 0, me.timers[Timer.LOCKED])
    contact = on & mv.contact
    kind = foe.protect_move
    bunker, bulwark = kind == MOVE.banefulbunker, kind == MOVE.burningbulwark
    given = c.where(bunker, Status.POISON, Status.BURN)
    set_status(c, contact & (bunker | bulwark), me, given, foe)
    hurt(c, contact & (kind == MOVE.spikyshield), me, share(c, me, 8), Cause.OTHER)
    lowered = (
        ("kingsshield", boosts.ATK, -1), ("silktrap", boosts.SPE, -1), ("obstruct", boosts.DEF, -2),
    )  # fmt: skip
    drop = boosts.several(c)
    for name, stat, stages in lowered:
        drop[stat] = c.where(contact & (kind == getattr(MOVE, name)), stages, 0)
    boosts.boost(c, contact, me, drop, True)
