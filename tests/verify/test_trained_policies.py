"""Trained agents drive level 3."""

from __future__ import annotations

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.train.policy import Policies
from envwright.train.run import RunSpec, train
from envwright.train.settings import settings_for
from envwright.verify.pair import PairSpec
from envwright.verify.policies import find_policy
from envwright.verify.run import Effort, verify_pair


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    config = settings_for("cartpole", {"steps": 4096, "network": "16", "memory": 4})
    result = train(RunSpec("envwright:cartpole", config, (0, 1)))
    assert isinstance(result.policies, Policies)
    return str(result.policies.save(tmp_path_factory.mktemp("trained") / "policies.npz"))


@pytest.mark.slow
def test_they_play_and_the_same_seed_plays_the_same(file):
    spec = PairSpec(
        "gymnasium:CartPole-v1",
        "envwright:cartpole?dtype=float64",
        "python:envwright.zoo.cartpole.bridge:BRIDGE",
    )
    effort = Effort((3,), episodes=4, policies=(f"trained:{file}",))
    first, second = (verify_pair(spec, effort=effort).levels[0] for _ in range(2))
    assert first.verdict == "equal" and first.tally.episodes == 4
    assert first.tally.steps == second.tally.steps > 40


@pytest.mark.slow
def test_actions_are_those_of_the_space(file):
    import gymnasium

    policy = find_policy(f"trained:{file}")
    memory: dict = {}
    space = gymnasium.spaces.Discrete(2)
    obs = np.zeros(4, np.float32)
    chosen = [policy(np.random.default_rng(0), space, obs, t, memory) for t in range(20)]
    assert set(chosen) <= {0, 1}


def test_a_file_that_is_none_is_said(tmp_path):
    import gymnasium

    policy = find_policy(f"trained:{tmp_path / 'none.npz'}")
    with pytest.raises(EnvwrightError, match="train first"):
        space = gymnasium.spaces.Discrete(2)
        policy(np.random.default_rng(0), space, np.zeros(4, np.float32), 0, {})
