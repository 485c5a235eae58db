"""States: read, loaded and refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.core.native.counter import (
    BOUND,
    N,
    random_actions,
    wrapped,
)


def test_state_is_a_copy_with_named_fields():
    env = wrapped()
    env.reset(seed=0)
    state = env.state()
    assert {name: (a.dtype.name, a.shape) for name, a in state.items()} == {
        "position": ("int32", (N,)),
        "steps": ("uint32", (N,)),
        "random": ("uint64", (N,)),
    }
    state["position"][:] = 99
    assert (np.abs(env.state()["position"]) <= BOUND).all()


def test_loaded_state_is_observed_and_stepped_from_there():
    env = wrapped()
    before = env.reset(seed=0).copy()
    env.load(2, {"position": 3, "steps": 5, "random": 2**64 - 1})
    obs = env.observe()
    np.testing.assert_array_equal(obs[2], np.float32([3 / 4, 5 / 9]))
    np.testing.assert_array_equal(np.delete(obs, 2, axis=0), np.delete(before, 2, axis=0))
    step = env.step_raw([1, 1, 2, 1, 1])
    assert step.terminated.tolist() == [False, False, True, False, False]
    assert step.reward.tolist() == [0, 0, 1, 0, 0]


def test_every_state_returns_through_load():
    env, twin = wrapped(), wrapped()
    env.reset(seed=5)
    twin.reset(seed=6)
    for actions in random_actions(20):
        state = env.state()
        for i in range(N):
            twin.load(i, {name: column[i] for name, column in state.items()})
        for expected, actual in zip(env.step(actions), twin.step(actions), strict=True):
            np.testing.assert_array_equal(actual[:4], expected[:4])


def test_all_states_return_at_once():
    env, twin = wrapped(), wrapped()  # the twin needs no reset
    env.reset(seed=5)
    for actions in random_actions(20):
        twin.load_all(env.state())
        np.testing.assert_array_equal(twin.observe(), env.observe())
        for expected, actual in zip(env.step(actions), twin.step(actions), strict=True):
            np.testing.assert_array_equal(actual[:4], expected[:4])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": np.full(N, 5)}, "environment 0 cannot be played: position is 5"),
        ({"position": [0, 0, 0, 0, 9]}, "environment 4 cannot be played: position is 9"),
        ({"position": np.zeros(N + 1)}, r"field 'position' is int32\[6\]; pass int32\[5\]"),
        ({"position": 0}, r"field 'position' is int32\[\]; pass int32\[5\]"),
        ({"position": np.full(N, 0.5)}, "field 'position' holds numbers that are no int32"),
        ({"speed": np.zeros(N)}, "fields position, steps, random, speed; pass exactly"),
    ],
)
def test_states_that_cannot_all_be_loaded_leave_everything_as_it_was(change, message):
    env = wrapped()
    env.reset(seed=0)
    before = env.snapshot()
    with pytest.raises(ValueError, match=message):
        env.load_all(env.state() | change)
    assert env.snapshot() == before


@pytest.mark.parametrize(
    ("index", "change", "message"),
    [
        (N, {}, "no environment 5; indices go from 0 to 4"),
        (-1, {}, "no environment -1; indices go from 0 to 4"),
        (0, {"position": 5}, "cannot be played: position is 5; it lies from -4 to 4"),
        (0, {"position": 2**40}, "field 'position' holds numbers that are no int32"),
        (0, {"position": 0.5}, "field 'position' holds numbers that are no int32"),
        (0, {"position": [1, 2]}, r"field 'position' is int32\[2\]; pass int32\[\]"),
        (0, {"speed": 1}, "fields position, steps, random, speed; pass exactly position, steps"),
    ],
)
def test_unfit_state_is_refused_and_nothing_changes(index, change, message):
    env = wrapped()
    env.reset(seed=0)
    before = env.snapshot()
    with pytest.raises(ValueError, match=message):
        env.load(index, {"position": 0, "steps": 0, "random": 0} | change)
    assert env.snapshot() == before


def test_missing_field_is_refused():
    env = wrapped()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="the fields position; pass exactly position, steps, rand"):
        env.load(0, {"position": 0})
