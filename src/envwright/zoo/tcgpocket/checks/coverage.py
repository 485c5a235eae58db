"""Count which cards and effects of TCG Pocket are supported and exercised.

It counts cards by set and, in the traces that the levels compare: from how many states an effect
acted, how often its family acted in whole games, which cards were used. If the engines agree, ours
did the same. Decisions and lines are those of the fast engine on these traces.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from envwright.core.progress import Progress, quiet
from envwright.errors import EnvwrightError, Exit
from envwright.schema.results import FileCoverage
from envwright.verify.adequacy.coverage import LineCoverage
from envwright.verify.adequacy.mutation.loading import load_mutant_package
from envwright.verify.room import load_room
from envwright.zoo.tcgpocket.cards import load, sets
from envwright.zoo.tcgpocket.checks import effects, games, levels, sequences
from envwright.zoo.tcgpocket.checks.compare import differences
from envwright.zoo.tcgpocket.checks.decisions import Decisions, watched
from envwright.zoo.tcgpocket.checks.traces import Trace

GAMES = 300
SEQUENCES = 600


@dataclass
class CardCoverage:
    """Counts of cards by set, of effects, of decisions and of lines."""

    complete: dict[str, int]  # cards by set
    states: dict[str, int]  # of each effect: random states from which it acted
    in_games: dict[str, int]  # of each effect: how often its family acted in whole games
    games: int
    used: int  # cards that whole games used
    files: dict[str, FileCoverage]
    decisions: Decisions
    wanted: int = effects.TIMES  # states from which every effect should act
    sets: dict[str, int] = field(default_factory=lambda: dict(sets()))

    @property
    def idle(self) -> list[str]:
        """The effects that acted from fewer states than they should."""
        return [name for name, count in self.states.items() if count < self.wanted]

    @property
    def exit_code(self) -> Exit:
        """The exit code: different if an effect was not exercised enough."""
        return Exit.DIFFERENT if self.idle else Exit.EQUAL

    def to_json(self) -> dict[str, Any]:
        """Return the documented schema of `envwright coverage tcgpocket --json`."""
        return {
            "kind": "card-coverage",
            "env": "tcgpocket",
            "cards": len(load()),
            "sets": {
                name: {"cards": total, "complete": self.complete.get(name, 0)}
                for name, total in self.sets.items()
            },
            "effects": {
                name: {"states": count, "in_games": self.in_games[name]}
                for name, count in self.states.items()
            },
            "games": self.games,
            "cards_used": self.used,
            "idle": self.idle,
            "files": {name: asdict(file) for name, file in self.files.items()},
            "decisions": self.decisions.to_json(),
        }


def cover_cards(
    seed: int = 0,
    progress: Progress = quiet,
    games_played: int = GAMES,
    times: int = effects.TIMES,
    sequences_played: int = SEQUENCES,
) -> CardCoverage:
    """Record what the levels compare, count in it, and play it on the fast engine."""
    traces: list[Trace] = []
    states: dict[str, int] = {}
    listed = effects.all_effects()
    for done, (named, some, acting) in enumerate(effects.everything(seed, times), 1):
        traces += some
        states[str(named)] = acting
        progress("effects", done, len(listed))
    traces += sequences.traces(seed, sequences_played)
    seen, rules = levels.Seen(), list(sequences.OTHERWISE.values())
    for number in range(games_played):
        traces.append(games.play(seed, number, rules[number % len(rules)]))
        seen.add(traces[-1:])
        progress("games", number + 1, games_played)
    files, decisions = _played(traces, progress)
    return CardCoverage(
        complete=complete_by_set(),
        states=states,
        in_games={str(named): seen.families[named.effect.family] for named in listed},
        games=games_played,
        used=len(seen.cards),
        files=files,
        decisions=decisions,
        wanted=times,
    )


def complete_by_set() -> dict[str, int]:
    """Count the supported cards of each set; a card counts in every set that has it."""
    counts: Counter[str] = Counter()
    for card in load().values():
        counts.update({one.split()[0] for one in card.prints})
    return counts


def _played(
    traces: Sequence[Trace], progress: Progress
) -> tuple[dict[str, FileCoverage], Decisions]:
    """Return the engine's lines and decisions. Raises if it differs from the reference."""
    room = load_room("tcgpocket")
    lines = LineCoverage(room)
    with lines, load_mutant_package(room.packages, {}):
        engines = importlib.import_module("envwright.zoo.tcgpocket.checks.engines")
        engine = importlib.import_module(engines.ENGINE)
        told = lambda done: progress("played on the fast engine", done, len(traces))  # noqa: E731
        with watched(Path(str(engine.__file__)).parent) as decisions:
            found = differences(engines.on_numpy, traces, most=1, told=told)
    if found:
        raise EnvwrightError(
            "tcgpocket differs from its reference; run envwright verify tcgpocket first"
        )
    return lines.files(), decisions
