"""`assert_equivalent`, as a user's own test-suite calls it."""

from __future__ import annotations

import gymnasium
import pytest
from tests.games import SlipperyWalk
from tests.verify import worlds

import envwright
from envwright.errors import EnvwrightError
from envwright.schema.tolerance import Tol, Tolerances
from envwright.testing import assert_equivalent, check_env


def test_it_passes_for_a_sound_twin_and_returns_the_evidence():
    report = assert_equivalent(worlds.timed, worlds.timed, episodes=20)
    assert [level.verdict for level in report.levels] == ["equal"] * 3
    assert report.levels[2].tally.episodes == 20
    assert report.levels[0].tally.cases > 2000


@pytest.mark.lax("Gymnasium's phys2d promotes")
def test_it_fails_with_the_shortest_divergence():
    with pytest.raises(AssertionError) as failure:
        assert_equivalent(
            "gymnasium:CartPole-v1", "gymnasium:phys2d/CartPole-v1", levels=(3,), episodes=10
        )
    text = str(failure.value)
    assert "gymnasium:CartPole-v1 and gymnasium:phys2d/CartPole-v1 differ at step 0" in text
    assert "start      state = [0., 0., 0., 0.], time = 0" in text
    assert "actions    [1]" in text or "actions    [0]" in text


def test_it_fails_where_nothing_could_be_compared():
    with pytest.raises(AssertionError, match="nothing could be compared: starts cannot be matched"):
        assert_equivalent(worlds.Marble, worlds.OwnStartMarble, episodes=5)


@pytest.mark.parametrize(
    ("reference", "twin"),
    [
        ("python:tests.verify.worlds:Marble", worlds.Marble),
        (worlds.Marble(), lambda: worlds.Marble()),
        (gymnasium.make("CartPole-v1"), "gymnasium:CartPole-v1"),
    ],
)
def test_names_functions_and_environments_are_taken(reference, twin):
    assert_equivalent(reference, twin, levels=(3,), episodes=8)


def test_an_env_of_ours_is_taken_and_a_bridge_object():
    from envwright.zoo.cartpole.bridge import BRIDGE

    assert_equivalent(
        lambda: gymnasium.make("CartPole-v1"),
        envwright.make("cartpole"),
        levels=(3,),
        episodes=8,
        tolerances=Tolerances(Tol(1e-6, 4, "float32 against float64")),
        bridge=BRIDGE,
    )


def test_a_tolerance_needs_no_reason_here_but_may_have_one():
    assert_equivalent(worlds.Marble, worlds.Float32Marble, levels=(3,), episodes=8, atol=1e-6)
    with pytest.raises(AssertionError, match="float32 after all"):
        assert_equivalent(
            worlds.Marble, worlds.NaNMarble, levels=(3,), atol=1e-6, why="float32 after all"
        )


def test_what_is_no_simulator_is_refused():
    with pytest.raises(EnvwrightError, match="is not a simulator"):
        assert_equivalent(worlds.Marble, 3)


def test_check_env_is_at_hand():
    report = check_env(SlipperyWalk(), only=["dtypes are strong"])
    assert report.passed == ("dtypes are strong",)
