"""What a native environment refuses, with nothing changed."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest
from tests.core.native.counter import (
    N,
    buffers,
    counter,
    ready,
    wrapped,
)

from envwright import _native
from envwright._native import CounterVecEnv


def test_native_module_and_package_have_one_version():
    assert _native.__version__ == version("envwright")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "0 environments were asked for; choose from 1 to"),
        ({"num_envs": -3}, "environments were asked for; choose from 1 to"),
        ({"num_envs": 10**12}, "1000000000000 environments were asked for; choose"),
        ({"num_envs": 1, "threads": 0}, "0 threads were asked for; choose from 1 to"),
        ({"num_envs": 1, "threads": 10**6}, "1000000 threads were asked for; choose"),
        ({"num_envs": 1, "bound": 1}, "bound is 1; choose one from 2"),
        ({"num_envs": 1, "max_steps": 0}, "max_steps is 0; choose at least 1"),
    ],
)
def test_impossible_settings_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        CounterVecEnv(**arguments)


@pytest.mark.parametrize("action", [-1, 3, 2**31 - 1, -(2**31)])
def test_action_out_of_range_is_refused_and_nothing_changes(action):
    env, b = ready(threads=2), buffers()
    before, obs = env.snapshot(), b["obs"].copy()
    b["actions"][3] = action
    message = rf"the action of environment 3 is {action}; an action is 0 \(left\), 1 \(stay\) or 2"
    with pytest.raises(ValueError, match=message):
        env.step(**b)
    del b["final_obs"]
    with pytest.raises(ValueError, match=message):
        env.step_raw(**b)
    assert env.snapshot() == before
    np.testing.assert_array_equal(b["obs"], obs)


def test_nothing_works_before_a_reset():
    env, b = counter(), buffers()
    for call in (lambda: env.step(**b), env.state_fields, env.snapshot):
        with pytest.raises(RuntimeError, match="no state yet; call reset or restore first"):
            call()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([2**32 + 1] * N, "actions holds numbers that are no int32"),
        ([0.5] * N, "actions holds numbers that are no int32"),
        (["left"] * N, "actions has dtype <U4; pass numbers of int32"),
        ([1] * (N + 1), r"actions has shape \(6,\); pass an array of shape \(5,\)"),
        ([7] * N, "the action of environment 0 is 7"),
    ],
)
def test_wrapper_turns_no_action_into_another(actions, message):
    env = wrapped()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        env.step(actions)


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (-1, "seed -1 is out of range; choose one from 0"),
        (2**64, "out of range"),
        ([1, 2], "2 seeds were given; pass 5, or one integer"),
        ([1, 2, 3, 4, -5], "seed -5 is out of range"),
    ],
)
def test_impossible_seeds_are_refused(seed, message):
    with pytest.raises(ValueError, match=message):
        wrapped().reset(seed=seed)
