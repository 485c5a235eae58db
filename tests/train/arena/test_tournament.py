"""Tables, players and tournaments, on tic-tac-toe."""

import jax
import numpy as np
import pytest
from tests.games import StoneDuel, TicTacToe

from envwright.core.spaces import Discrete
from envwright.errors import EnvwrightError
from envwright.train.arena import (
    EnvTable,
    PolicyPlayer,
    RandomPlayer,
    ScriptedPlayer,
    play_pairing,
    round_robin,
)
from envwright.train.config import PPOConfig
from envwright.train.policy import Policies
from envwright.train.ppo import PPO

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def lowest(obs, legal, words):
    return np.argmax(legal, -1)


def wins_or_blocks(obs, legal, words):
    """Completes a line, or keeps the other one from it; else any square."""
    actions = []
    for view, may, word in zip(obs, legal, words, strict=True):
        squares = np.flatnonzero(may)
        best = squares[int(word) % len(squares)]
        for side in (1, 0):  # the own line counts more
            stones = set(np.flatnonzero(view.reshape(9, 2)[:, side]))
            for line in LINES:
                open_ = [s for s in line if s not in stones]
                if len(open_) == 1 and may[open_[0]]:
                    best = open_[0]
        actions.append(best)
    return np.array(actions)


TABLE = EnvTable(TicTacToe())
CLEVER, LOWEST = ScriptedPlayer("clever", wins_or_blocks), ScriptedPlayer("lowest", lowest)


def test_the_better_player_wins_from_both_seats():
    scores = play_pairing(TABLE, CLEVER, RandomPlayer(), 100)
    assert scores.shape == (50, 2)
    assert (scores.mean(0) > 0.75).all()
    assert set(np.unique(scores)) <= {0.0, 0.5, 1.0}


def test_against_oneself_swapped_seats_cancel_out():
    scores = play_pairing(TABLE, LOWEST, ScriptedPlayer("same", lowest), 20)
    assert np.array_equal(scores[:, 0], 1 - scores[:, 1])
    assert (scores[:, 0] == 1).all()  # who moves first gets 0, 2, 4, 6: a line


def test_the_same_seed_gives_the_same_games_and_another_other_ones():
    pair = (CLEVER, RandomPlayer())
    one, again, other = (play_pairing(TABLE, *pair, 60, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again) and not np.array_equal(one, other)


def test_more_games_than_fit_a_table_are_all_played():
    scores = play_pairing(TABLE, RandomPlayer(), LOWEST, 600)
    assert scores.shape == (300, 2)


def test_a_round_robin_rates_the_better_higher():
    said = []
    games = round_robin(TABLE, [RandomPlayer(), LOWEST, CLEVER], 60, watch=said.append)
    assert len(said) == 3 and len(games.score) == 180
    assert np.bincount(games.together).tolist() == [2] * 90
    ratings = games.ratings(samples=30)
    elo = dict(zip(ratings.names, ratings.elo, strict=True))
    assert elo["clever"] > max(elo["random"], elo["lowest"])


def test_a_policy_plays_legal_moves_only_and_sees_through_its_eyes():
    env = TicTacToe()
    ppo = PPO(PPOConfig(memory=4), env.observation_space(), Discrete(9))
    agent = jax.tree.map(lambda x: x[None], ppo.init(jax.random.key(0)))
    policies = Policies("envwright:x", ppo.config, (0,), 0, ppo, agent)
    seen = []
    player = PolicyPlayer("net", policies, eyes=lambda obs: (seen.append(obs.shape), obs)[1])
    scores = play_pairing(TABLE, player, RandomPlayer(), 40)
    assert scores.size == 40 and seen[0][0] == 40


@pytest.mark.parametrize("games", [0, 1, 7])
def test_odd_numbers_of_games_are_refused(games):
    with pytest.raises(EnvwrightError, match="even number"):
        play_pairing(TABLE, LOWEST, CLEVER, games)


def test_games_at_once_have_no_table():
    with pytest.raises(EnvwrightError, match="not a game of two players in turn"):
        EnvTable(StoneDuel())


def test_names_must_differ():
    with pytest.raises(EnvwrightError, match="each with its name"):
        round_robin(TABLE, [LOWEST, LOWEST], 2)
