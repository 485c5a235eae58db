"""Runs of all levels: of a pair and of a room; what the report holds."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict
from msgspec import structs
from tests.verify import worlds

from envwright.errors import EnvwrightError, Exit
from envwright.schema.results import as_json
from envwright.schema.tolerance import Tol, Tolerances
from envwright.verify import run
from envwright.verify.differences import Differences
from envwright.verify.pair import PairSpec
from envwright.verify.results import LevelResult, VerifyReport
from envwright.verify.room import load_room
from envwright.verify.run import Effort, verify_pair, verify_room
from envwright.verify.tally import Tally

SMALL = Effort(episodes=12, visited=4, fuzzed=60, boundary=20, starts=2000, examples=6)
KEYS = {"env", "backend", "reference", "twin", "seed", "levels"}
LEVEL_KEYS = {
    "level", "passed", "verdict", "cases", "episodes", "steps", "bound", "divergences"
}  # fmt: skip


@pytest.fixture(scope="module")
def room_report():
    return verify_room("cartpole", effort=SMALL)


# --- a room ----------------------------------------------------------------------------


def test_our_cartpole_is_gymnasiums(room_report):
    assert room_report.exit_code == Exit.EQUAL, room_report.divergences
    assert [level.verdict for level in room_report.levels] == ["equal"] * 3


def test_a_room_runs_all_of_its_checks_and_golden_pairs(room_report):
    notes = " ".join(note for level in room_report.levels for note in level.notes)
    for label in ("float64", "float32", "sutton-barto reward"):
        assert f"{label}: " in notes
    assert "golden pairs of CartPoleEnv.step" in notes
    assert "float32: free-running is reported" in notes


def test_an_episode_counts_once_however_often_it_is_compared(room_report):
    l3 = room_report.levels[2]
    assert l3.tally.episodes == SMALL.episodes
    assert l3.tally.steps > 3 * SMALL.episodes


def test_the_report_has_the_documented_schema(room_report):
    data = json.loads(json.dumps(as_json(room_report.record())))
    assert data.keys() >= KEYS
    assert (data["env"], data["backend"], data["seed"]) == ("cartpole", "jax", 0)
    assert (data["reference"], data["twin"]) == ("gymnasium:CartPole-v1", "envwright:cartpole")
    for number, level in enumerate(data["levels"], start=1):
        assert level.keys() >= LEVEL_KEYS
        assert (level["level"], level["passed"], level["verdict"]) == (number, True, "equal")
        assert 0 < level["bound"] < 1
        assert level["divergences"] == []


def test_an_unknown_backend_is_refused():
    with pytest.raises(EnvwrightError, match="cartpole-v1 has no backend 'cuda'; use jax"):
        verify_room("cartpole", "cuda")


def test_a_backend_without_a_check_is_refused(monkeypatch):
    spec = load_room("cartpole").spec
    more = replace(spec, backends={**spec.backends, "rust": "nowhere:CartPole"})
    monkeypatch.setattr("envwright.verify.room.find", lambda name: more)
    with pytest.raises(EnvwrightError, match="has no check of backend 'rust'"):
        verify_room("cartpole", "rust")


def test_the_rooms_own_numbers_hold_unless_others_are_asked_for():
    room = replace(load_room("cartpole"), sizes={"fuzzed": 7})
    own, asked = (run.for_room(e, room) for e in (Effort(), Effort(episodes=5, fuzzed=9)))
    assert (own.episodes, own.fuzzed, own.policies) == (room.episodes, 7, room.policies)
    assert (asked.episodes, asked.fuzzed) == (5, 9)


def test_a_wrong_golden_function_is_found(monkeypatch):
    room = load_room("cartpole")
    golden = structs.replace(room.golden[0], ours="tests.verify.test_run:wrong_step")
    pair = PairSpec("gymnasium:CartPole-v1", "gymnasium:CartPole-v1").open()
    result = run.check_golden(golden, pair, seed=0, episodes=3)
    (found,) = result.divergences
    assert (found.kind, found.field) == ("golden", "result.1")
    assert "inputs" in found.hint and "CartPoleEnv.step" in found.origin
    assert result.tally.cases > 0


def wrong_step(inputs):
    return {"result.1": 0.0 * inputs["action"].astype(float)}


def test_a_room_promises_the_references_spaces():
    pair = PairSpec(worlds.Marble, worlds.UnboundedClaimMarble).open()
    room = replace(load_room("cartpole"), golden=())
    (found,) = run.room_level(1, room, [pair], 0, SMALL).divergences
    assert (found.kind, found.field) == ("spaces", "observation space")
    assert run.differing_spaces([PairSpec(worlds.Marble, worlds.Marble).open()]) == []


# --- a pair ----------------------------------------------------------------------------


def test_only_the_levels_asked_for_are_run():
    report = verify_pair(
        PairSpec(worlds.Marble, worlds.TiredMarble),
        effort=replace(SMALL, levels=(1, 3)),
    )
    assert [(level.level, level.verdict) for level in report.levels] == [
        (1, "equal"),
        (3, "different"),
    ]


@pytest.mark.parametrize("levels", [(0,), (1, 5), ()])
def test_levels_that_do_not_exist_are_refused(levels):
    with pytest.raises(EnvwrightError, match="choose from 1,2,3,4"):
        Effort(levels=levels)


def test_no_episodes_are_refused():
    with pytest.raises(EnvwrightError, match="at least 1, not 0"):
        Effort(episodes=0)


def test_a_divergence_stands_in_the_report_with_its_file(tmp_path):
    spec = PairSpec(worlds.Marble, worlds.NaNMarble)
    report = verify_pair(spec, effort=replace(SMALL, levels=(1,)), keep=tmp_path / "kept")
    data = as_json(report.record())["levels"][0]
    assert (data["passed"], data["bound"]) == (False, None)
    (divergence,) = data["divergences"]
    assert divergence["field"] == "reward"
    assert [str(p) for p in (tmp_path / "kept").iterdir()] == [divergence["path"]]


def test_progress_is_told_for_every_level():
    told = []
    verify_pair(
        PairSpec(worlds.Marble, worlds.Marble),
        effort=SMALL,
        progress=lambda what, done, total: told.append((what, done == total)),
    )
    assert {("level 1", True), ("level 2", True), ("level 3", True)} <= set(told)


# --- verdicts --------------------------------------------------------------------------


def level(number, divergences=(), inconclusive=""):
    return LevelResult(number, Tally(cases=10, episodes=10), list(divergences), inconclusive)


@pytest.mark.parametrize(
    ("levels", "code"),
    [
        ([level(1), level(2)], Exit.EQUAL),
        ([level(1), level(2, inconclusive="why")], Exit.INCONCLUSIVE),
        ([level(1, inconclusive="why"), level(2, ["one"])], Exit.DIFFERENT),
        ([level(1, ["one"], "why")], Exit.DIFFERENT),
    ],
)
def test_different_outranks_inconclusive_outranks_equal(levels, code):
    assert VerifyReport("", "", "a", "b", 0, levels).exit_code == code


def test_a_merged_level_adds_counts_and_keeps_the_larger_gaps():
    a, b = (
        LevelResult(1, Tally(cases=n, differences={"x": Differences.of(*np.array([[g], [1.0]]))}))
        for n, g in ((3, 0.1), (4, 0.3))
    )
    b.notes, b.inconclusive = ["said"], "why"
    a.merge(b)
    assert (a.tally.cases, a.tally.gaps, a.notes, a.inconclusive) == (
        7,
        {"x": 0.3},
        ["said"],
        "why",
    )


@pytest.mark.parametrize(
    ("theirs", "atol", "differ"),
    [
        (Box(-1, 1, (3,), np.float32), 1e-3, False),
        (Box(-1, 1, (3,), np.float32), 0.0, True),  # nobody granted anything
        (Box(-2, 1, (3,), np.float32), 1e-3, True),
        (Box(-1, 1, (4,), np.float32), 1e-3, True),
        (Box(-1, 1, (3,), np.int32), 1e-3, True),
    ],
)
def test_a_twin_in_float32_may_show_float32_where_that_is_granted(theirs, atol, differ):
    class Shown(worlds.Marble):
        """With an observation space of its own."""

        def __init__(self, space):
            super().__init__()
            self.observation_space = space

    ours = Box(-1, 1, (3,), np.float64)
    tolerances = Tolerances(Tol(atol=atol, why="a test") if atol else Tol())
    pair = PairSpec(lambda: Shown(ours), lambda: Shown(theirs), None, tolerances).open()
    assert bool(run.differing_spaces([pair])) == differ


def test_trained_policies_drive_only_what_shows_them_an_array():
    box = Box(-1, 1, (2,))
    policies = ("random", "trained:runs/a.npz")
    for space, able in ((box, policies), (Dict({"a": box}), ("random",))):
        pair = SimpleNamespace(reference=SimpleNamespace(observation_space=space))
        assert run._able(policies, pair) == able
