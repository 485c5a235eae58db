"""Teams as numbers, from which a batch of battles starts.

rosters = encode([team_a, team_b, ...])     # Roster of int arrays, the team is the last axis
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from envwright.core.arrays import Array
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.tables import load
from envwright.zoo.pokemon.teams import PokemonSet, Team

TEAM, MOVES, STATS = 6, 4, 6


class Roster(NamedTuple):
    """T teams. Places without a Pokemon have species 0."""

    species: Array  # int16[6, T]
    level: Array  # int8[6, T]
    gender: Array  # int8[6, T], 1 M, 2 F, 3 N
    growth: Array  # int8[6, 6, T], IV + EV // 4 by stat
    nature: Array  # int8[6, T]
    moves: Array  # int16[6, 4, T]
    ability: Array  # int16[6, T]
    item: Array  # int16[6, T]
    tera: Array  # int8[6, T]
    stats: Array  # int16[6, 6, T], maximum HP first

    def pick(self, index: Array) -> Roster:
        """Return the teams of given numbers, in that order."""
        return Roster(*(array[..., index] for array in self))


_WIDE = ("species", "moves", "ability", "item", "stats")
_SHAPES = {"growth": (TEAM, STATS), "stats": (TEAM, STATS), "moves": (TEAM, MOVES)}


def encode(teams: Sequence[Team]) -> Roster:
    """Encode teams (read by `teams.read`) as one roster."""
    columns = {
        name: np.zeros(
            (*_SHAPES.get(name, (TEAM,)), len(teams)), np.int16 if name in _WIDE else np.int8
        )
        for name in Roster._fields
    }
    for number, team in enumerate(teams):
        for place, one in enumerate(team):
            for name, value in _numbers(one).items():
                target = columns[name]
                if name == "moves":
                    target[place, : len(value), number] = value
                else:
                    target[place, ..., number] = value
    return Roster(**columns)


# With its item, the one becomes the other before the battle begins, and Iron Head its own move.
_CROWNED = {
    ("zacian", "rustedsword"): ("zaciancrowned", "intrepidsword", "behemothblade"),
    ("zamazenta", "rustedshield"): ("zamazentacrowned", "dauntlessshield", "behemothbash"),
}


def _crowned(one: PokemonSet) -> PokemonSet:
    if (one.species, one.item) not in _CROWNED:
        return one
    species, ability, blade = _CROWNED[one.species, one.item]
    moves = tuple(blade if move == "ironhead" else move for move in one.moves)
    return replace(one, species=species, ability=ability, moves=moves)


def _numbers(given: PokemonSet) -> dict[str, Any]:
    one = _crowned(given)
    species = NAMES.number("species", one.species)
    growth = [iv + ev // 4 for iv, ev in zip(one.ivs, one.evs, strict=True)]
    nature = NAMES.number("natures", one.nature)
    return {
        "species": species,
        "level": one.level,
        "gender": NAMES.number("genders", one.gender),
        "growth": growth,
        "nature": nature,
        "moves": [NAMES.move(move) for move in one.moves],
        "ability": NAMES.ability(one.ability),
        "item": NAMES.item(one.item),
        "tera": NAMES.type(one.tera),
        "stats": stats(species, one.level, growth, nature),
    }


def stats(species: int, level: int, growth: Sequence[int], nature: int) -> list[int]:
    """Return the six stats of a Pokemon outside of battle."""
    tables = load()
    base = tables.species.base_stats[species].tolist()
    raw = [(2 * b + g) * level // 100 + 5 for b, g in zip(base, growth, strict=True)]
    fixed_hp = int(tables.species.max_hp[species])
    raw[0] = fixed_hp or (2 * base[0] + growth[0] + 100) * level // 100 + 10
    plus, minus = int(tables.natures.plus[nature]), int(tables.natures.minus[nature])
    if plus and plus != minus:
        raw[plus] = raw[plus] * 110 // 100
        raw[minus] = raw[minus] * 90 // 100
    return raw
