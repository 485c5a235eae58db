"""Observations: what a player sees of a battle, as one vector of numbers between about -1 and 1.

`own` shows one's own side in full and of the other what was revealed; `public` shows both sides as
a spectator sees them. Hidden from everyone: how long sleep, confusion and the like will last, and
durations that reveal a held item. The player's own legal actions come beside it as a mask.

Pokemon shown in full stand in party order (slot 0 fights), others in the order in which they were
seen; those that were not are zero.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from envwright.core.arrays import Array
from envwright.core.exact import exact_div
from envwright.zoo.pokemon import knowledge
from envwright.zoo.pokemon.knowledge import Known
from envwright.zoo.pokemon.state import Cond, Flag, Mon, State, Status, Timer, Weather
from envwright.zoo.pokemon.tables import load

VIEWS = ("own", "public")
TEAM, MOVES, STATS, BOOSTS, TERRAINS = 6, 4, 6, 7, 4

SHOWN_TIMERS = (
    Timer.CONFUSION, Timer.BOUND, Timer.RECHARGE, Timer.CHARGING, Timer.ENCORE, Timer.TAUNT,
    Timer.THROAT_CHOP, Timer.HEAL_BLOCK, Timer.YAWN, Timer.DISABLE, Timer.MAGNET_RISE,
    Timer.GLAIVE_RUSH, Timer.STALL,
)  # fmt: skip
SHOWN_FLAGS = (
    Flag.LEECH_SEED, Flag.CURSE, Flag.SALT_CURE, Flag.TRAPPED, Flag.NO_RETREAT, Flag.FLASH_FIRE,
    Flag.CHARGE, Flag.PROTOSYNTHESIS, Flag.QUARK_DRIVE,
)  # fmt: skip
SCREENS = (Cond.REFLECT, Cond.LIGHT_SCREEN, Cond.AURORA_VEIL)  # the duration reveals an item
LASTING = {  # with the most it can be
    Cond.SPIKES: 3, Cond.TOXIC_SPIKES: 2, Cond.STEALTH_ROCK: 1, Cond.STICKY_WEB: 1,
    Cond.TAILWIND: 4, Cond.SAFEGUARD: 5, Cond.WISH: 2, Cond.FUTURE: 3,
}  # fmt: skip
FEATURES_OF_A_POKEMON = 9 + len(Status) - 1 + STATS
FEATURES_OF_A_MOVE = 9
FEATURES_OF_A_SIDE = (
    1 + len(SCREENS) + len(LASTING) + BOOSTS + len(SHOWN_TIMERS) + len(SHOWN_FLAGS) + 1
    + MOVES * FEATURES_OF_A_MOVE + TEAM * FEATURES_OF_A_POKEMON
)  # fmt: skip
FEATURES_OF_THE_FIELD = 2 + len(Weather) - 1 + TERRAINS
SIZE = 2 * FEATURES_OF_A_SIDE + FEATURES_OF_THE_FIELD


class Party(NamedTuple):
    """Fields of the six Pokemon, in the order in which they are shown."""

    species: Array  # [2, 6, B]
    hp: Array  # [2, 6, B], a share of the whole
    level: Array  # [2, 6, B]
    gender: Array  # [2, 6, B]
    status: Array  # [2, 6, B]
    tera: Array  # [2, 6, B], whether it has terastallized
    item: Array  # [2, 6, B], whether it holds one


def observe(xp: Any, state: State, known: Known, player: Array | int, view: str = "own") -> Array:
    """Return an observation, float32[SIZE, B]; `player` is one for all, or one per lane."""
    shown = _sides(xp, state, known, full=False)
    own = _sides(xp, state, known, full=True) if view == "own" else shown
    first = xp.asarray(player) == 0
    parts = [xp.where(first, own[0], own[1]), xp.where(first, shown[1], shown[0])]
    return xp.concatenate([*parts, _field(xp, state)]).astype(np.float32)


def share(xp: Any, part: Array, most: Array | int) -> Array:
    """Divide whole numbers to float32 with IEEE 754 rounding everywhere.

    XLA would multiply by the reciprocal of a constant, which differs in the last bit from NumPy and
    Rust.
    """
    part = xp.asarray(part).astype(np.float32)
    divisor = xp.asarray(most).astype(np.float32)
    return part / divisor if xp is np else exact_div(part, divisor)


def _field(xp: Any, state: State) -> Array:
    weather = [state.weather == kind for kind in list(Weather)[1:]]
    terrain = [state.terrain == kind for kind in range(1, TERRAINS + 1)]
    turn, trick_room = xp.minimum(state.turn, 100), state.trick_room
    numbers = [share(xp, turn, 100), share(xp, trick_room, 5), *weather, *terrain]
    return xp.stack([number.astype(np.float32) for number in numbers])


def _sides(xp: Any, state: State, known: Known, full: bool) -> Array:
    """Return the features of both sides, float32[2, FEATURES_OF_A_SIDE, B]."""
    parts = [share(xp, state.left, TEAM)]
    parts += [state.conditions[:, one] > 0 for one in SCREENS]
    parts += [share(xp, state.conditions[:, one], most) for one, most in LASTING.items()]
    parts += [share(xp, state.boosts[:, stat], 6) for stat in range(BOOSTS)]
    parts += [state.timers[:, one] > 0 for one in SHOWN_TIMERS]
    parts += [(state.flags >> one) & 1 for one in SHOWN_FLAGS]
    parts.append(state.sub_hp > 0)
    shown = state.moves[:, 0] > 0 if full else knowledge.known_moves(xp, state)[:, 0]
    for slot in range(MOVES):
        move = xp.where(shown[:, slot], state.moves[:, 0, slot], 0)
        parts += _move(xp, state, move, state.pp[:, 0, slot])
    party = _own_party(xp, state) if full else _shown_party(xp, state, known)
    for place in range(TEAM):
        parts += _pokemon(xp, state, Party(*(field[:, place] for field in party)))
    return xp.stack([part.astype(np.float32) for part in parts], axis=1)


def _own_party(xp: Any, state: State) -> Party:
    exact = share(xp, state.hp, xp.maximum(state.maxhp, 1))
    return Party(state.species, exact, state.level, state.gender, state.status,
                 (state.marks >> Mon.TERA) & 1, state.item > 0)  # fmt: skip


def _shown_party(xp: Any, state: State, known: Known) -> Party:
    item_known = knowledge.by_slot(xp, state, known.items) > 0
    own = _own_party(xp, state)
    own = own._replace(hp=share(xp, percent(xp, state), 100), item=own.item & item_known)
    return Party(*(knowledge.by_appearance(xp, state, known, field) for field in own))


def percent(xp: Any, state: State) -> Array:
    """Return HP as the other side sees it: whole per cent, rounded up, 100 only if unhurt."""
    most = xp.maximum(state.maxhp.astype(np.int32), 1)
    rounded = (state.hp.astype(np.int32) * 100 + most - 1) // most
    return xp.where((rounded == 100) & (state.hp < state.maxhp), 99, rounded)


def _move(xp: Any, state: State, move: Array, left: Array) -> list[Array]:
    m = load().moves
    look = lambda column: xp.asarray(column)[move]  # noqa: E731
    there, kind, category = move > 0, look(m.type), look(m.category)
    accuracy = look(m.accuracy)
    types = state.types.astype(np.int32)
    same = (kind == types[:, 0]) | (kind == types[:, 1])
    facing = types[::-1]
    effect = matchup(xp, kind, facing[:, 0], facing[:, 1])
    return [
        there,
        share(xp, look(m.power), 250),
        share(xp, xp.where(there, xp.where(accuracy == 0, 100, accuracy), 0), 100),
        (category == 0) & there,
        (category == 1) & there,
        share(xp, look(m.priority), 5),
        share(xp, xp.where(there, left, 0), xp.maximum(look(m.pp), 1)),
        same & there,
        share(xp, xp.where(there, effect, 0), 3),
    ]


def matchup(xp: Any, attack: Array, first: Array, second: Array) -> Array:
    """Return the exponent of a type against two others; -3 if it does nothing."""
    chart, immune = xp.asarray(load().types.exponent), xp.asarray(load().types.immune)
    none = immune[attack, first] | immune[attack, second]
    return xp.where(none, -3, chart[attack, first] + chart[attack, second])


def best_matchup(xp: Any, attack: Array, target: Array) -> Array:
    """Return the better of two types against a Pokemon's types; both [2, ..., B], types second."""
    first = matchup(xp, attack[:, 0], target[:, 0], target[:, 1])
    second = matchup(xp, attack[:, 1], target[:, 0], target[:, 1])
    return xp.where(attack[:, 1] > 0, xp.maximum(first, second), first)


def _pokemon(xp: Any, state: State, one: Party) -> list[Array]:
    table = load().species
    there = one.species > 0
    types = xp.moveaxis(xp.asarray(table.types)[one.species], -1, 1)
    facing = state.types[::-1]
    base = xp.asarray(table.base_stats)[one.species]
    return [
        there,
        one.hp,
        there & (one.hp == 0),
        share(xp, one.level, 100),
        one.tera,
        one.item,
        one.gender == 2,
        share(xp, xp.where(there, best_matchup(xp, types, facing), 0), 3),
        share(xp, xp.where(there, best_matchup(xp, facing, types), 0), 3),
        *[one.status == kind for kind in list(Status)[1:]],
        *[share(xp, base[..., stat], 255) for stat in range(STATS)],
    ]
