"""The moves, abilities and items that our engine supports, and why a set is rejected.

An effect without callbacks is data, which the engine always supports; one with callbacks is
supported when it has a duel (`duels/*.toml`), since every duel is compared with the reference.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.names import NAMES, SINGULAR
from envwright.zoo.pokemon.roster import Roster, encode
from envwright.zoo.pokemon.tables import load
from envwright.zoo.pokemon.teams import PokemonSet, Team, complete, read

FOLDER = Path(__file__).parent / "duels"
KINDS = ("abilities", "items", "moves")
# Without callbacks, but named in the rules of others; the engine knows these.
CORE = {
    "abilities": frozenset({"levitate", "multitype", "earlybird", "corrosion", "noability"}),
    "items": frozenset({"heavydutyboots", "lightclay"}),
    "moves": frozenset({"struggle"}),
}


@cache
def duel_lines(kind: str) -> dict[str, list[str]]:
    """Return the lines of a file of duels by name; `checks.duels.read` explains them."""
    if kind not in KINDS:
        raise EnvwrightError(f"there are no duels of '{kind}'; use {', '.join(KINDS)}")
    return tomllib.loads((FOLDER / f"{kind}.toml").read_text())


@cache
def atoms(kind: str) -> frozenset[str]:
    """Return effects with callbacks that have a duel."""
    return frozenset(duel_lines(kind))


@cache
def supported(kind: str) -> frozenset[str]:
    """Return all names of a kind ("moves", "abilities", "items") that a set may have."""
    return atoms(kind) | CORE[kind] | (_plain_moves() if kind == "moves" else frozenset())


def _plain_moves() -> frozenset[str]:
    """Return the moves of generation 9 that are data only."""
    m = load().moves
    own = m.callbacks | m.has_condition | m.self_callback | m.nonstandard | m.is_z | m.is_max
    own = own | m.secondary_callback.any(1) | m.secondary_self_callback.any(1) | m.calls_move
    return frozenset(NAMES.moves[i] for i in range(1, len(own)) if not own[i])


@dataclass(frozen=True)
class Reason:
    """The reason why a set cannot be played."""

    kind: str
    name: str

    def __str__(self) -> str:
        title = NAMES.title(self.kind, NAMES.number(self.kind, self.name))
        return f"{SINGULAR[self.kind]} {title}"


Supported = Callable[[str], frozenset[str]]  # names of a kind that an engine plays


def reasons(one: PokemonSet, played: Supported = supported) -> list[Reason]:
    """Return what of a set is not supported; empty if it can be played."""
    wanted = {"abilities": [one.ability], "items": [one.item], "moves": one.moves}
    return [
        Reason(kind, name)
        for kind, names in wanted.items()
        for name in names
        if name and name not in played(kind)
    ]


def require(team: Team, played: Supported = supported) -> Team:
    """Return the team. Raises with the sets that cannot be played, and why."""
    refused = {one.title: reasons(one, played) for one in team}
    said = [f"{who} ({', '.join(map(str, why))})" for who, why in refused.items() if why]
    if said:
        raise EnvwrightError(
            f"not supported yet: {'; '.join(said)}; `envwright coverage pokemon` lists what is"
        )
    return team


def _is_team(team: Any) -> TypeGuard[Team]:
    return isinstance(team, list | tuple) and all(isinstance(one, PokemonSet) for one in team)


def given(teams: Sequence[Team | str], played: Supported = supported) -> Roster:
    """Return two teams, given as sets or as text, that an engine supports."""
    if not isinstance(teams, list | tuple):
        raise EnvwrightError(f"a battle is between two teams, a list of both, not {teams!r}")
    if len(teams) != 2:
        raise EnvwrightError(f"a battle is between two teams, not {len(teams)}")
    both = [complete(team) if _is_team(team) else read(team) for team in teams]  # type: ignore[arg-type]
    return encode([require(team, played) for team in both])
