"""Round robin: all pairs of players, each game twice with seats exchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from envwright.errors import EnvwrightError
from envwright.train.arena.elo import Ratings, rate
from envwright.train.arena.tables import Player, Table, play_out

BATCH = 256  # games at a table
Watch = Callable[[str], None]


@dataclass(frozen=True)
class Games:
    """The games that were played, one row each."""

    names: tuple[str, ...]
    first: np.ndarray  # int[N]
    second: np.ndarray  # int[N]
    score: np.ndarray  # float[N] of the first: 1, 0.5, 0
    together: np.ndarray  # int[N]: the same for the two games of a seed

    def ratings(self, samples: int = 500) -> Ratings:
        """Return Elo ratings with intervals."""
        return rate(self.names, self.first, self.second, self.score, self.together, samples)


def play_pairing(
    table: Table, mine: Player, other: Player, games: int, seed: int = 0
) -> np.ndarray:
    """Play one pairing; return scores of `mine`, float[games / 2, 2], by seed and seat.

    The games' seeds depend only on `seed`, so that every pairing has the same decks and chance.
    """
    if games < 2 or games % 2:
        raise EnvwrightError(f"{games} games do not form pairs; give an even number")
    draws = np.random.default_rng(seed).integers(0, 2**64, games // 2, np.uint64)
    scores = []
    for number, some in enumerate(np.array_split(draws, -(-games // BATCH))):
        words = np.random.default_rng([seed, number, 1])
        table.begin([int(draw) for draw in np.concatenate([some, some])])
        seats = np.repeat([0, 1], len(some))
        scores.append(play_out(table, (mine, other), seats, words).reshape(2, -1).T)
    return np.concatenate(scores)


def round_robin(
    table: Table,
    players: Sequence[Player],
    games: int,
    seed: int = 0,
    watch: Watch = lambda sentence: None,
) -> Games:
    """Play `games` between any two players."""
    names = tuple(player.name for player in players)
    if len(names) < 2 or len(set(names)) < len(names):
        raise EnvwrightError(f"a tournament needs two or more, each with its name, not {names}")
    rows = []
    for pairing, (a, b) in enumerate(combinations(range(len(players)), 2)):
        scores = play_pairing(table, players[a], players[b], games, seed)
        wins, ties = (scores == 1).sum(), (scores == 0.5).sum()
        watch(
            f"{names[a]} against {names[b]}: {wins} won, {ties} tied, "
            f"{scores.size - wins - ties} lost"
        )
        together = pairing * len(scores) + np.arange(len(scores))
        for seat in (0, 1):
            whom = np.full((2, len(scores)), [[a], [b]])
            rows.append((*whom, scores[:, seat], together))
    first, second, score, together = (np.concatenate(part) for part in zip(*rows, strict=True))
    return Games(names, first, second, score, together)
