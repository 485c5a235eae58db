"""Count which effects of Pokemon battles are supported, and how often each was exercised.

Callbacks are counted in the reference while it plays the duels and games that the levels compare:
if both sides agree, ours did the same. A call counts if it did something.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from envwright.core.progress import Progress, quiet
from envwright.errors import Exit
from envwright.zoo.pokemon import support
from envwright.zoo.pokemon.checks import duels
from envwright.zoo.pokemon.checks.golden import pool_specs
from envwright.zoo.pokemon.reference import Showdown, installed
from envwright.zoo.pokemon.tables import DATA

GAMES = 100
NOTHING_IN_SINGLES = frozenset({"ability:powerspot"})  # helps only allies


@dataclass
class BattleCoverage:
    """Counts by effect, `ability:intimidate` and the like."""

    survey: dict[str, Any]
    in_duels: dict[str, int] = field(default_factory=dict)  # in the effect's own duel
    in_games: dict[str, int] = field(default_factory=dict)
    games: int = 0

    @property
    def idle(self) -> list[str]:
        """The effects whose own duel does not exercise them."""
        return [
            atom
            for atom, count in self.in_duels.items()
            if not count and atom not in NOTHING_IN_SINGLES
        ]

    @property
    def share_of_sets(self) -> float:
        """The share of the generator's sets that are supported."""
        return self.survey["supported_sets"] / self.survey["sets"]

    @property
    def exit_code(self) -> Exit:
        """The exit code: different if an effect was never exercised."""
        return Exit.DIFFERENT if self.idle else Exit.EQUAL

    def to_json(self) -> dict[str, Any]:
        """Return the documented schema of `envwright coverage pokemon --json`."""
        return {
            "kind": "battle-coverage",
            "env": "pokemon",
            "supported": {kind: sorted(support.supported(kind)) for kind in support.KINDS},
            "sets": self.survey["sets"],
            "supported_sets": self.survey["supported_sets"],
            "share_of_sets": self.share_of_sets,
            "lacking": self.survey["lacking"],
            "games": self.games,
            "fired_in_duels": self.in_duels,
            "fired_in_games": self.in_games,
            "idle": self.idle,
        }


def cover_battles(seed: int = 0, progress: Progress = quiet, games: int = GAMES) -> BattleCoverage:
    """Play all duels and some games in the reference and count."""
    installed()  # raises with one sentence if it is not installed
    report = BattleCoverage(json.loads((DATA / "survey.json").read_text()), games=games)
    listed = list(duels.all_duels())
    with Showdown(count_callbacks=True) as showdown:
        for done, duel in enumerate(listed, 1):
            for number in range(duel.seeds):
                duels.play(showdown, duel, number)
            report.in_duels[duel.atom] = _by_atom(showdown.fired())[duel.atom]
            progress("duels", done, len(listed))
        for done, spec in enumerate(pool_specs(games, seed + 1), 1):
            showdown.play(spec.seed, spec.teams, spec.policy, spec.attack)
            progress("games", done, games)
        counted = _by_atom(showdown.fired())
    report.in_games = {duel.atom: counted[duel.atom] for duel in listed}
    return report


def _by_atom(fired: dict[str, list[int]]) -> Counter[str]:
    """Return calls that did something, by effect; a move's own condition counts as the move."""
    counted: Counter[str] = Counter()
    for name, (_, acted) in fired.items():
        owner = name.partition(".")[0]
        kind, _, effect = owner.partition(":")
        counted[f"move:{effect}" if kind == "condition" else owner] += acted
    return counted
