"""Pictures are learnt from: a module of its own, since convolutions need the optimiser."""

import pytest
from tests.train.worlds import Bright

from envwright.train import PPOConfig, RunSpec, train

pytestmark = pytest.mark.slow  # trains to the end


def test_an_eye_sees_which_half_is_bright():
    config = PPOConfig(
        steps=2560,
        num_envs=16,
        rollout=8,
        epochs=2,
        minibatches=2,
        network="16",
        learning_rate=1e-3,
    )
    result = train(RunSpec("bright", config), target=Bright())
    assert result.policies.ppo.network.pixels
    assert abs(result.curve[0]["return"][0]) < 0.3 and result.returns[0] > 0.9
