"""Conditions of an active Pokemon that go away when it leaves."""

from __future__ import annotations

import numpy as np

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context
from envwright.zoo.pokemon.engine.facts import grounded
from envwright.zoo.pokemon.engine.ids import ABILITY, TERRAIN
from envwright.zoo.pokemon.state import LASTING, Cond, Timer, Turn

# active fields that go back to 0 when a Pokemon leaves or faints
CLEARED = (
    "flags", "last_move", "move_result", "last_result", "sub_hp", "last_damage", "stall_counter",
    "protect_move", "choice_move", "encore_move", "disable_move", "locked_move", "locked_left",
    "charge_move", "paradox_stat", "disabled",
)  # fmt: skip
# rows of `since` that go with it, too: what lies on a side stays
OF_POKEMON = np.array([[not isinstance(kind, Cond)] for kind in LASTING])


def clear(c: Context, on: Array, s: Side) -> None:
    """Clear boosts and all conditions; ability and types become its own again."""
    for name in CLEARED:
        s.__dict__[name] = c.where(on, 0, s.__dict__[name])
    s.boosts = c.where(on, 0, s.boosts)
    s.timers = [c.where(on, 0, x) for x in s.timers]
    s.since = c.where(on & OF_POKEMON, 0, s.since)
    s.hurt = c.where(on, -1, s.hurt)
    s.turn_flags = c.where(on, 1 << Turn.NEWLY_SWITCHED, s.turn_flags)
    s.ability = c.where(on, s.base_ability, s.ability)
    for index in range(2):
        kind = c.look(c.t.species.types[:, index], s.species)
        s.types[index] = c.where(on, kind, s.types[index])
    s.types[2] = c.where(on, 0, s.types[2])
    s.speed = c.where(on, s.stats[4], s.speed)


def confuse(c: Context, on: Array, s: Side) -> Array:
    """Confuse; return the lanes in which it worked."""
    on = on & (s.hp > 0) & (s.timers[Timer.CONFUSION] == 0) & (s.ab != ABILITY.owntempo)
    on = on & ~((c.f.terrain == TERRAIN.mistyterrain) & grounded(c, s))
    turns = c.draw(on, 4) + 2
    s.timers[Timer.CONFUSION] = c.where(on, turns, s.timers[Timer.CONFUSION])
    return on


def flinch(c: Context, on: Array, s: Side) -> Array:
    """Make flinch; return the lanes in which it worked."""
    on = on & (s.hp > 0) & (s.timers[Timer.FLINCH] == 0) & (s.ab != ABILITY.innerfocus)
    s.timers[Timer.FLINCH] = c.where(on, 1, s.timers[Timer.FLINCH])
    return on


def set_timer(c: Context, on: Array, s: Side, timer: Timer, turns: Array | int) -> Array:
    """Start a counting condition that is not there yet; return the lanes in which it started."""
    on = on & (s.hp > 0) & (s.timers[timer] == 0)
    s.timers[timer] = c.where(on, turns, s.timers[timer])
    return on
