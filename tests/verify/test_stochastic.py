"""A reference that rolls dice: followed by tape, by its own seed, or not at all."""

from __future__ import annotations

import numpy as np
import pytest
from tests.verify import walks

from envwright.errors import Exit
from envwright.verify.divergence import playthrough_of
from envwright.verify.pair import PairSpec, Playthrough
from envwright.verify.replay import replay
from envwright.verify.run import Effort, verify_pair

SMALL = Effort(episodes=30, visited=5, examples=8, starts=2000)


def verify(twin, bridge=None, reference=walks.icy_walk):
    return verify_pair(PairSpec(reference, twin, bridge), effort=SMALL)


@pytest.fixture(scope="module")
def taped():
    """The pair that is followed by tape, opened once."""
    pair = PairSpec(walks.icy_walk, walks.TapedWalk, walks.Dice()).open()
    yield pair
    pair.close()


def test_a_stochastic_reference_is_known_as_such_and_its_dice_are_followed(taped):
    assert taped.stochastic
    assert taped.starts_by == "draws"
    assert taped.comparable


def test_a_twin_that_follows_the_tape_plays_the_same_episodes(taped):
    slips = 0
    for seed in range(20):
        assert taped.run(Playthrough([1] * 20, seed)) is None
        taped.reference.reset(seed)
        before = taped.reference.state()["position"]
        slips += int(taped.reference.step(1)["state.position"] < before)
    assert 0 < slips < 20


def test_a_twin_that_follows_the_tape_is_equal_on_all_levels():
    report = verify(walks.TapedWalk, walks.Dice())
    assert [level.verdict for level in report.levels] == ["equal"] * 3
    assert all(level.tally.steps for level in report.levels)


def test_a_wrong_slip_threshold_is_found_by_tape():
    report = verify(walks.WrongSlip, walks.Dice())
    assert report.exit_code == Exit.DIFFERENT
    (found,) = report.levels[2].divergences
    assert found.field.startswith(("obs", "state.position"))
    assert abs(found.reference_value - found.twin_value) == 2


def test_dice_of_another_law_are_found_though_the_rules_are_right():
    here = "python:tests.verify.walks"
    report = verify(f"{here}:LoadedDice", f"{here}:Dice", f"{here}:icy_walk")
    first, second, third = report.levels
    assert (first.verdict, second.verdict, third.verdict) == ("different", "equal", "equal")
    (found,) = first.divergences
    assert found.kind == "law" and found.field.startswith("law of obs")
    assert replay(found, trust=True).shows


def test_level_1_says_how_many_laws_of_steps_it_compared():
    notes = verify(walks.TapedWalk, walks.Dice()).levels[0].notes
    assert any("law of steps: 12 transitions, 100 outcomes of each: 0 laws" in n for n in notes)


@pytest.mark.parametrize("bridge", [None, walks.StartDice()], ids=["no tape", "tape of starts"])
def test_a_twin_that_cannot_follow_the_steps_is_inconclusive(bridge):
    report = verify(walks.TapedWalk, bridge)
    assert report.exit_code == Exit.INCONCLUSIVE
    assert all("step_noise" in level.inconclusive for level in report.levels)


def test_a_twin_with_the_same_dice_is_compared_by_its_own_seed():
    report = verify(walks.icy_walk)
    assert report.exit_code == Exit.EQUAL
    assert report.levels[2].tally.episodes == SMALL.episodes


def test_a_wrong_slip_threshold_is_found_by_seed():
    report = verify(walks.slick_walk)
    assert report.exit_code == Exit.DIFFERENT
    assert report.levels[2].divergences


def test_other_dice_are_no_difference_in_rules():
    assert verify(walks.warmed_up_walk).exit_code == Exit.INCONCLUSIVE


def test_a_draw_without_effect_does_not_make_a_reference_stochastic():
    still = PairSpec(
        "gymnasium:FrozenLake-v1?is_slippery=false", "gymnasium:FrozenLake-v1?is_slippery=false"
    ).open()
    still.reference.reset(0)
    still.reference.draws()
    still.reference.step(2)
    assert still.reference.draws()
    assert not still.stochastic


def test_shrinking_keeps_the_seed_and_thereby_the_dice():
    report = verify(walks.slick_walk)
    (found,) = report.levels[2].divergences
    assert found.start is None
    pair = PairSpec(walks.icy_walk, walks.slick_walk).open()
    again = pair.run(playthrough_of(found))
    assert again is not None and again.step == found.step == len(found.actions) - 1
    assert np.isscalar(found.actions[0])
