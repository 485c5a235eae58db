"""Small worlds, each learnt only by a learner that is right in one respect."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from tests.games import StoneDuel
from tests.train.twins import PayTwin
from tests.train.worlds import Pay, Recall, Tracking

from envwright.sim.hosts import GymnasiumLanes
from envwright.train import PPOConfig, RunSpec, train

# --- a time limit is not the end ------------------------------------------------------------

GAMMA = 0.9
PAID = PPOConfig(
    steps=20_000,
    num_envs=8,
    rollout=16,
    gamma=GAMMA,
    gae_lambda=1.0,
    network="8",
    learning_rate=1e-2,
    value=1.0,
    max_grad_norm=10.0,
)
FOR_EVER = 1 / (1 - GAMMA)
# Four steps, and nothing after them: the mean of what is left at each.
TO_THE_END = np.mean([(1 - GAMMA**left) / (1 - GAMMA) for left in (1, 2, 3, 4)])


def in_python(lanes):
    return GymnasiumLanes(PayTwin, lanes)


@pytest.mark.parametrize(
    ("target", "worth"),
    [
        pytest.param(Pay(), FOR_EVER, id="cut off", marks=pytest.mark.slow),
        pytest.param(in_python, FOR_EVER, id="cut off on the host", marks=pytest.mark.slow),
        pytest.param(Pay(ends=True), TO_THE_END, id="ended"),
    ],
)
def test_what_follows_a_time_limit_is_worth_something(target, worth):
    policies = train(RunSpec("pay", PAID), target=target).policies
    seen, starts = jnp.ones((1, 1)), jnp.zeros(1, bool)
    value = policies.ppo.value(policies.one(0), None, seen, starts)
    assert float(value[0]) == pytest.approx(worth, rel=0.01)


# --- memory, real actions, duels -------------------------------------------------------------

REMEMBERED = PPOConfig(
    steps=25_000, num_envs=32, rollout=24, network="16", learning_rate=5e-3, entropy=0.0
)


@pytest.mark.slow
@pytest.mark.parametrize(("memory", "least", "most"), [(16, 0.95, 1.0), (0, -0.3, 0.3)])
def test_only_a_memory_recalls_what_was_shown(memory, least, most):
    config = replace(REMEMBERED, memory=memory)
    (mean,) = train(RunSpec("recall", config), target=Recall(5)).returns
    assert least <= mean <= most


@pytest.mark.slow
def test_real_actions_track_a_target():
    config = PPOConfig(
        steps=30_000,
        num_envs=32,
        rollout=16,
        network="16",
        learning_rate=5e-3,
        entropy=0.0,
        gamma=0.9,
    )
    result = train(RunSpec("track", config), target=Tracking())
    # The best that bounded moves can do is -0.42; chance loses about 8.
    assert result.curve[0]["return"][0] < -5 and result.returns[0] > -1.5


@pytest.mark.slow
def test_a_duel_at_once_trains():
    config = PPOConfig(steps=2000, num_envs=8, rollout=16, network="16", memory=8)
    result = train(RunSpec("duel", config, (0, 1)), target=StoneDuel())
    assert sum(sum(line["episodes"]) for line in result.curve) > 50
    numbers = [x for line in result.curve for name, x in line.items() if isinstance(x, list)]
    assert np.isfinite([x for pair in numbers for x in pair if x is not None]).all()
    assert all(abs(x) <= 10 for line in result.curve for x in line["return"] if x is not None)
