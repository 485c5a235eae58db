"""Lanes: one for each player of each environment, in turn and at once."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.games import SlipperyWalk, StoneDuel, TicTacToe
from tests.train.loops import fused_loop, fused_start
from tests.train.worlds import StrictTicTacToe

from envwright.core.env import Env
from envwright.core.wrappers import TimeLimit
from envwright.train import PPOConfig
from envwright.train.jax_lanes import JaxLanes

GAMES = 3
CONFIG = PPOConfig(num_envs=16, rollout=20, network="8")


def begun(env):
    lanes = JaxLanes(env, GAMES)
    states, view = jax.jit(lanes.reset)(jax.random.key(0))
    return lanes, states, view, jax.jit(lanes.step)


def boards(view):
    """[games, players, 3, 3, 2]"""
    return np.asarray(view.obs).reshape(GAMES, 2, 3, 3, 2)


# --- in turn -------------------------------------------------------------------------------


def test_both_players_are_shown_the_board_from_their_side():
    lanes, states, view, step = begun(TicTacToe())
    assert lanes.lanes == 2 * GAMES and not boards(view).any()
    _, view, _ = step(jax.random.key(1), states, jnp.array([4, 0, 4, 0, 4, 0]))
    seen = boards(view)
    assert (seen[:, 0, 1, 1] == [1, 0]).all() and (seen[:, 1, 1, 1] == [0, 1]).all()


def test_only_the_movers_choice_is_played():
    _, states, _, step = begun(TicTacToe())
    outcomes = [step(jax.random.key(1), states, jnp.array([4, x] * GAMES)) for x in (0, 4, 8)]
    for other in outcomes[1:]:
        jax.tree.map(np.testing.assert_array_equal, outcomes[0], other)
    moved = step(jax.random.key(1), states, jnp.array([5, 0] * GAMES))
    assert not np.array_equal(boards(moved[1]), boards(outcomes[0][1]))


def test_players_act_in_turn_and_masks_are_the_movers():
    _, states, view, step = begun(TicTacToe())
    assert np.asarray(view.acting).tolist() == [True, False] * GAMES
    _, view, _ = step(jax.random.key(1), states, jnp.full(2 * GAMES, 4))
    assert np.asarray(view.acting).tolist() == [False, True] * GAMES
    legal = np.asarray(view.legal).reshape(GAMES, 2, 9)
    assert (legal[:, 1].sum(axis=1) == 8).all() and not legal[:, 1, 4].any()
    assert legal[:, 0].all(), "who waits may be given anything; it is not played"


def test_a_win_is_told_to_both_and_a_new_game_begins():
    _, states, view, step = begun(TicTacToe())
    for square in (0, 3, 1, 4, 2):  # the first player fills the top row
        states, view, outcome = step(jax.random.key(square), states, jnp.full(2 * GAMES, square))
    assert np.asarray(outcome.reward).tolist() == [1.0, -1.0] * GAMES
    assert np.asarray(outcome.terminated).all() and not np.asarray(outcome.truncated).any()
    final = np.asarray(outcome.final_obs).reshape(GAMES, 2, 3, 3, 2)
    assert (final[:, 0, 0, :, 0] == 1).all() and (final[:, 1, 0, :, 1] == 1).all()
    assert not boards(view).any() and np.asarray(view.acting).tolist() == [True, False] * GAMES


@pytest.mark.parametrize("masked", [True, False])
def test_self_play_makes_illegal_moves_only_without_masks(masked):
    class Blind(StrictTicTacToe):
        legal_actions = Env.legal_actions

    loop = fused_loop(StrictTicTacToe() if masked else Blind(), CONFIG)
    state = fused_start(loop)
    collect = jax.jit(loop.collect)
    play, worst, games = state.play, 0.0, 0
    for number in range(5):
        play, rollout, finished = collect(state.agent, play, jax.random.key(number))
        worst, games = min(worst, float(rollout.reward.min())), games + int(finished.episodes)
    assert games > 100
    assert worst == (-1 if masked else -100)


def test_masks_are_seen_through_wrappers():
    lanes, states, view, step = begun(TimeLimit(TicTacToe(), 3))
    assert lanes.has_masks and view.legal.shape == (2 * GAMES, 9)
    for square in range(3):
        states, view, outcome = step(jax.random.key(square), states, jnp.full(2 * GAMES, square))
    assert np.asarray(outcome.truncated).all()
    assert np.asarray(outcome.final_obs).shape == (2 * GAMES, 3, 3, 2)


# --- at once, and alone --------------------------------------------------------------------


def test_players_at_once_all_act_with_masks_of_their_own():
    lanes, states, view, step = begun(StoneDuel())
    assert view.acting is None and np.asarray(view.legal).all()
    _, view, outcome = step(jax.random.key(1), states, jnp.array([1, 2] * GAMES))
    assert np.asarray(outcome.reward).reshape(GAMES, 2).sum(axis=1).tolist() == [0.0] * GAMES
    assert (np.asarray(outcome.reward)[1::2] > 0).all(), "paper beats rock"
    legal = np.asarray(view.legal).reshape(GAMES, 2, 4)
    assert (legal[:, 0] == [True, False, False, False]).all(), "the loser waits"
    assert legal[:, 1].all()
    assert lanes.lanes == 2 * GAMES


def test_a_game_of_one_without_masks_has_neither():
    lanes, _, view, _ = begun(SlipperyWalk())
    assert view.legal is None and view.acting is None and lanes.lanes == GAMES
    assert lanes.has_masks is False
