"""Effects after a move: boosts of its user, recoil of items, the end of a rampage."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import white_herb
from envwright.zoo.pokemon.engine import boosts, volatiles
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.hp import Cause, hurt, share
from envwright.zoo.pokemon.engine.ids import ITEM, TYPE
from envwright.zoo.pokemon.state import Flag, Timer, Turn


def self_boost(c: Context, on: Array) -> None:
    """Boost the move's user once, after all hits."""
    table = c.t.moves.self_boost_after
    stages = [c.look(table[:, i], c.mv.id) for i in range(7)]
    boosts.boost(c, on, c.me, stages, False)


def crash(c: Context, on: Array) -> None:
    """Hurt the user of a jump that misses (onMoveFail)."""
    hurt(c, on, c.me, share(c, c.me, 2), Cause.OTHER)


def secondary_self(c: Context, on: Array) -> None:
    """Apply the recoil of Life Orb (onAfterMoveSecondarySelf)."""
    mv, me = c.mv, c.me
    on = on & ~mv.sheer & ~mv.futuremove
    orb = on & (me.item == ITEM.lifeorb) & mv.on_foe & (mv.category != 2)
    orb = orb & ~has(me.turn_flags, Turn.FORCE_SWITCH)
    c.when(orb, _life_orb)


def _life_orb(c: Context, on: Array) -> None:
    hurt(c, on, c.me, share(c, c.me, 10), Cause.OTHER)


def run(c: Context, on: Array) -> None:
    """Run what follows a move (onAfterMove)."""
    mv, me = c.mv, c.me
    # a rampage and a charge both look at the move: a tie, though nothing hangs on their order
    c.draw(on & has(me.flags, Flag.CHARGE) & (me.timers[Timer.LOCKED] > 0), 2)
    spent = on & (mv.last_type == TYPE.Electric)
    me.flags = put(c, spent, me.flags, Flag.CHARGE, False)
    white_herb.tie(c, on)
    white_herb.run(c, on)
    ends = on & (me.timers[Timer.LOCKED] == 1)
    c.when(ends, end_rampage)


def end_rampage(c: Context, on: Array) -> None:
    """End a rampage, with confusion if it lasted long enough."""
    me = c.me
    me.timers[Timer.LOCKED] = c.where(on, 0, me.timers[Timer.LOCKED])
    volatiles.confuse(c, on & (me.locked_left <= 1), me)
