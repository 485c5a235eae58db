"""Both loops train on every kind of action and observation that has a law."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from tests import fast_kinds, kinds
from tests.train.loops import fused_loop, host_loop

from envwright.errors import EnvwrightError
from envwright.sim.hosts.simulator_lanes import SimulatorLanes
from envwright.sim.resolve import as_simulator
from envwright.train import PPOConfig
from envwright.train.host import Host
from envwright.train.jax_lanes import JaxLanes
from envwright.train.ppo import PPO

CONFIG = PPOConfig(num_envs=2, rollout=4, minibatches=1, epochs=1, network="8")


class Seen(kinds.Named):
    """What `Named` shows, with actions that can be trained."""

    def __init__(self):
        super().__init__()
        self.action_space = kinds.Walk().action_space

    def push(self, action):
        return int(action) - 1


class SeenTuple(Seen):
    """What `Mixed` shows."""

    def __init__(self):
        super().__init__()
        self.observation_space = kinds.Mixed().observation_space

    observation = kinds.Mixed.observation


@pytest.mark.parametrize(
    "kind",
    [
        kinds.TwoDials,
        SeenTuple,
        *(
            pytest.param(kind, marks=pytest.mark.slow)
            for kind in (kinds.WalkFromMinusOne, kinds.Switches, kinds.Pairs, Seen)
        ),
    ],
)
def test_the_host_loop_trains_on(kind):
    loop = host_loop(kind, CONFIG)
    state = loop.init(jax.random.key(0), 0)
    _, (_, losses) = loop.iterate(state)
    assert np.isfinite(losses["gradient"]) and losses["gradient"] > 0
    loop.lanes.close()


@pytest.mark.parametrize("kind", [kinds.Pairs, pytest.param(Seen, marks=pytest.mark.slow)])
def test_simulators_as_lanes_train_on(kind):
    lanes = SimulatorLanes(lambda: as_simulator(kind), 2)
    loop = Host(PPO(CONFIG, lanes.obs_space, lanes.action_space), lanes)
    _, (_, losses) = loop.iterate(loop.init(jax.random.key(0), 0))
    assert np.isfinite(losses["gradient"]) and losses["gradient"] > 0


def test_the_fused_loop_trains_on_tuples_of_whole_numbers():
    loop = fused_loop(fast_kinds.FastPairs(), CONFIG)
    _, (_, losses) = jax.jit(loop.iterate)(jax.jit(loop.init)(jax.random.key(0)))
    assert np.isfinite(losses["gradient"]) and losses["gradient"] > 0


@pytest.mark.parametrize("kind", [kinds.Mixed, kinds.Named, kinds.Throttle])
def test_actions_without_a_law_are_refused(kind):
    with pytest.raises(EnvwrightError, match="wrap the environment so that it takes one of these"):
        host_loop(kind, CONFIG)


def test_several_rewards_are_refused_with_what_to_do():
    loop = host_loop(kinds.TwoGoals, CONFIG)
    with pytest.raises(EnvwrightError, match=r"pays 2 rewards, .* weighted sum"):
        loop.iterate(loop.init(jax.random.key(0), 0))


class FastTwoGoals(fast_kinds.FastPairs):
    """Two rewards at each step."""

    def transition(self, state, action, noise, params):
        following, reward, ended, info = super().transition(state, action, noise, params)
        return following, jax.numpy.stack([reward, -reward]), ended, info


def test_several_rewards_of_an_environment_in_jax_are_refused_too():
    lanes = JaxLanes(FastTwoGoals(), 2)
    states, _ = lanes.reset(jax.random.key(0))
    with pytest.raises(EnvwrightError, match=r"pays 2 rewards, .* weighted sum"):
        lanes.step(jax.random.key(0), states, jax.numpy.zeros((2, 2), jax.numpy.int32))
