"""Policies play legal actions, each in its own way, and the same ones again."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces

from envwright.errors import EnvwrightError
from envwright.sim.actions import draw_action
from envwright.verify.policies import KNOWN_POLICIES, find_policy

SPACES = {
    "discrete": spaces.Discrete(3),
    "from five": spaces.Discrete(3, start=5),
    "several": spaces.MultiDiscrete([2, 4]),
    "box": spaces.Box(-1, 2, (2,), np.float32),
    "unbounded": spaces.Box(-np.inf, np.inf, (1,), np.float32),
    "bytes": spaces.Box(0, 3, (2,), np.uint8),
}


def actions(policy, space, count=200, seed=0):
    rng, memory = np.random.default_rng(seed), {}
    return [find_policy(policy)(rng, space, None, t, memory) for t in range(count)]


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("policy", KNOWN_POLICIES)
def test_every_action_is_legal_and_follows_from_the_seed(policy, space):
    played = actions(policy, space)
    assert all(space.contains(np.int64(a) if np.isscalar(a) else a) for a in played)
    assert np.array_equal(played, actions(policy, space))


@pytest.mark.parametrize("name", ["discrete", "from five", "several", "bytes"])
def test_every_action_is_drawn_sooner_or_later(name):
    space, rng = SPACES[name], np.random.default_rng(0)
    drawn = {tuple(np.ravel(draw_action(rng, space))) for _ in range(600)}
    sizes = {"discrete": 3, "from five": 3, "several": 8, "bytes": 16}
    assert len(drawn) == sizes[name]


def held(policy, space=SPACES["discrete"]):
    """How long each action was held."""
    played = actions(policy, space, 2000)
    cuts = np.flatnonzero(np.diff(played)) + 1
    return np.diff([0, *cuts, len(played)])


def test_sticky_and_boundary_hold_their_actions():
    assert held("random").mean() < 2 < 8 < held("sticky").mean() < held("boundary").mean()


def test_boundary_plays_extremes_only():
    assert set(actions("boundary", SPACES["discrete"])) == {0, 2}
    assert set(np.ravel(actions("boundary", SPACES["box"]))) == {-1.0, 2.0}


def test_alternating_takes_two_actions_in_turn():
    played = actions("alternating", SPACES["discrete"], 6, seed=0)
    assert played[0] != played[1]
    assert played == played[:2] * 3


def test_a_policy_of_ones_own_is_found_by_its_name():
    from envwright.zoo.cartpole.policies import balance

    assert find_policy("python:envwright.zoo.cartpole.policies:balance") is balance


@pytest.mark.parametrize("name", ["clever", "python:envwright.zoo.cartpole.policies:clever"])
def test_an_unknown_policy_is_refused(name):
    with pytest.raises(EnvwrightError, match="clever"):
        find_policy(name)


def test_actions_of_an_unsupported_kind_are_refused():
    with pytest.raises(EnvwrightError, match="not supported"):
        draw_action(np.random.default_rng(0), spaces.Dict({"a": spaces.Discrete(2)}))
