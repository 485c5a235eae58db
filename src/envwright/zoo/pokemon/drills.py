"""Battles that have every supported move used, and every pair of types met.

    specs = drills(seed=0)          # for `reference.trace.record_all`
    specs = wild(500, seed=0)       # Pokemon with any moves, ability and item, whoever they are

Duels are written by hand and ask for one rule each; drills are made from the tables, so that no
number in them goes unread: who has one move uses it, against Pokemon of the pool that do what they
like. Wild battles bring together what the generator never would.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from envwright.zoo.pokemon import pool, support
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.reference.trace import Spec
from envwright.zoo.pokemon.tables import load
from envwright.zoo.pokemon.teams import PokemonSet, Team, complete, packed

EACH = 4  # battles of a move
MOST = 12  # decisions of a battle
PLAIN = PokemonSet(species="snorlax", moves=(), ability="noability", level=80, evs=(84,) * 6)
PLAIN_POWER = (60, 100)
MOVES = 4
WILD_TEAM = 3
MOST_WILD = 40  # decisions


def drills(seed: int = 0, each: int = EACH, moves: Collection[str] | None = None) -> list[Spec]:
    """Battles of all supported moves (or of some), then one for every pair of types."""
    chosen = support.supported("moves") if moves is None else moves
    return [*_of_moves(seed, each, chosen), *_of_types(seed)]


def wild(count: int, seed: int = 0) -> list[Spec]:
    """Battles of three against three, each a chance species with chance moves, ability and item.

    All of them are of the pool, so that what is met here can be met there.
    """
    generator = np.random.default_rng((seed, 3))
    sets = _sets()
    parts = {
        name: sorted({getattr(one, name) for one in sets})
        for name in ("species", "ability", "item", "tera")
    }
    moves = sorted({move for one in sets for move in one.moves})

    def anyone() -> PokemonSet:
        chosen = {name: str(generator.choice(some)) for name, some in parts.items()}
        four = tuple(map(str, generator.choice(moves, MOVES, replace=False)))
        return replace(PLAIN, moves=four, **chosen)

    def team() -> Team:
        return tuple(anyone() for _ in range(WILD_TEAM))

    return [_battle(generator, team(), team(), MOST_WILD) for _ in range(count)]


def _of_moves(seed: int, each: int, moves: Collection[str]) -> Iterator[Spec]:
    generator = np.random.default_rng((seed, 1))
    sets = _sets()
    for move in sorted(set(moves) - support.CORE["moves"]):
        users = [one for one in sets if move in one.moves] or [PLAIN]
        for _ in range(each):
            user = users[generator.integers(len(users))]
            mine = replace(user, moves=(move,)), sets[generator.integers(len(sets))]
            yours = tuple(sets[i] for i in generator.integers(len(sets), size=2))
            yield _battle(generator, mine, yours, MOST)


def _of_types(seed: int) -> Iterator[Spec]:
    """A plain move of each type against a Pokemon of each type and nothing else."""
    generator = np.random.default_rng((seed, 2))
    bearers = _of_one_type()
    for move in _plain_moves():
        for species in bearers:
            target = replace(PLAIN, species=species, moves=("splash",))
            yield _battle(generator, (replace(PLAIN, moves=(move,)),), (target,), most=2)


def _battle(generator: np.random.Generator, mine: Team, yours: Team, most: int) -> Spec:
    number, policy = (int(n) for n in generator.integers(1 << 31, size=2))
    teams = packed(complete(mine)), packed(complete(yours))
    return Spec(number, teams, policy=policy, most=most)


@cache
def _sets() -> tuple[PokemonSet, ...]:
    """The different sets of the pool."""
    return tuple(dict.fromkeys(one for team in pool.teams() for one in team))


def _plain_moves() -> list[str]:
    """For each type, an attack that only does damage."""
    m = load().moves
    plain = (m.category != 2) & (m.secondaries == 0) & (m.accuracy == 100) & ~m.has_self
    plain &= (m.power >= PLAIN_POWER[0]) & (m.power <= PLAIN_POWER[1]) & (m.callbacks == 0)
    chosen: dict[int, str] = {}
    for number in np.flatnonzero(plain):
        name = NAMES.moves[number]
        if name in support.supported("moves"):
            chosen.setdefault(int(m.type[number]), name)
    return [chosen[kind] for kind in sorted(chosen)]


def _of_one_type() -> list[str]:
    """For each type, a Pokemon that has no other."""
    s = load().species
    pure = (s.types[:, 0] > 0) & (s.types[:, 1] == 0) & (s.nonstandard == 0) & ~s.cosmetic
    pure &= (s.battle_only_of == 0) & (s.changes_from == 0) & (s.required_item == 0)
    chosen: dict[int, str] = {}
    for number in np.flatnonzero(pure):
        chosen.setdefault(int(s.types[number, 0]), NAMES.species[number])
    return [chosen[kind] for kind in sorted(chosen)]
