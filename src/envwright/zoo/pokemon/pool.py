"""A pool of teams that battles draw from, made of the generator's supported sets.

    pool = load_pool()          # Roster of some thousand teams
    pool.pick([0, 17])          # the teams of two players

`reference/survey.py` makes the file; teams share sets, so sets are stored once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.roster import MOVES, Roster, encode
from envwright.zoo.pokemon.tables import DATA
from envwright.zoo.pokemon.teams import PokemonSet, Team, complete


def save(teams: Sequence[Team], path: Path) -> None:
    """Write teams to a file."""
    sets = sorted({one for team in teams for one in team}, key=repr)
    places = {one: index for index, one in enumerate(sets)}
    np.savez_compressed(
        path,
        teams=np.asarray([[places[one] for one in team] for team in teams], np.int16),
        numbers=np.asarray([_numbers(one) for one in sets], np.int16),
        moves=np.asarray([_moves(one) for one in sets], np.int16),
        evs=np.asarray([one.evs for one in sets], np.uint8),
        ivs=np.asarray([one.ivs for one in sets], np.uint8),
    )


def _numbers(one: PokemonSet) -> list[int]:
    return [
        NAMES.one_species(one.species),
        NAMES.ability(one.ability),
        NAMES.item(one.item),
        NAMES.type(one.tera),
        one.level,
        NAMES.number("genders", one.gender),
    ]


def _moves(one: PokemonSet) -> list[int]:
    numbers = [NAMES.move(move) for move in one.moves]
    return numbers + [0] * (MOVES - len(numbers))


@cache
def teams() -> tuple[Team, ...]:
    """Return the teams of the pool as sets."""
    with np.load(DATA / "pool.npz") as stored:
        parts = {name: stored[name] for name in stored.files}
    sets = [
        PokemonSet(
            species=NAMES.species[species],
            ability=NAMES.abilities[ability],
            item=NAMES.items[item],
            tera=NAMES.types[tera],
            level=int(level),
            gender=NAMES.list("genders")[gender],
            moves=tuple(NAMES.moves[move] for move in moves if move),
            evs=tuple(map(int, evs)),
            ivs=tuple(map(int, ivs)),
        )
        for (species, ability, item, tera, level, gender), moves, evs, ivs in zip(
            parts["numbers"], parts["moves"], parts["evs"], parts["ivs"], strict=True
        )
    ]
    return tuple(complete(tuple(sets[place] for place in row)) for row in parts["teams"])


@cache
def load_pool() -> Roster:
    """Load the pool as numbers."""
    return encode(teams())
