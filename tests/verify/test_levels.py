"""Levels 1 to 3: each finds the bugs that it is there for."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.verify import worlds

from envwright.core.executor import Process
from envwright.schema.results import as_json
from envwright.schema.tolerance import Tol, Tolerances
from envwright.verify.l1_properties import check_properties
from envwright.verify.l2_interactions import check_interactions
from envwright.verify.l3_rollouts import check_rollouts
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort, verify_pair
from envwright.verify.stats import clean_bound, same_law

FLOAT32 = Tolerances(Tol(atol=1e-6, why="float32 against float64"))
SMALL = {"visited": 4, "fuzzed": 60, "boundary": 10, "starts": 0}


def l1(reference, twin, **effort):
    pair = PairSpec(reference, twin).open()
    return check_properties(pair, **{**SMALL, **effort})


def l2(reference, twin, tolerances=Tolerances(), **options):
    return check_interactions(PairSpec(reference, twin, None, tolerances).open(), **options)


def l3(reference, twin, tolerances=Tolerances(), episodes=20, **options):
    spec = PairSpec(reference, twin, None, tolerances, **options)
    return check_rollouts(spec, episodes=episodes)


# --- level 1 ---------------------------------------------------------------------------


def test_l1_finds_one_wrong_float_at_a_threshold():
    result = l1(worlds.Marble, worlds.StrictRimMarble, boundary=40)
    (found,) = result.divergences
    assert (found.field, found.origin) == ("terminated", "boundary")


def test_l1_counts_what_it_compared():
    result = l1(worlds.Marble, worlds.Marble)
    assert result.verdict == "equal"
    assert result.tally.cases == result.tally.steps > 60
    visited = result.tally.cases - 70
    assert f"{visited} visited, 60 fuzzed, 10 boundary states" in result.notes
    assert result.bound == clean_bound(result.tally.cases)
    assert set(result.tally.gaps.values()) == {0.0}


def test_l1_finds_a_wider_range_of_starts():
    result = l1(worlds.Marble, worlds.WideStartMarble, starts=20_000)
    (found,) = result.divergences
    assert found.kind == "law"
    assert found.field == "law of obs[0] at reset"
    assert "p = " in found.origin


def test_l1_accepts_starts_of_the_same_law_from_another_seed():
    assert l1(worlds.Marble, worlds.OwnStartPlainMarble, starts=5000).verdict == "equal"


def test_l1_tells_a_twin_whose_starts_raise():
    result = l1(worlds.Marble, worlds.MortalMarble, starts=100)
    assert result.divergences[-1].raised == "RuntimeError: born too often"


def test_l1_finds_a_time_limit_that_is_off_by_one():
    (found,) = l1(worlds.timed, worlds.timed_too_long).divergences
    assert found.field == "truncated"
    assert int(found.start["time"]) == 7


def test_l1_without_states_compares_first_steps():
    result = l1(worlds.Marble, worlds.BoxedMarble)
    assert (result.verdict, result.tally.cases) == ("equal", 50)


# --- level 2 ---------------------------------------------------------------------------


def test_l2_finds_what_only_shows_in_sequence_and_shrinks_it():
    assert l1(worlds.Marble, worlds.TiredMarble).verdict == "equal"
    (found,) = l2(worlds.Marble, worlds.TiredMarble, examples=30).divergences
    assert found.step == 2
    assert len(found.actions) == 3 and len(set(found.actions)) == 1


def test_l2_finds_a_clock_that_a_load_does_not_set():
    assert l1(worlds.Marble, worlds.SleepyMarble).verdict == "equal"
    (found,) = l2(worlds.Marble, worlds.SleepyMarble, examples=30).divergences
    assert found.step == len(found.actions) - 1 == 4


@pytest.mark.parametrize(("speed", "verdict"), [(0.7, "different"), (0.1, "equal")])
def test_l2_plays_on_from_the_states_that_it_is_given(speed, verdict):
    jumps = [{"position": np.asarray(0.0), "velocity": np.asarray(speed)}]
    result = l2(worlds.Marble, worlds.RacingMarble, jumps=jumps, examples=30)
    assert result.verdict == verdict


@pytest.mark.slow
def test_l2_is_the_same_every_time():
    first, again = (
        json.dumps(as_json(l2(worlds.Marble, worlds.TiredMarble, examples=20).record()))
        for _ in range(2)
    )
    assert first == again


def test_l2_plays_on_from_the_reference_where_rounding_is_allowed():
    result = l2(worlds.Marble, worlds.Float32Marble, FLOAT32, examples=20, operations=40)
    assert result.verdict == "equal"
    assert result.tally.steps > 100


def test_l2_tells_every_state_that_it_played():
    pair, seen = PairSpec(worlds.Marble, worlds.Marble).open(), []
    result = check_interactions(pair, examples=10, seen=seen)
    assert len(seen) == result.tally.steps > 0
    assert {"position", "velocity"} == set(seen[0][0])


# --- level 3 ---------------------------------------------------------------------------


def test_l3_teacher_forced_finds_a_wrong_step():
    (found,) = l3(worlds.Marble, worlds.NaNMarble).divergences
    assert found.field == "reward" and len(found.actions) == 1
    assert "policy, seed" in found.origin and "free-running" not in found.origin


def test_l3_free_running_finds_what_teacher_forcing_cannot():
    (found,) = l3(worlds.Marble, worlds.TiredMarble).divergences
    assert found.origin.startswith("free-running")
    assert len(found.actions) == 3


def test_l3_free_running_sees_a_twin_that_raises_late():
    (found,) = l3(worlds.Marble, worlds.SleepyMarble).divergences
    assert found.origin.startswith("free-running")


def test_l3_finds_a_time_limit_that_is_off_by_one():
    (found,) = l3(worlds.timed, worlds.timed_too_long).divergences
    assert found.field == "truncated"


def test_l3_with_a_tolerance_tells_drift_and_does_not_judge_it():
    result = l3(worlds.Marble, worlds.Float32Marble, FLOAT32)
    assert result.verdict == "equal"
    (note,) = [n for n in result.notes if "free-running is reported" in n]
    assert "of the 20 episodes stayed within tolerance" in note


def test_l3_judges_drift_where_that_is_asked_for():
    assert l3(worlds.Marble, worlds.DriftingMarble, FLOAT32).verdict == "equal"
    result = l3(worlds.Marble, worlds.DriftingMarble, FLOAT32, free_running=True)
    assert result.verdict == "different"


def test_l3_says_the_bound_that_its_episodes_give():
    result = l3(worlds.Marble, worlds.Marble, episodes=30)
    assert result.tally.episodes == 30
    assert result.bound == pytest.approx(1 - 0.05 ** (1 / 30))


def test_l3_tells_episodes_that_nothing_ended(monkeypatch):
    monkeypatch.setattr("envwright.verify.sampling.LONGEST", 4)
    monkeypatch.setattr("envwright.verify.l3_rollouts.LONGEST", 4)
    for twin in (worlds.Marble, worlds.BoxedMarble):
        notes = l3(worlds.Marble, twin, episodes=5).notes
        assert any("5 episodes were left without an end: after 4 steps" in n for n in notes)


def test_worker_processes_give_the_same_report_as_this_one():
    name = "python:tests.verify.worlds"
    spec = PairSpec(f"{name}:Marble", f"{name}:TiredMarble")
    effort = Effort((3,), episodes=120)  # three pieces of work for two workers
    serial, parallel = (
        as_json(verify_pair(spec, effort=effort, executor=executor).record())
        for executor in (None, Process(2))
    )
    assert json.dumps(serial) == json.dumps(parallel)
    assert serial["levels"][0]["divergences"]


def test_a_seed_decides_everything():
    spec = PairSpec(worlds.Marble, worlds.NaNMarble)
    effort = Effort(episodes=10, visited=4, fuzzed=40, boundary=10, starts=500, examples=8)
    first, again, other = (
        json.dumps(as_json(verify_pair(spec, seed, effort).record())) for seed in (3, 3, 4)
    )
    assert first == again != other


# --- the statistics behind them --------------------------------------------------------


def test_a_hundred_clean_episodes_leave_three_percent():
    assert clean_bound(100) == pytest.approx(0.0295, abs=1e-4)
    assert clean_bound(0) == 1.0


def test_a_law_agrees_with_itself_and_not_with_a_shifted_one():
    a, b = np.random.default_rng(0).normal(size=(2, 4000))
    assert same_law(a, b) > 1e-3
    assert same_law(a, b + 0.3) < 1e-7
    dice = np.random.default_rng(1).integers(1, 7, size=(2, 4000))
    assert same_law(*dice) > 1e-3
    assert same_law(dice[0], np.minimum(dice[1], 5)) < 1e-7


def test_constant_starts_agree_only_with_the_same_constant():
    assert same_law(np.zeros(9), np.zeros(9)) == 1.0
    assert same_law(np.zeros(9), np.ones(9)) == 0.0
