"""A translation that the user's tests step draws what the reference draws."""

from __future__ import annotations

from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from tests.verify import walks

from envwright.translate.users_tests.child import Plugin, making
from envwright.translate.users_tests.following import Following, _observation
from envwright.verify.pair import PairSpec


@pytest.fixture(scope="module")
def following():
    """The slippery walk in JAX, beside the one in NumPy."""
    pair = PairSpec(walks.icy_walk, walks.TapedWalk, walks.Dice()).open()
    yield Following(pair)
    pair.close()


def test_equal_seeds_give_the_episodes_of_the_reference(following):
    reference = walks.icy_walk()
    for seed in range(5):
        ours, theirs = following.reset(seed=seed)[0], reference.reset(seed=seed)[0]
        assert np.array_equal(ours, theirs) and ours.dtype == theirs.dtype
        for _ in range(4):
            ours, theirs = following.step(1), reference.step(1)
            assert np.array_equal(ours[0], theirs[0]) and ours[1:4] == theirs[1:4]
            if theirs[2] or theirs[3]:
                break


def test_the_state_is_shown_under_the_references_names(following):
    following.reset(seed=1)
    assert isinstance(following.unwrapped.position, int)
    with pytest.raises(AttributeError, match="the translation shows no 'wheels'; it has position"):
        _ = following.wheels


def test_observations_have_the_types_of_their_space():
    pair = spaces.Tuple([spaces.Discrete(3), spaces.Box(0, 1, (2,), np.float32)])
    record = {"obs.a": np.int32(2), "obs.b.0": np.asarray(1), "obs.b.1": np.zeros(2)}
    seen = _observation("obs", record, spaces.Dict(a=spaces.Discrete(3), b=pair))
    assert seen["a"] == 2 and type(seen["a"]) is int
    assert seen["b"][0] == 1 and seen["b"][1].dtype == np.float32


def test_gymnasium_makes_the_translation_for_the_references_id():
    spec = SimpleNamespace(reference=SimpleNamespace(simulator="gymnasium:CartPole-v1?x=1"))
    side = SimpleNamespace(make=lambda **options: options, real_make=gymnasium.make)
    make = making(spec, side)
    assert make("CartPole-v1", sutton_barto_reward=True) == {"sutton_barto_reward": True}
    assert make(gymnasium.spec("CartPole-v1")) == {}
    other = make("MountainCar-v0")
    assert isinstance(other, gymnasium.Env)
    other.close()


@pytest.mark.parametrize(
    ("reports", "outcome"),
    [
        ([("setup", "passed"), ("call", "passed"), ("teardown", "passed")], "passed"),
        ([("call", "failed"), ("teardown", "passed")], "failed"),
        ([("call", "passed"), ("teardown", "failed")], "failed"),
        ([("call", "failed"), ("teardown", "skipped")], "failed"),
        ([("setup", "skipped")], "skipped"),
    ],
)
def test_a_failure_in_any_phase_is_the_outcome(reports, outcome):
    plugin = Plugin(SimpleNamespace(release=lambda: None))
    for when, ended in reports:
        passed = ended == "passed"
        plugin.pytest_runtest_logreport(
            SimpleNamespace(nodeid="t", when=when, outcome=ended, passed=passed, longreprtext="")
        )
    assert plugin.found["t"]["outcome"] == outcome
