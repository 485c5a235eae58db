"""Rust environments as lanes: trained on as their twin in Python is, and resumed."""

import jax
import numpy as np
import pytest
from tests.core.native.counter import BOUND, MAX_STEPS, CounterTwin
from tests.train.loops import leaves

from envwright._native import CounterVecEnv
from envwright.core.native import NativeVectorEnv
from envwright.core.spaces import Box, Discrete
from envwright.sim.hosts import GymnasiumLanes, NativeLanes
from envwright.train import PPOConfig
from envwright.train.runners import HostRunner

CONFIG = PPOConfig(num_envs=8, rollout=16, network="8", learning_rate=1e-3, memory=4)


def in_rust(lanes):
    env = CounterVecEnv(lanes, threads=2, bound=BOUND, max_steps=MAX_STEPS)
    return NativeLanes(NativeVectorEnv(env), Box(-1, 1, (2,)), Discrete(3))


def in_python(lanes):
    return GymnasiumLanes(CounterTwin, lanes)


@pytest.fixture(scope="module")
def trained():
    """A run of three chunks in Rust: its state after each, and the environment after two."""
    runner = HostRunner(in_rust, CONFIG, (3,))
    state, states, told = runner.init(), [], []
    for number in range(3):
        state, metrics = runner.chunk(state, 2, number)
        states.append(jax.tree.map(lambda x: x.copy(), state))
        told.append(metrics)
        if number == 1:
            snapshot = runner.environment()
    return states, told, snapshot


def test_training_in_rust_is_training_in_python_bit_for_bit(trained):
    states, told, _ = trained
    runner = HostRunner(in_python, CONFIG, (3,))
    state = runner.init()
    for number in range(3):
        state, metrics = runner.chunk(state, 2, number)
        assert all(map(np.array_equal, leaves(state), leaves(states[number])))
        jax.tree.map(np.testing.assert_array_equal, metrics, told[number])
    assert sum(int(line.episodes[0]) for line in told) > 50


def test_another_process_would_go_on_from_the_snapshot_to_the_same_end(trained):
    states, _, snapshot = trained
    runner = HostRunner(in_rust, CONFIG, (3,))
    runner.init()
    runner.restore_environment(snapshot, 2)
    end, _ = runner.chunk(jax.tree.map(lambda x: x.copy(), states[1]), 2, 2)
    assert all(map(np.array_equal, leaves(end), leaves(states[2])))


def test_without_the_snapshot_the_end_is_another(trained):
    states, _, _ = trained
    runner = HostRunner(in_rust, CONFIG, (3,))
    runner.init()
    end, _ = runner.chunk(jax.tree.map(lambda x: x.copy(), states[1]), 2, 2)
    assert not all(map(np.array_equal, leaves(end), leaves(states[2])))
