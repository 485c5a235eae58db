"""Players without learning, from blind to cautious. All use only what their own view shows.

    actions = choose(xp, "max damage", state, legal, noise, player)

`legal` is bool[2, 14, B], `noise` float32[14, B] in [0, 1) breaks ties and makes `random` random;
the answer is int32[B].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.core.arrays import Array
from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.observe import best_matchup, matchup
from envwright.zoo.pokemon.state import State
from envwright.zoo.pokemon.tables import load

TEAM, ACTIONS = 6, 14
STATUS_WORTH = 20.0  # the worth of a move without power, in points of power
BAD_MATCHUP = 1  # the foe's types hit harder than ours by this exponent: think of switching
CLEARLY_BETTER = 2


def choose(xp: Any, name: str, state: State, legal: Array, noise: Array, player: int) -> Array:
    """Choose one player's actions in every lane."""
    if name not in OPPONENTS:
        raise EnvwrightError(f"there is no opponent '{name}'; there are {', '.join(OPPONENTS)}")
    worth = OPPONENTS[name](xp, state, player)
    scores = xp.where(legal[player], worth + noise * _SPREAD[name], -np.inf)
    return xp.argmax(scores, axis=0).astype(np.int32)


def _nothing(xp: Any, state: State, player: int) -> Array:
    return xp.zeros((ACTIONS, state.turn.shape[-1]), np.float32)


def _actions(xp: Any, moves: Array, switches: Array) -> Array:
    """Return worths of all actions, float32[14, B], from four moves and five switches."""
    wait = xp.zeros_like(moves[:1])
    return xp.concatenate([moves, moves, switches, wait]).astype(np.float32)


def _type_aware(xp: Any, state: State, player: int) -> Array:
    """Return power times type effectiveness; no switches while there is a move."""
    return _actions(xp, _power(xp, state, player), _reluctant(xp, state, player))


def _max_damage(xp: Any, state: State, player: int) -> Array:
    """Return how much of the foe's HP a hit would take, from levels and base stats."""
    return _actions(xp, _damage(xp, state, player), _reluctant(xp, state, player))


def _switch_aware(xp: Any, state: State, player: int) -> Array:
    """Return max damage, but leave a bad match-up if the bench has a clearly better one."""
    standing = _standing(xp, state, player)
    here, bench = standing[0], standing[1:]
    leave = (here < -BAD_MATCHUP) & (bench - here > CLEARLY_BETTER)
    switches = xp.where(leave, 500.0 + bench, -100.0 + bench)
    return _actions(xp, _damage(xp, state, player), switches)


def _reluctant(xp: Any, state: State, player: int) -> Array:
    """Return worths of switches below those of any move, by match-up."""
    return -100.0 + _standing(xp, state, player)[1:]


def _power(xp: Any, state: State, player: int) -> Array:
    m = load().moves
    move = state.moves[player, 0].astype(np.int32)
    kind = xp.asarray(m.type)[move]
    foe = state.types[1 - player]
    mine = state.types[player]
    same = (kind == mine[0]) | (kind == mine[1])
    power = xp.asarray(m.power)[move] * xp.where(same, 1.5, 1.0)
    accuracy = xp.asarray(m.accuracy)[move]
    power = power * xp.where(accuracy == 0, 100, accuracy) / 100
    effect = matchup(xp, kind, foe[0], foe[1])
    hits = power * xp.where(effect <= -3, 0.0, 2.0**effect)
    return xp.where(xp.asarray(m.category)[move] == 2, STATUS_WORTH, hits)


def _damage(xp: Any, state: State, player: int) -> Array:
    m, table = load().moves, load().species
    move = state.moves[player, 0].astype(np.int32)
    special = xp.asarray(m.category)[move] == 1
    stats = state.stats[player, 0]
    attack = xp.where(special, stats[2], stats[0]) * _stage(
        xp, xp.where(special, state.boosts[player][2], state.boosts[player][0])
    )
    foe = 1 - player
    base = xp.asarray(table.base_stats)[state.species[foe, 0].astype(np.int32)]
    level = state.level[foe, 0].astype(np.float32)  # stored too narrow to multiply
    guessed = (2 * xp.where(special, base[..., 4], base[..., 2]) + 52) * level / 100 + 5
    defence = guessed * _stage(xp, xp.where(special, state.boosts[foe][3], state.boosts[foe][1]))
    health = (2 * base[..., 0] + 152) * level / 100 + 10
    factor = (2 * state.level[player, 0].astype(np.float32) / 5 + 2) / 50
    return _power(xp, state, player) * factor * attack / defence * (100 / health)


def _stage(xp: Any, stage: Array) -> Array:
    return xp.where(stage > 0, (2 + stage) / 2, 2 / (2 - xp.minimum(stage, 0)))


def _standing(xp: Any, state: State, player: int) -> Array:
    """Return the match-up of each party member with the foe's types, float[6, B]."""
    foe = state.types[1 - player][None, :2]
    rows = []
    for slot in range(TEAM):
        species = state.species[player, slot].astype(np.int32)
        types = xp.moveaxis(xp.asarray(load().species.types)[species], -1, 0)[None]
        attack, defence = best_matchup(xp, types, foe)[0], best_matchup(xp, foe, types)[0]
        rows.append(attack - defence + state.hp[player, slot] / 1000)
    return xp.stack(rows)


OPPONENTS = {
    "random": _nothing,
    "type-aware": _type_aware,
    "max damage": _max_damage,
    "switch-aware": _switch_aware,
}
_SPREAD = {"random": 1.0, "type-aware": 0.5, "max damage": 0.5, "switch-aware": 0.5}
