"""A pair: what is matched, what is refused, what is told, and one playthrough run on both."""

from __future__ import annotations

import numpy as np
import pytest
from tests.verify import worlds

from envwright.core.bridge import Columns
from envwright.errors import EnvwrightError, Exit, IncompatiblePair, NotReproducible
from envwright.schema.tolerance import Tol, Tolerances
from envwright.sim.resolve import as_simulator
from envwright.verify.divergence import playthrough_of
from envwright.verify.pair import PairSpec, Playthrough
from envwright.verify.run import Effort, verify_pair

SMALL = Effort(episodes=12, visited=6, fuzzed=100, boundary=20, starts=500, examples=10)
FIELDS = ("position", "velocity")
FLOAT32 = Tolerances(Tol(atol=1e-6, why="float32 against float64"))


def opened(reference, twin, tolerances=Tolerances(), bridge=None, **options):
    return PairSpec(reference, twin, bridge, tolerances, **options).open()


def verdicts(reference, twin, tolerances=Tolerances(), **options):
    spec = PairSpec(reference, twin, None, tolerances, **options)
    report = verify_pair(spec, effort=SMALL)
    return [level.verdict for level in report.levels], report


# --- what is refused -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "twin"),
    [
        (worlds.Marble, worlds.FourWayMarble),
        ("gymnasium:CartPole-v1", "gymnasium:Pendulum-v1"),
        ("gymnasium:Pendulum-v1", "gymnasium:MountainCarContinuous-v0"),
    ],
)
def test_simulators_with_different_actions_are_refused(reference, twin):
    with pytest.raises(IncompatiblePair, match=r"actions differ: .* takes .*, .* takes") as caught:
        opened(reference, twin)
    assert caught.value.exit_code == Exit.BAD_INPUT


@pytest.mark.parametrize("reference", [worlds.UnseededMarble, worlds.JitteryMarble])
def test_a_reference_that_does_not_reproduce_itself_is_named(reference):
    with pytest.raises(NotReproducible, match=r"does not reproduce itself: with seed 0, step \d"):
        opened(reference, worlds.Marble)


def test_a_reference_that_raises_is_bad_input():
    with pytest.raises(EnvwrightError, match="LateMarble raised ArithmeticError"):
        verify_pair(PairSpec(worlds.LateMarble, worlds.Marble), effort=SMALL)


def test_a_reference_that_raises_late_is_bad_input_too():
    pair = opened(worlds.Marble, worlds.Marble)
    pair.reference = as_simulator(worlds.LateMarble)
    with pytest.raises(EnvwrightError, match="raised ArithmeticError in a step: too fast"):
        pair.run(Playthrough([worlds.RIGHT] * 9))


@pytest.mark.parametrize(
    ("bridge", "sentence"),
    [
        ("worlds", "does not name a bridge"),
        ("python:tests.verify.worlds:RIM", "has no to_twin and no to_reference"),
        ("python:tests.verify.nowhere:BRIDGE", "no module"),
        (Columns({"speed": "velocity"}), "cannot be bridged: KeyError: 'speed'"),
    ],
)
def test_a_bridge_that_does_not_fit_is_bad_input(bridge, sentence):
    with pytest.raises(EnvwrightError, match=sentence):
        opened(worlds.Marble, worlds.Marble, bridge=bridge)


def test_both_simulators_are_closed_when_they_do_not_match_and_only_then():
    closed = []

    def closing(env):
        def make():
            made = env()
            made.close = lambda: closed.append(env)
            return made

        return make

    with pytest.raises(IncompatiblePair):
        opened(closing(worlds.Marble), closing(worlds.FourWayMarble))
    assert set(closed) == {worlds.Marble, worlds.FourWayMarble}
    closed.clear()
    pair = opened(closing(worlds.Marble), closing(worlds.NaNMarble))
    assert closed == []
    pair.close()
    assert set(closed) == {worlds.Marble, worlds.NaNMarble}


# --- how starts are matched ------------------------------------------------------------


def test_states_are_transplanted_where_both_sides_load():
    pair = opened(worlds.Marble, worlds.OwnStartPlainMarble)
    assert pair.transplants and pair.starts_by == "state"
    pair.start(3)
    np.testing.assert_array_equal(pair.reference.state()["position"], pair.twin.state()["position"])


def test_a_twin_without_states_is_compared_by_seed_and_told_what_is_lost():
    found, report = verdicts(worlds.Marble, worlds.BoxedMarble)
    assert found == ["equal"] * 3
    assert "BoxedMarble cannot load states: no teacher-forced steps" in report.notes[0]
    assert "free-running only: states cannot be set" in report.levels[2].notes


def test_starts_that_cannot_be_matched_are_inconclusive_with_a_way_out():
    found, report = verdicts(worlds.Marble, worlds.OwnStartMarble)
    assert found == ["inconclusive"] * 3
    assert report.exit_code == Exit.INCONCLUSIVE
    assert "give --bridge" in report.levels[0].inconclusive


def test_a_wrong_first_observation_is_found_although_states_are_transplanted():
    pair = opened(worlds.Marble, worlds.ForgetfulMarble)
    assert pair.starts_by == "state"
    found = pair.run(Playthrough([]))
    assert (found.step, found.mismatch.field) == (-1, "obs[0]")


def test_different_observation_spaces_are_told():
    pair = opened(worlds.Marble, worlds.UnboundedClaimMarble)
    assert any("observation spaces differ" in note for note in pair.notes)


# --- a twin that misbehaves ------------------------------------------------------------


def test_a_twin_that_raises_in_a_step_diverges_there():
    found, report = verdicts(worlds.Marble, worlds.RaisingMarble)
    assert found == ["different"] * 3
    for divergence in report.divergences:
        assert divergence.raised == "ZeroDivisionError: the dome has no right side"
        assert divergence.start["position"] > 0.6
        assert len(divergence.actions) == 1
        assert "the twin raised" in str(divergence)


