"""Runs of our engine against the reference, live or recorded.

    python -m envwright.zoo.pokemon.differential duels [NAME ...]     # all duels, or some
    python -m envwright.zoo.pokemon.differential games --count 200 --seed 3
    python -m envwright.zoo.pokemon.differential mirrors              # a team against itself
    python -m envwright.zoo.pokemon.differential replay FILE [--shrink]

`--engine jax` compiles, `--engine rust` plays the Rust battles; `--natural` draws teams from the
generator instead of the pool (games with a set that is not supported are left out); `--folder`
keeps a file for each difference found.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from envwright.errors import EnvwrightError, Exit
from envwright.zoo.pokemon import duels, pool, support
from envwright.zoo.pokemon.compare import Difference, Engine, differences, load_difference
from envwright.zoo.pokemon.engines import JaxEngine, NumpyEngine
from envwright.zoo.pokemon.native import NativeEngine, played
from envwright.zoo.pokemon.reference.golden import pool_specs, record_duels
from envwright.zoo.pokemon.reference.showdown import Showdown
from envwright.zoo.pokemon.reference.trace import Spec, Trace, record_all
from envwright.zoo.pokemon.shrink import shrink
from envwright.zoo.pokemon.teams import packed, read

MOST_MIRRORED = 40  # decisions of a game of a team against itself
CHUNK = 1000  # games compared at once: their records fill 200 MB


@dataclass
class Tally:
    """What a run has seen."""

    games: int = 0
    decisions: int = 0
    turns: int = 0
    found: list[Difference] = field(default_factory=list)

    def add(self, traces: Sequence[Trace], found: list[Difference]) -> None:
        """Count a chunk of games."""
        self.games += len(traces)
        self.decisions += sum(trace.decisions for trace in traces)
        self.turns += sum(int(trace["turn"][-1]) for trace in traces)
        self.found += found

    def __str__(self) -> str:
        return (
            f"{self.games} games, {self.turns} turns, {self.decisions} decisions, "
            f"{len(self.found)} differences"
        )


def compare_games(engine: Engine, traces: Iterator[Trace], most: int = 20) -> Tally:
    """Compare games chunk by chunk as they are recorded."""
    tally, waiting = Tally(), []
    for trace in traces:
        waiting.append(trace)
        if len(waiting) == CHUNK:
            tally.add(waiting, differences(engine, waiting, most))
            waiting = []
            if len(tally.found) >= most:
                return tally
    if waiting:
        tally.add(waiting, differences(engine, waiting, most))
    return tally


@dataclass
class Natural:
    """Games between teams straight from the generator, and what of these could be played."""

    specs: list[Spec]
    sets: int = 0
    supported_sets: int = 0
    teams: int = 0
    whole_teams: int = 0

    def __str__(self) -> str:
        return (
            f"{self.supported_sets / self.sets:.1%} of {self.sets} generated sets and "
            f"{self.whole_teams / self.teams:.1%} of {self.teams} teams of six are supported"
        )


def natural_games(
    showdown: Showdown, count: int, seed: int, plays: support.Supported = support.supported
) -> Natural:
    """Games between generated teams all of whose sets are supported.

    Teams are drawn until there are enough; one with an unsupported set is counted and left out.
    """
    made = Natural([])
    batch = 0
    while len(made.specs) < count:
        texts = showdown.teams(seed * 7919 + batch, 200)
        lacking = [[bool(support.reasons(one, plays)) for one in read(text)] for text in texts]
        whole = [text for text, some in zip(texts, lacking, strict=True) if not any(some)]
        made.teams += len(texts)
        made.whole_teams += len(whole)
        made.sets += sum(map(len, lacking))
        made.supported_sets += sum(not one for some in lacking for one in some)
        for first, second in zip(whole[::2], whole[1::2], strict=False):
            number = seed * 1_000_003 + len(made.specs)
            made.specs.append(Spec(number, (first, second), policy=number & 0x7FFFFFFF))
        batch += 1
    made.specs = made.specs[:count]
    return made


def mirror_specs(count: int, seed: int) -> list[Spec]:
    """Games of a team against itself: speeds tie wherever they can."""
    teams = pool.teams()
    specs = []
    for game in range(count):
        number = seed * 1_000_003 + game
        team = packed(teams[number * 2_654_435_761 % len(teams)])
        policy = number & 0x7FFFFFFF
        specs.append(Spec(number, (team, team), policy=policy, most=MOST_MIRRORED))
    return specs


def duel_differences(
    engine: Engine, showdown: Showdown, listed: Sequence[duels.Duel]
) -> dict[str, list[Difference]]:
    """Atoms whose duels differ, all duels in one batch."""
    recorded = list(record_duels(showdown, listed))
    found: dict[str, list[Difference]] = {}
    for one in differences(engine, [trace for _, trace in recorded], most=1 << 30):
        found.setdefault(recorded[one.game][0].atom, []).append(one)
    return found


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    options = _options(arguments)
    try:
        engine = {"jax": JaxEngine, "numpy": NumpyEngine, "rust": NativeEngine}[options.engine]()
        with Showdown() as showdown:
            commands = {"duels": _duels, "mirrors": _games, "games": _games, "replay": _replay}
            return commands[options.what](engine, showdown, options)
    except EnvwrightError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("duels", "mirrors", "games", "replay"))
    parser.add_argument("names", nargs="*", help="duels, or the file to replay")
    parser.add_argument("--engine", choices=("numpy", "jax", "rust"), default="numpy")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--natural", action="store_true")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--folder", type=Path)
    return parser.parse_args(arguments)


def _duels(engine: Engine, showdown: Showdown, options: argparse.Namespace) -> int:
    listed = [d for d in duels.all_duels() if not options.names or d.name in options.names]
    if not listed:
        raise EnvwrightError(f"there is no duel of {', '.join(options.names)}")
    found = duel_differences(engine, showdown, listed)
    for atom, differing in found.items():
        print(f"{atom} ({len(differing)} of its battles)\n  {differing[0]}")
        _keep(options, atom.replace(":", "-"), differing[0])
    print(f"{len(listed) - len(found)} of {len(listed)} duels agree")
    return Exit.DIFFERENT if found else Exit.EQUAL


def _games(engine: Engine, showdown: Showdown, options: argparse.Namespace) -> int:
    started = time.monotonic()
    if options.what == "mirrors":
        specs = mirror_specs(options.count, options.seed)
    elif options.natural:
        plays = played if options.engine == "rust" else support.supported
        specs = natural_games(showdown, options.count, options.seed, plays).specs
    else:
        specs = pool_specs(options.count, options.seed)
    tally = compare_games(engine, iter(record_all(showdown, specs)))
    for one in tally.found:
        print(one)
        _keep(options, f"game-{one.seed.replace(',', '-')}", one)
    if options.shrink and tally.found:
        _show_shrunk(engine, showdown, tally.found[0])
    print(f"{tally} in {time.monotonic() - started:.0f} s")
    return Exit.DIFFERENT if tally.found else Exit.EQUAL


def _replay(engine: Engine, showdown: Showdown, options: argparse.Namespace) -> int:
    one = load_difference(Path(options.names[0]))
    spec = Spec(one.seed, one.teams, actions=one.actions)
    found = differences(engine, list(record_all(showdown, [spec])))
    print(found[0] if found else "no difference any more")
    if found and options.shrink:
        _show_shrunk(engine, showdown, found[0])
    return Exit.DIFFERENT if found else Exit.EQUAL


def _show_shrunk(engine: Engine, showdown: Showdown, one: Difference) -> None:
    trace, small = shrink(showdown, engine, one)
    print(f"\nsmallest battle that differs: {small}")
    for player, team in enumerate(trace.teams, 1):
        print(f"  player {player}: {team}")
    print(f"  seed {trace.seed}, actions {trace.actions.tolist()}")
    lines = showdown.replay(trace.seed, trace.teams, trace.actions.tolist(), log=True)["log"]
    print("\n".join(f"  {line}" for line in lines[-12:]))


def _keep(options: argparse.Namespace, name: str, one: Difference) -> None:
    if options.folder:
        print(f"  kept in {one.save(options.folder / f'{name}.json')}")


if __name__ == "__main__":
    sys.exit(main())
