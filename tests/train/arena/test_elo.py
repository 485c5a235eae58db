"""Ratings: known strengths are found again, and intervals hold what they promise."""

from itertools import combinations

import numpy as np
import pytest

from envwright.train.arena.elo import POINTS, rate, strengths

TRUE = np.array([-300.0, -50.0, 50.0, 300.0])
NAMES = ("a", "b", "c", "d")


def tournament(elo, games, seed=0, ties=0.0):
    """Games as Bradley-Terry has them; a tie now and then instead."""
    rng = np.random.default_rng(seed)
    rows = []
    for a, b in combinations(range(len(elo)), 2):
        chance = 1 / (1 + 10 ** ((elo[b] - elo[a]) / 400))
        won = (rng.random(games) < chance).astype(float)
        won[rng.random(games) < ties] = 0.5
        rows.append((np.full(games, a), np.full(games, b), won))
    first, second, score = (np.concatenate(part) for part in zip(*rows, strict=True))
    return first, second, score, np.arange(len(first)) // 2


def test_expected_scores_give_the_very_strengths():
    odds = TRUE / POINTS
    expected = 1000 / (1 + np.exp(odds[None] - odds[:, None]))
    np.fill_diagonal(expected, 0)
    assert np.allclose(POINTS * strengths(expected), TRUE, atol=1.0)  # the prior pulls a little


def test_known_ratings_are_found_from_games():
    ratings = rate(NAMES, *tournament(TRUE, 2000), samples=50)
    assert np.allclose(ratings.elo, TRUE, atol=20)
    assert abs(ratings.elo.mean()) < 1e-9
    assert (ratings.low < ratings.elo).all() and (ratings.elo < ratings.high).all()


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    held = []
    for seed in range(20):
        ratings = rate(NAMES, *tournament(TRUE, 100, seed), samples=200, seed=seed)
        held.append((ratings.low <= TRUE) & (ratings.high >= TRUE))
    assert 0.88 < np.mean(held) < 0.99  # 80 intervals of 95 %


def test_a_tie_is_half_a_win_for_each():
    zero, one = np.zeros(100, int), np.ones(100, int)
    tied = rate(("a", "b"), zero, one, np.full(100, 0.5), np.arange(100), samples=20)
    halves = rate(("a", "b"), zero, one, np.arange(100) % 2.0, np.arange(100), samples=20)
    assert np.allclose(tied.elo, 0) and np.allclose(halves.elo, 0)
    assert tied.ties[0, 1] == tied.ties[1, 0] == 100 and tied.wins.sum() == 0
    assert tied.score(0, 1) == halves.score(0, 1) == 0.5
    assert np.allclose(tied.low, tied.high)  # no game could have come otherwise


def test_who_won_every_game_has_a_finite_rating():
    ratings = rate(("a", "b"), np.zeros(50, int), np.ones(50, int), np.ones(50), np.arange(50))
    assert 500 < ratings.elo[0] - ratings.elo[1] < 1500
    assert ratings.score(0, 1) == 1.0


def test_the_order_in_which_two_are_named_is_of_no_interest():
    first, second, score, together = tournament(TRUE, 60, ties=0.2)
    one = rate(NAMES, first, second, score, together, samples=10)
    other = rate(NAMES, second, first, 1 - score, together, samples=10)
    assert np.allclose(one.elo, other.elo) and np.array_equal(one.wins, other.wins)


def test_games_of_one_seed_are_drawn_together():
    """Swapped seats that always cancel out leave nothing to be unsure of."""
    first, second = np.zeros(200, int), np.ones(200, int)
    score = np.arange(200) % 2.0  # the seat decides
    paired = rate(("a", "b"), first, second, score, np.arange(200) // 2, samples=50)
    alone = rate(("a", "b"), first, second, score, np.arange(200), samples=50)
    assert paired.high[0] - paired.low[0] < 1e-6 < 10 < alone.high[0] - alone.low[0]


def test_players_who_never_met_have_no_score():
    first, second = np.array([0, 2]), np.array([1, 3])
    ratings = rate(NAMES, first, second, np.array([1.0, 1.0]), np.arange(2), samples=5)
    assert ratings.score(0, 3) is None
    record = ratings.record("marble", backend="jax", games=1, seed=0)
    assert record.scores[0][1] == 1.0
    assert [player.wins for player in record.players] == [1, 0, 1, 0]
    assert ratings.elo[0] > ratings.elo[1] and ratings.elo[2] > ratings.elo[3]


@pytest.mark.parametrize("shift", [0, 1000])
def test_only_differences_count(shift):
    ratings = rate(NAMES, *tournament(TRUE + shift, 200), samples=5)
    assert abs(ratings.elo.mean()) < 1e-9
