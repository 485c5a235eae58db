"""Record the games that replace the reference without Node.js.

    python -m envwright.zoo.pokemon.checks.golden tests/zoo/pokemon/traces

Writes `duels.xz` (every duel with every seed), `drills.xz` (every supported move used once) and
`games.xz` (games between teams of the pool).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon import pool
from envwright.zoo.pokemon.checks import duels
from envwright.zoo.pokemon.checks.drills import drills
from envwright.zoo.pokemon.reference.install import exit_code
from envwright.zoo.pokemon.reference.showdown import Showdown
from envwright.zoo.pokemon.reference.trace import Spec, Trace, record, record_all, save
from envwright.zoo.pokemon.teams import packed

GAMES, SEED = 40, 1


def record_duels(
    showdown: Showdown, listed: Sequence[duels.Duel]
) -> Iterator[tuple[duels.Duel, Trace]]:
    """Record every duel with every one of its seeds."""
    for duel in listed:
        for number in range(duel.seeds):
            actions = duels.play(showdown, duel, number)
            yield duel, record(showdown, Spec(duel.seed(number), duel.packed, actions=actions))


def pool_specs(count: int, seed: int = SEED, attack: int = 70) -> list[Spec]:
    """Return games between teams of the pool; the seed decides teams, chance and choices."""
    teams = pool.teams()
    specs = []
    for game in range(count):
        number = seed * 1_000_003 + game
        first, second = (number * 2_654_435_761 >> shift for shift in (4, 20))
        chosen = packed(teams[first % len(teams)]), packed(teams[second % len(teams)])
        specs.append(Spec(number, chosen, policy=number & 0x7FFFFFFF, attack=attack))
    return specs


def write(folders: Sequence[str]) -> None:
    """Record all files into a folder."""
    if len(folders) != 1:
        raise EnvwrightError("name one folder for the traces")
    folder = Path(folders[0])
    with Showdown() as showdown:
        listed = list(duels.all_duels())
        save(folder / "duels.xz", [trace for _, trace in record_duels(showdown, listed)])
        save(folder / "drills.xz", list(record_all(showdown, drills(each=1))))
        save(folder / "games.xz", list(record_all(showdown, pool_specs(GAMES))))


if __name__ == "__main__":
    sys.exit(exit_code(lambda: write(sys.argv[1:])))
