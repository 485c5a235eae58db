"""Automatic effects whenever the simulator updates (onUpdate): berries, cures, formes."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import formes, item_use, paradox
from envwright.zoo.pokemon.engine import hp, status, ties
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.facts import fainted
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM
from envwright.zoo.pokemon.state import Flag, Kind, Status, Timer


def run(c: Context, on: Array) -> None:
    """Update both Pokemon, the faster one first."""
    ties.foe_first(c, on)  # what one does here does not touch the other, so any order will do
    for s in (c.me, c.foe):
        c.when(on & ~fainted(s) & _due(c, s), _one, s)


def _hungry(s: Side) -> Array:
    """Return whether its berry would help it."""
    afflicted = (s.status != 0) | (s.timers[Timer.CONFUSION] > 0)
    hungry = (s.item == ITEM.lumberry) & afflicted
    hungry = hungry | ((s.item == ITEM.chestoberry) & (s.status == Status.SLEEP))
    return hungry | ((s.item == ITEM.sitrusberry) & (s.hp * 2 <= s.maxhp))


def _due(c: Context, s: Side) -> Array:
    due = _hungry(s) | _cured_by_ability(c, s)
    due = due | (s.item == ITEM.boosterenergy)
    return due | has(s.flags, Flag.BUSTED)


def _cured_by_ability(c: Context, s: Side) -> Array:
    sleepless = (s.ab == ABILITY.insomnia) | (s.ab == ABILITY.vitalspirit)
    cured = (sleepless & (s.status == Status.SLEEP)) | (
        (s.ab == ABILITY.waterveil) & (s.status == Status.BURN)
    )
    cured = cured | ((s.ab == ABILITY.limber) & (s.status == Status.PARALYSIS))
    cured = cured | ((s.ab == ABILITY.magmaarmor) & (s.status == Status.FREEZE))
    return cured | ((s.ab == ABILITY.immunity) & (s.status >= Status.POISON))


def _one(c: Context, on: Array, s: Side) -> None:
    status.cure(c, on & _cured_by_ability(c, s), s)
    c.when(on & has(s.flags, Flag.BUSTED), formes.bust, s)
    c.when(on & (s.item == ITEM.boosterenergy), paradox.use_booster, s)
    eat(c, on & _hungry(s), s)


def eat(c: Context, on: Array, s: Side) -> None:
    """Eat the held berry, unless the foe has Unnerve."""
    o = c.other(s)
    unnerved = (o.ab == ABILITY.unnerve) & (o.hp > 0)  # one about to faint unnerves nobody
    entering = has(c.f.pending[Kind.RUN_SWITCH], c.i(c.f.flip ^ (o is c.foe)))  # nor one until then
    on = on & (s.hp > 0) & ~(unnerved & ~entering)
    on = on & ~((s.item == ITEM.sitrusberry) & (s.timers[Timer.HEAL_BLOCK] > 0))
    curing = on & ((s.item == ITEM.lumberry) | (s.item == ITEM.chestoberry))
    status.cure(c, curing & ((s.item == ITEM.lumberry) | (s.status == Status.SLEEP)), s)
    calmed = on & (s.item == ITEM.lumberry)
    s.timers[Timer.CONFUSION] = c.where(calmed, 0, s.timers[Timer.CONFUSION])
    hp.heal(c, on & (s.item == ITEM.sitrusberry), s, hp.share(c, s, 4))
    hp.heal(c, on & (s.ab == ABILITY.cheekpouch), s, hp.share(c, s, 3))
    item_use.spend(c, on, s, eaten=True)
