"""Defences of a target against a move (onTryHit, onTryImmunity), and the move's own checks."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import shields
from envwright.zoo.pokemon.engine import boosts
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.facts import (
    any_of,
    fainted,
    grounded,
    has_type,
    no_guard,
    type_immunity,
)
from envwright.zoo.pokemon.engine.hp import heal, share
from envwright.zoo.pokemon.engine.ids import ABILITY, IMMUNITY, MOVE, TERRAIN, TYPE
from envwright.zoo.pokemon.state import Cond, Flag, Timer


def run(c: Context, on: Array) -> tuple[Array, Array]:
    """Return the lanes in which the move goes on, and those in which its end counts as neither."""
    mv, foe = c.mv, c.foe
    across = on & mv.on_foe & ~mv.on_field
    terrain = across & (c.f.terrain == TERRAIN.psychicterrain) & (mv.priority > 0)
    repelled = terrain & grounded(c, foe)
    on = on & ~repelled
    shielded = across & on & (foe.timers[Timer.PROTECT] > 0) & mv.protect
    shielded = shielded & ~shields.passes(c)
    c.when(shielded, shields.touched)
    on = on & ~shielded
    bounce = on & mv.on_foe & mv.reflectable & ~mv.bounced & (foe.ab == ABILITY.magicbounce)
    bounce = bounce & ~fainted(foe)
    on = on & ~bounce
    mv.bounced = mv.bounced | bounce
    mv.aimed = bounce
    gold = across & on & (foe.ab == ABILITY.goodasgold) & (mv.category == 2)
    on = on & ~gold
    absorbed = across & on & _gated(c)
    c.when(absorbed, _absorb)
    return on & ~absorbed, shielded


def out_of_reach(c: Context, on: Array) -> Array:
    """Return the lanes in which the target is away, on the first turn of Fly, Dig or the like."""
    mv, me, foe = c.mv, c.me, c.foe
    hidden, hit = c.no, c.no
    for names, reached in HIDING:
        here = any_of(c.no, foe.charge_move, MOVE, *names)
        hidden = hidden | here
        for name in reached:
            hit = hit | (here & (mv.id == getattr(MOVE, name)))
    away = on & ~mv.on_field & (foe.timers[Timer.CHARGING] > 0) & hidden & ~hit
    sure = no_guard(me) | no_guard(foe)
    return away & ~sure & ~((mv.id == MOVE.toxic) & has_type(c, me, TYPE.Poison))


HIDING = (
    (("fly", "bounce"), ("gust", "twister", "thunder", "hurricane", "smackdown")),
    (("dig",), ("earthquake", "magnitude")),
    (("dive",), ("surf", "whirlpool")),
    (("phantomforce", "shadowforce"), ()),
)


def _gated(c: Context) -> Array:
    """Return whether the target's ability is proof against the move."""
    mv, foe, gates = c.mv, c.foe, c.rows.gates
    by_type = has(c.look(gates.types, foe.ab), mv.type) & (mv.type != 0)
    by_flag = c.no
    words = [c.look(c.t.moves.flags[:, i], mv.id) for i in range(2)]
    for word in range(2):
        by_flag = by_flag | (words[word] & c.look(gates.flags[word], foe.ab) != 0)
    by_flag = by_flag | ((foe.ab == ABILITY.sturdy) & (mv.ohko > 0))
    powder = (foe.ab == ABILITY.overcoat) & mv.powder & ~has_type(c, foe, TYPE.Grass)
    return by_type | by_flag | powder


def _absorb(c: Context, on: Array) -> None:
    foe, gates = c.foe, c.rows.gates
    healing = on & (c.look(gates.heal, foe.ab) > 0)
    heal(c, healing, foe, share(c, foe, 4))
    stat, stages = c.look(gates.boost, foe.ab), c.look(gates.stages, foe.ab)
    raised = [c.where(stat == index + 1, stages, 0) for index in range(7)]
    # the ability boosts its own holder, but in the event the source is the attacker
    boosts.boost(c, on & (stat > 0), foe, raised, True)
    flag = c.look(gates.flag, foe.ab)
    lit = on & (flag > 0)
    foe.flags = c.where(lit, foe.flags | (1 << c.xp.maximum(flag - 1, 0)), foe.flags)


def own_immunities(c: Context, on: Array) -> Array:
    """Check Powder, Prankster and moves that do not work on some targets (onTryImmunity)."""
    mv, foe = c.mv, c.foe
    on = on & ~mv.on_field
    immune = mv.powder & type_immunity(c, foe, IMMUNITY["powder"])
    immune = immune | ((mv.id == MOVE.leechseed) & has_type(c, foe, TYPE.Grass))
    sticky = foe.ab == ABILITY.stickyhold
    immune = immune | (((mv.id == MOVE.trick) | (mv.id == MOVE.switcheroo)) & sticky)
    immune = immune | ((mv.id == MOVE.endeavor) & (c.me.hp >= foe.hp))
    pranked = mv.prankster & ~mv.bounced & has_type(c, foe, TYPE.Dark)
    return on & (immune | pranked)


def single(c: Context, on: Array) -> Array:
    """Run the move's own check when it is about to work (its onTryHit)."""
    mv, me, foe = c.mv, c.me, c.foe

    def fails(name: str, when: Array) -> None:
        nonlocal on
        on = on & ~((mv.id == getattr(MOVE, name)) & when)

    fails("substitute", (me.sub_hp > 0) | (me.hp * 4 <= me.maxhp) | (me.maxhp == 1))
    short = me.hp <= c.div(me.maxhp + 1, 2)
    fails("shedtail", (me.bench_alive == 0) | (me.sub_hp > 0) | short)
    fails("curse", mv.on_foe & has(foe.flags, Flag.CURSE))
    fails("yawn", foe.status != 0)
    fails("revivalblessing", me.bench_fainted == 0)
    fails("healingwish", me.bench_alive == 0)
    breaks = (mv.id == MOVE.psychicfangs) | (mv.id == MOVE.brickbreak) | (mv.id == MOVE.ragingbull)
    c.when(on & breaks, _break_screens)
    return on


def _break_screens(c: Context, on: Array) -> None:
    for cond in (Cond.REFLECT, Cond.LIGHT_SCREEN, Cond.AURORA_VEIL):
        c.foe.conditions[cond] = c.where(on, 0, c.foe.conditions[cond])
