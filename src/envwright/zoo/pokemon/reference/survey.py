"""Survey the generator's sets, and make the pool of teams from supported ones.

    python -m envwright.zoo.pokemon.reference.survey      # writes data/survey.json and pool.npz

12,000 generated teams are 72,000 sets; counts say how often each ability, item and move occurs and
what share of sets is supported.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from envwright.zoo.pokemon import pool, support
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.reference.extract import DATA, provenance
from envwright.zoo.pokemon.reference.install import exit_code
from envwright.zoo.pokemon.reference.showdown import Showdown
from envwright.zoo.pokemon.tables import load
from envwright.zoo.pokemon.teams import PokemonSet, Team, read

TEAMS, CHUNK, SEED = 12_000, 250, 2026
POOL_TEAMS = 4_000


def generated(teams: int = TEAMS, seed: int = SEED) -> Iterator[Team]:
    """Yield teams of the generator, seed by seed."""
    with Showdown() as showdown:
        for number in range(teams // CHUNK):
            yield from map(read, showdown.teams(seed * 1000 + number, CHUNK))


def survey(teams: list[Team]) -> dict[str, Any]:
    """Count over all sets of some teams."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in ("abilities", "items", "moves")}
    lacking: Counter[str] = Counter()
    good = 0
    for one in (one for team in teams for one in team):
        counts["abilities"][one.ability] += 1
        counts["items"][one.item] += 1
        counts["moves"].update(one.moves)
        why = support.reasons(one)
        good += not why
        lacking.update({f"{reason.kind}:{reason.name}" for reason in why})
    whole = sum(not any(support.reasons(one) for one in team) for team in teams)
    sets = sum(map(len, teams))
    return {
        "packages": provenance()["packages"],
        "sets": sets,
        "supported_sets": good,
        "teams": len(teams),
        "supported_teams": whole,
        "counts": {kind: dict(counted.most_common()) for kind, counted in counts.items()},
        "lacking": dict(lacking.most_common()),
    }


def assembled(teams: list[Team], count: int = POOL_TEAMS) -> list[Team]:
    """Return teams of six supported sets, no species twice, in the order of the sets."""
    made: list[Team] = []
    waiting: list[PokemonSet] = []
    for one in (one for team in teams for one in team if not support.reasons(one)):
        waiting.append(one)
        team = _six(waiting)
        if team:
            made.append(team)
            waiting = [other for other in waiting if other not in team]
        if len(made) == count:
            break
    return made


def _six(sets: list[PokemonSet]) -> Team | None:
    base = load().species.base_species
    found: dict[int, PokemonSet] = {}
    for one in sets:
        found.setdefault(int(base[NAMES.one_species(one.species)]), one)
        if len(found) == 6:
            return tuple(found.values())
    return None


def write() -> None:
    """Write the committed files."""
    teams = list(generated())
    document = survey(teams)
    (DATA / "survey.json").write_text(json.dumps(document, separators=(",", ":")) + "\n")
    pool.save(assembled(teams), DATA / "pool.npz")
    share = document["supported_sets"] / document["sets"]
    print(f"{share:.1%} of {document['sets']} sets are supported")


if __name__ == "__main__":
    sys.exit(exit_code(write))
