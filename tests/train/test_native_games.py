"""Games of two players in Rust: trained by self-play, and evaluated against an opponent."""

import numpy as np
import pytest

from envwright.sim.targets import open_target
from envwright.train import PPOConfig, RunSpec, train
from envwright.train.evaluate import evaluate

BATTLES = "envwright:pokemon?backend=rust&threads=1"
CONFIG = PPOConfig(
    steps=4 * 128, num_envs=4, rollout=128, minibatches=2, epochs=1, network="8", gamma=0.99
)


@pytest.fixture(scope="module")
def trained():
    return train(RunSpec(BATTLES, CONFIG, (3,)))


def test_self_play_learns_from_both_seats_and_counts_a_battle_once(trained):
    battles = open_target(BATTLES)(4)
    assert battles.num_envs == 8
    (line,) = trained.curve
    # A battle of random choices takes about a hundred decisions: of eight lanes some would have
    # ended more than eight times, if both seats of a battle were counted.
    assert 0 < line["episodes"][0] <= 8
    assert -1 <= line["return"][0] <= 1


def test_what_was_learnt_can_be_evaluated_against_an_opponent_and_against_itself(trained):
    alone = open_target(f"{BATTLES}&opponent=random")
    for target in (alone, open_target(BATTLES)):
        found = evaluate(trained.policies, target, episodes=6, horizon=400)
        assert found.returns.shape == (1, 6) and found.cut == 0
        assert np.isin(found.returns, (-1, 0, 1)).all() and (found.lengths > 5).all()