def test_a_twin_that_raises_at_once_is_different_not_a_crash():
    found, report = verdicts(worlds.Marble, worlds.DeadMarble)
    assert found == ["different"] * 3
    assert {d.raised for d in report.divergences} == {"RuntimeError: dead"}


def test_a_twin_that_raises_at_reset_diverges_at_the_reset():
    found, report = verdicts(worlds.Marble, worlds.RaisingResetMarble)
    assert found[1:] == ["different"] * 2
    assert {(d.step, d.raised) for d in report.divergences} == {
        (-1, "ValueError: seeds must be odd")
    }


def test_a_twin_that_returns_nan_diverges_there():
    found, report = verdicts(worlds.Marble, worlds.NaNMarble)
    assert found == ["different"] * 3
    assert {d.field for d in report.divergences} == {"reward"}
    assert all(np.isnan(d.twin_value) and d.reference_value == 0 for d in report.divergences)


def test_a_twin_that_differs_only_sometimes_is_different_and_called_unsteady():
    worlds.MoodyMarble.dice = np.random.default_rng(0)
    found, report = verdicts(worlds.Marble, worlds.MoodyMarble)
    assert found == ["different"] * 3
    assert any("did not show it again" in d.hint for d in report.levels[1].divergences)


# --- rounding and thresholds -----------------------------------------------------------


def beyond_the_rim_only_in_float64():
    """A float32 state from which one step ends just beyond the rim, unless it is rounded."""
    rng = np.random.default_rng(0)
    marble, rounded = worlds.Marble(), worlds.Float32Marble()
    for _ in range(10_000):
        position = np.float32(rng.uniform(0.5, 0.9))
        velocity = (np.float32(1) - np.float32(1.05) * position) / np.float32(0.9)
        marble.position, marble.velocity = float(position), float(velocity)
        rounded.position, rounded.velocity = position, velocity
        if marble.step(worlds.STAY)[2] and not rounded.step(worlds.STAY)[2]:
            return {
                k: np.asarray(float(v)) for k, v in zip(FIELDS, (position, velocity), strict=True)
            }
    raise AssertionError("no such state")


def test_a_float32_twin_at_a_threshold_is_no_false_alarm():
    playthrough = Playthrough([worlds.STAY], start=beyond_the_rim_only_in_float64())
    tolerant = opened(worlds.Marble, worlds.Float32Marble, FLOAT32)
    assert tolerant.run(playthrough) is None
    exact = opened(worlds.Marble, worlds.Float32Marble)
    assert exact.run(playthrough) is not None
    obs_only = Tolerances(Tol(), {"obs": FLOAT32.default})  # the state has to be exact
    assert opened(worlds.Marble, worlds.Float32Marble, obs_only).run(playthrough) is not None


def test_a_wrong_threshold_beyond_the_tolerance_is_not_explained_by_rounding():
    found, report = verdicts(worlds.Marble, worlds.NarrowMarble, FLOAT32)
    assert found[0] == "different"
    assert report.divergences[0].field == "terminated"


def test_states_are_rounded_to_what_the_twin_holds_and_left_alone_where_it_holds_them():
    same = opened(worlds.Marble, worlds.Marble)
    state = same.reference.state()
    assert same.representable(state) is state
    rounding = opened(worlds.Marble, worlds.Float32Marble, FLOAT32)
    third = {name: np.full_like(value, 1 / 3) for name, value in rounding.reference.state().items()}
    rounded = rounding.representable(third)
    for name in FIELDS:
        assert rounded[name].dtype == np.float64 and rounded[name] == np.float32(1 / 3)
    other = same.with_twin(as_simulator(worlds.Float32Marble))
    assert other.representable(third)["position"] == np.float32(1 / 3)  # it is asked anew
    assert same.representable(third) is third


def test_a_float32_twin_is_equal_with_a_tolerance_and_different_without():
    assert verdicts(worlds.Marble, worlds.Float32Marble, FLOAT32)[0] == ["equal"] * 3
    assert verdicts(worlds.Marble, worlds.Float32Marble)[0] == ["different"] * 3


def test_a_tolerance_in_ulps_alone_excuses_thresholds_too():
    ulps = Tolerances(Tol(ulp=2, why="float32 against float64"))
    around = np.float32(1) / np.float32(1.1)  # one step leads to 1, where it ends
    starts = [np.nextafter(around, np.float32(towards)) for towards in (0, 1)] + [around]
    playthroughs = [Playthrough([0], start={"x": np.asarray(float(x))}) for x in starts]
    exact = opened(worlds.Growing, worlds.Float32Growing)
    found = [exact.run(playthrough) for playthrough in playthroughs]
    assert any(f is not None and f.reference["terminated"] != f.twin["terminated"] for f in found)
    tolerant = opened(worlds.Growing, worlds.Float32Growing, ulps)
    assert [tolerant.run(playthrough) for playthrough in playthroughs] == [None] * 3


def test_every_divergence_under_exactness_shows_again_from_its_own_start():
    _, report = verdicts(worlds.Marble, worlds.Float32Marble)
    pair = opened(worlds.Marble, worlds.Float32Marble)
    assert all(pair.run(playthrough_of(d)) is not None for d in report.divergences)


# --- after the end ---------------------------------------------------------------------


def test_states_after_the_end_count_only_if_asked_for():
    assert verdicts(worlds.Marble, worlds.GhostMarble)[0] == ["equal"] * 3
    found, report = verdicts(worlds.Marble, worlds.GhostMarble, include_terminal=True)
    assert found[0] == "different"
    assert abs(report.divergences[0].start["position"]) > worlds.RIM
