"""The PettingZoo adapters under PettingZoo's own tests."""

import numpy as np
import pytest
from tests.games import Hand, SlipperyWalk, StoneDuel, TicTacToe

from envwright.core.wrappers import TimeLimit
from envwright.errors import EnvwrightError

pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")

from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)
from pettingzoo.utils.conversions import parallel_to_aec
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from envwright.adapters.pettingzoo import to_pettingzoo

TURNS, DUEL = TicTacToe(), StoneDuel()
SHORT_DUEL = TimeLimit(DUEL, 3)

# Their test warns about dict observations in all games but those it lists by name.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def test_a_game_in_turn_passes_their_api_test():
    env = to_pettingzoo(TURNS, render_mode="rgb_array")
    assert isinstance(env, AECEnv)
    api_test(env, num_cycles=60)


def test_a_game_at_once_passes_their_parallel_api_test():
    env = to_pettingzoo(DUEL)
    assert isinstance(env, ParallelEnv)
    parallel_api_test(env, num_cycles=60)


def test_a_game_at_once_passes_their_api_test_in_turns():
    api_test(parallel_to_aec(to_pettingzoo(DUEL)), num_cycles=40)


def test_seeds_repeat_by_their_seed_tests():
    seed_test(lambda: to_pettingzoo(TURNS), num_cycles=20)
    parallel_seed_test(lambda: to_pettingzoo(DUEL), num_cycles=20)


def test_a_won_game_pays_both_and_ends_for_both():
    env = to_pettingzoo(TURNS)
    env.reset(seed=0)
    for square in (0, 3, 1, 4, 2):
        env.step(square)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert all(env.terminations.values()) and not any(env.truncations.values())


def test_only_the_mover_has_legal_actions():
    env = to_pettingzoo(TURNS)
    env.reset(seed=0)
    env.step(4)
    assert env.agent_selection == "player_1"
    expected = np.ones(9, np.int8)
    expected[4] = 0
    assert np.array_equal(env.observe("player_1")["action_mask"], expected)
    assert not env.observe("player_0")["action_mask"].any()


def test_each_player_sees_their_own_side():
    env = to_pettingzoo(TURNS)
    env.reset(seed=0)
    env.step(4)
    mine, theirs = (env.observe(f"player_{i}")["observation"][1, 1] for i in (0, 1))
    assert mine.tolist() == [1, 0] and theirs.tolist() == [0, 1]


def test_an_illegal_move_is_an_error_that_names_the_legal_ones():
    env = to_pettingzoo(TURNS)
    env.reset(seed=0)
    env.step(4)
    with pytest.raises(EnvwrightError, match="illegal action 4; legal here: 0, 1, 2, 3, 5"):
        env.step(4)


def test_their_illegal_move_wrapper_finds_the_mask():
    env = TerminateIllegalWrapper(to_pettingzoo(TURNS), illegal_reward=-5)
    env.reset(seed=0)
    env.step(4)
    env.step(4)
    assert env.terminations["player_1"] and env.unwrapped.rewards["player_1"] == -5


def test_a_player_who_must_wait_plays_the_no_op():
    env = to_pettingzoo(DUEL)
    env.reset(seed=0)
    obs, *_ = env.step({"player_0": Hand.PAPER, "player_1": Hand.ROCK})
    assert obs["player_1"]["action_mask"].tolist() == [1, 0, 0, 0]
    obs, rewards, *_ = env.step({"player_0": Hand.ROCK, "player_1": Hand.PAPER})
    assert obs["player_0"]["observation"][4:6].tolist() == [Hand.ROCK, Hand.WAIT]
    assert rewards["player_0"] > 0 > rewards["player_1"]


def test_a_player_who_may_move_must():
    env = to_pettingzoo(DUEL)
    env.reset(seed=0)
    with pytest.raises(EnvwrightError, match="player_1 has no action"):
        env.step({"player_0": Hand.ROCK})


def test_secrets_stay_secret():
    env = to_pettingzoo(DUEL)
    seen = [env.reset(seed=seed)[0] for seed in range(12)]
    own = [{int(obs[f"player_{p}"]["observation"][6]) for obs in seen} for p in (0, 1)]
    assert own == [{1, 2, 3}, {1, 2, 3}]
    shown = {obs["player_0"]["observation"][:6].tobytes() for obs in seen}
    assert len(shown) == 1, "nothing else of a start is seen"


def test_a_time_limit_truncates_all_agents():
    env = to_pettingzoo(SHORT_DUEL)
    env.reset(seed=0)
    for _ in range(3):
        *_, terminated, truncated, _ = env.step(dict.fromkeys(env.agents, Hand.WAIT))
    assert all(truncated.values()) and not any(terminated.values())
    assert env.agents == []
    with pytest.raises(EnvwrightError, match="call reset"):
        env.step({})


def test_one_player_is_sent_to_gymnasium():
    with pytest.raises(EnvwrightError, match=r"one player; use envwright\.adapters\.gymnasium"):
        to_pettingzoo(SlipperyWalk())
