"""Every kind of action, observation and reward is compared, and mistakes are named."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests import fast_kinds, kinds

from envwright.core.check import check_env
from envwright.errors import EnvwrightError, NotReproducible
from envwright.sim.resolve import as_simulator, open_simulator
from envwright.verify.pair import PairSpec, Playthrough
from envwright.verify.policies import KNOWN_POLICIES
from envwright.verify.run import Effort, verify_pair

SMALL = Effort(episodes=4, visited=3, fuzzed=30, boundary=3, starts=50, examples=4)


def verdicts(reference, twin, effort=SMALL):
    report = verify_pair(PairSpec(reference, twin), effort=effort)
    return [level.verdict for level in report.levels], report


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_a_walk_of_every_kind_equals_itself(kind):
    assert verdicts(kind, kind)[0] == ["equal"] * 3


@pytest.mark.parametrize("kind", kinds.KINDS)
@pytest.mark.parametrize("policy", KNOWN_POLICIES)
def test_every_policy_plays_every_kind(kind, policy):
    rng, memory, space = np.random.default_rng(0), {}, kind().action_space
    sim = as_simulator(kind)
    sim.reset(0)
    for t in range(5):
        sim.step(KNOWN_POLICIES[policy](rng, space, None, t, memory))


@pytest.mark.parametrize("twin", [fast_kinds.FastPairs, fast_kinds.FastMixed])
def test_a_twin_in_jax_may_take_actions_of_several_parts(twin):
    reference = getattr(kinds, twin.__name__.removeprefix("Fast"))
    found, report = verdicts(reference, twin)
    assert found == ["equal"] * 3, report
    assert not any("spaces differ" in note for note in report.notes)


@pytest.mark.slow
@pytest.mark.parametrize("twin", [fast_kinds.FastPairs, fast_kinds.FastMixed])
def test_such_a_twin_keeps_the_protocol(twin):
    check_env(twin())


def test_a_part_of_an_action_that_is_ignored_is_found():
    found, report = verdicts(kinds.Mixed, fast_kinds.SlowMixed)
    assert "different" in found
    assert np.shape(report.divergences[0].actions[0]) == (3,), "one flat row"


def test_actions_of_several_parts_reach_another_process():
    name = f"command:{sys.executable} -m envwright.sim.serve python:tests.kinds:Mixed"
    with open_simulator(name) as other, as_simulator(kinds.Mixed) as here:
        assert other.action_space == here.action_space
        row = np.array([2, 1.5, 0.5])
        for sim in (other, here):
            sim.reset(3)
        before, after = other.state()["place"], other.step(row)
        assert after["state.place"] == here.step(row)["state.place"] == before + 2


def test_vector_rewards_are_compared_by_element():
    class Generous(kinds.TwoGoals):
        def reward(self):
            return super().reward() + np.array([0, 1], np.float32)

    found, report = verdicts(kinds.TwoGoals, Generous)
    assert found[0] == "different"
    assert report.divergences[0].field.startswith("reward[1]")


def test_a_text_that_never_changes_is_left_out_and_reported():
    pair = PairSpec(kinds.Named, kinds.Named).open()
    assert any(note.endswith("left out: obs.mission") for note in pair.notes)
    assert "obs.mission" not in pair.reference.reset(0)
    assert "mission" not in pair.reference.observation_space.spaces


def test_a_text_that_changes_is_bad_input():
    with pytest.raises(EnvwrightError, match=r"obs\.mission was 'go on from .* a number for each"):
        PairSpec(kinds.ChangingMission, kinds.ChangingMission).open()


def test_observations_outside_the_declared_space_are_reported():
    assert any(
        "leaves its observation space" in note and "obs is 6, declared is 0 to 5" in note
        for note in PairSpec(kinds.Outside, kinds.Outside).open().notes
    )


def test_global_randomness_is_named():
    with pytest.raises(NotReproducible, match=r"global generator of np\.random; draw from self"):
        PairSpec(kinds.Global, kinds.Global).open()


def test_an_error_of_a_reference_names_its_line():
    with pytest.raises(EnvwrightError, match=r"raised KeyError .*: 2 \(tests/kinds\.py:\d+\)"):
        PairSpec(kinds.Raising, kinds.Walk).open()


def test_an_error_late_in_a_reference_names_its_line_too():
    pair = PairSpec(kinds.Walk, kinds.Walk).open()
    pair.reference = as_simulator(kinds.Raising)
    with pytest.raises(EnvwrightError, match=r"in a step: 2 \(tests/kinds\.py:\d+\)"):
        pair.run(Playthrough([2], seed=0))


def test_a_missing_argument_is_shown_as_an_option():
    name = "python:tests.kinds:Sized"
    with pytest.raises(EnvwrightError, match=rf"missing 1 .*: '{name}\?size=VALUE'"):
        open_simulator(name)
    assert open_simulator(f"{name}?size=3").name == f"{name}?size=3"


def test_wrappers_can_be_kept_outside_and_are_reported():
    name = "python:tests.kinds:scaled"
    wrapped, inside = (as_simulator(n) for n in (name, f"{name}?unwrapped=true"))
    assert (wrapped.time_limit, inside.time_limit) == (15, 15)
    assert wrapped.outside == ()
    (outside,) = inside.outside
    assert outside.endswith(":TransformReward")
    for sim, paid in ((wrapped, 2), (inside, 1)):
        sim.reset(0)
        while not (record := sim.step(2))["terminated"]:
            pass
        assert record["reward"] == paid
    pair = PairSpec(f"{name}?unwrapped=true", f"{name}?unwrapped=true").open()
    assert any("wrappers kept outside: gymnasium" in note for note in pair.notes)
