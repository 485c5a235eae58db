"""PettingZoo's games as references: in turn and at once, masks, and players who leave early."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from tests.games import StoneDuel, TicTacToe

from envwright.errors import EnvwrightError, IncompatiblePair
from envwright.sim.resolve import as_simulator, open_simulator
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort, verify_pair

pettingzoo = pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")

from envwright.adapters.pettingzoo import to_pettingzoo  # noqa: E402

TICTACTOE = "pettingzoo:pettingzoo.classic.tictactoe_v3"
FEW = Effort(levels=(3,), episodes=12)


class BadTicTacToe(TicTacToe):
    """A mistake: the winner is paid half."""

    def transition(self, state, action, noise, params):
        following, reward, terminated, info = super().transition(state, action, noise, params)
        return following, reward / 2, terminated, info


def tictactoe():
    return to_pettingzoo(TicTacToe())


def test_a_game_of_pettingzoo_is_ours():
    pytest.importorskip("pygame", reason="pygame, which PettingZoo's board games need, is missing")
    report = verify_pair(PairSpec(TICTACTOE, TicTacToe), effort=FEW)
    assert report.levels[0].verdict == "equal", report


def test_a_game_in_turn_equals_its_twin_in_jax():
    report = verify_pair(PairSpec(tictactoe, TicTacToe), effort=FEW)
    (level,) = report.levels
    assert level.verdict == "equal", report
    assert level.tally.episodes == 12 and level.tally.steps > 60


def test_a_wrong_reward_of_a_player_is_found():
    report = verify_pair(PairSpec(tictactoe, BadTicTacToe), effort=FEW)
    assert report.divergences[0].field.startswith("reward[")


def test_a_game_in_turn_shows_all_views_and_what_is_legal():
    with as_simulator(tictactoe) as game:
        assert game.action_space == gymnasium.spaces.Discrete(9)
        first = game.reset(0)
        assert first["obs.views"].shape == (2, 3, 3, 2) and first["obs.legal"].all()
        after = game.step(4)
        assert not after["obs.legal"][4] and after["obs.legal"].sum() == 8
        again = game.step(4)  # illegal: it stands for the next legal one
        assert not again["obs.legal"][5] and again["reward"].tolist() == [0, 0]


def duel():
    return to_pettingzoo(StoneDuel())


@pytest.mark.parametrize("twin", [StoneDuel, duel])
def test_players_who_move_at_once_are_compared(twin):
    report = verify_pair(PairSpec(duel, twin), effort=FEW)
    assert report.levels[0].verdict in ("equal", "inconclusive"), report
    with as_simulator(duel) as game:
        assert game.action_space.shape == (2,)
        game.reset(1)
        assert game.step([1, 2])["reward"].shape == (2,)


class Leaving(pettingzoo.ParallelEnv):
    """The first player leaves after a step."""

    def __init__(self):
        self.metadata, self.possible_agents = {"name": "leaving"}, ["ann", "bob"]

    def observation_space(self, agent):
        return gymnasium.spaces.Discrete(2)

    def action_space(self, agent):
        return gymnasium.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        return dict.fromkeys(self.agents, 0), {agent: {} for agent in self.agents}

    def step(self, actions):
        self.agents = ["bob"]
        none = dict.fromkeys(self.possible_agents, False)
        paid = dict.fromkeys(self.possible_agents, 0.0)
        seen = dict.fromkeys(self.possible_agents, 1)
        return seen, paid, none | {"ann": True}, none, {}


class Unequal(Leaving):
    """Players with different actions."""

    def action_space(self, agent):
        return gymnasium.spaces.Discrete(2 + (agent == "bob"))


def test_a_player_who_leaves_early_is_named():
    with as_simulator(Leaving) as game:
        game.reset(0)
        with pytest.raises(EnvwrightError, match="ann left before the others"):
            game.step(np.array([0, 0]))


def test_players_with_different_spaces_are_named():
    with pytest.raises(EnvwrightError, match="ann and bob have different action spaces"):
        as_simulator(Unequal)


def test_another_number_of_players_is_incompatible():
    with pytest.raises(IncompatiblePair, match="has 2 players"):
        PairSpec(tictactoe, "gymnasium:CartPole-v1").open()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("pettingzoo:pettingzoo.nothing_v0", "there is no module"),
        ("pettingzoo:a_package_that_is_missing", "there is no module"),
        ("pettingzoo:json", "has no parallel_env or env"),
        ("pettingzoo:json:dumps?obj=1", "makes a str"),
    ],
)
def test_other_names_are_bad_input(name, sentence):
    with pytest.raises(EnvwrightError, match=sentence):
        open_simulator(name)
