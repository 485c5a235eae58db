"""Elo ratings by the Bradley-Terry model, with intervals by bootstrap.

The odds of a over b are 10 ** ((a - b) / 400), a tie is half a win for each, and the mean of all
ratings is 0. The rating of a player that won every game would be infinite: half a tied game is
added between any two who have met, which keeps ratings finite and is little beside real games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.schema.results import Elo, Rating

POINTS = 400 / np.log(10)  # Elo points in one unit of log odds
PRIOR = 0.5  # share of a tied game between any two who have met
STEPS, SMALL = 100, 1e-10  # limits of Newton's method


@dataclass(frozen=True)
class Ratings:
    """A rating for each player, with the interval that holds 95 % of the bootstrap's."""

    names: tuple[str, ...]
    elo: np.ndarray  # float[P]
    low: np.ndarray  # float[P]
    high: np.ndarray  # float[P]
    wins: np.ndarray  # int[P, P]: games that the row has won against the column
    ties: np.ndarray  # int[P, P]

    def score(self, player: int, other: int) -> float | None:
        """Return wins and half of the ties as a share of games; None if the two have not met."""
        games = self.wins[player, other] + self.wins[other, player] + self.ties[player, other]
        won = self.wins[player, other] + self.ties[player, other] / 2
        return float(won / games) if games else None

    def record(self, env: str, **how: Any) -> Elo:
        """Return the result that `envwright elo --json` stores."""
        players = range(len(self.names))
        return Elo(
            env=env,
            **how,
            players=[
                Rating(
                    name,
                    *(float(numbers[i]) for numbers in (self.elo, self.low, self.high)),
                    wins=int(self.wins[i].sum()),
                    ties=int(self.ties[i].sum()),
                    losses=int(self.wins[:, i].sum()),
                )
                for i, name in enumerate(self.names)
            ],
            scores=[[self.score(i, j) for j in players] for i in players],
        )


def rate(
    names: tuple[str, ...],
    first: np.ndarray,
    second: np.ndarray,
    score: np.ndarray,
    together: np.ndarray,
    samples: int = 500,
    seed: int = 0,
) -> Ratings:
    """Rate players by games: who met whom (int[N]), and the first one's score (1, 0.5 or 0).

    Games with the same number in `together` (the same seed with seats exchanged) are drawn
    together by the bootstrap, since they are not independent.
    """
    count = len(names)
    groups = np.unique(together, return_inverse=True)[1]
    size = int(groups.max()) + 1
    table = np.zeros((size, count, count))
    np.add.at(table, (groups, first, second), score)
    np.add.at(table, (groups, second, first), 1 - score)
    rng = np.random.default_rng(seed)
    # Draw as many as there were within each pairing, so that no pairing is ever missing.
    pairing = np.zeros(size, int)
    pairing[groups] = np.minimum(first, second) * count + np.maximum(first, second)
    members = [np.flatnonzero(pairing == which) for which in np.unique(pairing)]
    drawn = np.empty((samples, count))
    for sample in range(samples):
        picked = np.concatenate([rng.choice(group, len(group)) for group in members])
        drawn[sample] = strengths(table[picked].sum(0))
    low, high = np.percentile(POINTS * drawn, [2.5, 97.5], axis=0)
    wins, ties = np.zeros((2, count, count), int)
    for a, b, points in zip(first, second, score, strict=True):
        if points == 0.5:
            ties[a, b] += 1
            ties[b, a] += 1
        else:
            wins[(a, b) if points else (b, a)] += 1
    return Ratings(names, POINTS * strengths(table.sum(0)), low, high, wins, ties)


def strengths(won: np.ndarray) -> np.ndarray:
    """Return the likeliest log odds, float[P] with mean 0, of points `won[a, b]`."""
    count = len(won)
    met = won + won.T > 0
    won = won + PRIOR / 2 * met
    games = won + won.T
    rating = np.zeros(count)
    # The likelihood is flat along the sum of ratings, and between groups that never met.
    flat = np.full((count, count), 1 / count)
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(rating[None] - rating[:, None]))
        slope = (won - games * expected).sum(1)
        weight = games * expected * expected.T
        curve = np.diag(weight.sum(1)) - weight
        move = np.linalg.lstsq(curve + flat, slope, rcond=None)[0]
        move /= max(1.0, np.abs(move).max())
        rating += move
        if np.abs(move).max() < SMALL:
            break
    return rating - rating.mean()
