"""The lamp in Rust: compiled in the jail, judged, repaired, raced."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from gymnasium.spaces import Box, MultiDiscrete
from tests.translate.conftest import LAMP, REASON
from tests.translate.rust_answers import (
    BROKEN_HEAT,
    CRANE,
    ECHO,
    ENV,
    HEAT,
    MISTYPED,
    MOODY,
    NAMELESS_HEAT,
    OUT_OF_BOUNDS,
    UNSAFE,
    WRONG_HEAT,
    WRONG_LIMIT,
    turn,
)
from tests.translate.scripted import Scripted

from envwright.errors import EnvwrightError
from envwright.schema.translation import Check
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import TwinRaised
from envwright.translate import rust_twin
from envwright.translate.crate import TEMPLATE, template_files
from envwright.translate.goldens import require_usable
from envwright.translate.jailed import twin_for
from envwright.translate.judge import Judge
from envwright.translate.optimise import Optimisation
from envwright.translate.package.workspace import EXTENSION
from envwright.translate.race.last_step import wrongly
from envwright.translate.run import Run
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import open_run

ROOT = Path(__file__).parents[2]
needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is missing")
OWN_TEST = """
#[test]
fn a_dark_lamp_cools() {
    assert_eq!(fast_lamp::heat::warm(1.0, 0), 0.75);
}
"""


def rust_lamp(folder, **other):
    """The specification of the lamp for Rust, with some texts of it replaced."""
    shutil.copytree(LAMP, folder)
    path = folder / "translation.toml"
    changes = {
        '"jax"': '"rust"',
        '"heat.py"': '"heat.rs"',
        '"env.py"': '"env.rs"',
        '{ dtype = "float64" }': "{ max_steps = 40 }",
    }
    text = path.read_text()
    for old, new in {**changes, **other.pop("changes", {})}.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text + other.pop("more", ""))
    return load_spec(folder)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A folder in which the lamp can be imported."""
    folder = tmp_path_factory.mktemp("rust")
    sys.modules.pop("lamp", None)
    sys.path.insert(0, str(LAMP))
    yield folder
    sys.path.remove(str(LAMP))
    sys.modules.pop("lamp", None)


# --- the closed loop ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def story(base):
    """A run with every kind of mistake. Level 1 sees little, so that level 3 has work, too."""
    spec = rust_lamp(base / "story")
    weak = replace(spec.effort, visited=1, fuzzed=1, boundary=0)
    script = [
        turn(heat=WRONG_HEAT),
        turn(heat=BROKEN_HEAT),
        turn(heat=NAMELESS_HEAT),
        turn(heat=HEAT),
        turn(env=MISTYPED),
        turn(env=OUT_OF_BOUNDS),
        turn(env=WRONG_LIMIT),
        turn(env=ENV, own=OWN_TEST),
    ]
    agent = Scripted(script)
    spec = replace(spec, effort=weak)
    run = Run(spec.folder / "runs/a", spec, agent, (1, 2, 3), confined=REASON is None, seed=104_729)
    assert run.go().outcome == "verified", run.journal.events[-1]
    return run, agent


def prompt(story, after):
    """What was asked after a turn."""
    return story[1].asked[after].prompt


def last_level_1(story):
    """The last verdict of level 1."""
    verdicts = [v for event in story[0].journal.of("judged") for v in event["verdicts"]]
    return [v for v in verdicts if v["level"] == 1][-1]


@pytest.mark.slow
@needs_cargo
def test_every_mistake_is_repaired_where_it_was_made(story):
    purposes = [task.title for task in story[1].asked]
    assert purposes[:5] == ["translate heat"] + ["repair level 1"] * 3 + ["translate env"]
    assert len(purposes) == 8 and all(p.startswith("repair") for p in purposes[5:])
    last = story[0].journal.of("judged")[-1]["verdicts"][-1]
    assert last["level"] == 3 and "episodes, float64" in last["passed"]


@pytest.mark.slow
@needs_cargo
def test_a_wrong_function_is_shown_beside_the_reference(story):
    assert "golden_warm: result: reference" in prompt(story, 1)
    assert "the reference (lamp:LampEnv.warm) gives" in prompt(story, 1)


@pytest.mark.slow
@needs_cargo
def test_the_compiler_is_quoted_with_file_and_line(story):
    assert "src/fast_lamp/heat.rs: error: expected `;`" in prompt(story, 2)
    assert "(src/fast_lamp/heat.rs:7)" in prompt(story, 2)
    assert "help: add `;` here" in prompt(story, 2)


@pytest.mark.slow
@needs_cargo
def test_a_function_that_cannot_be_reached_is_its_modules_failure(story):
    assert "heat can be imported (module `heat`)" in prompt(story, 3)
    assert "function `golden_warm` is private" in prompt(story, 3)


@pytest.mark.slow
@needs_cargo
def test_a_module_that_compiles_is_judged_although_a_later_one_does_not(story):
    mistyped = story[0].journal.of("judged")[4]["verdicts"][0]
    assert [f["module"] for f in mistyped["failures"]] == ["env"]
    assert "golden pairs of heat-golden_warm, held back" in mistyped["passed"]
    assert "expected `f64`, found `i64`" in prompt(story, 5)


@pytest.mark.slow
@needs_cargo
def test_a_panic_in_a_step_is_a_divergence_with_its_place(story):
    text = prompt(story, 6)
    assert "the twin raised" in text and "differ at step" in text
    assert "index out of bounds: the len is 7 but the index is 7 (src/fast_lamp/env.rs:" in text


@pytest.mark.slow
@needs_cargo
def test_a_divergence_becomes_a_test_that_cargo_runs(story):
    assert len(story[0].position.regressions) == 2
    assert "tests/regressions/002.json" in prompt(story, 7)
    assert {"regression 001", "regression 002"} <= {*last_level_1(story)["passed"]}


@pytest.mark.slow
@needs_cargo
def test_the_agents_own_tests_are_run_and_are_advice(story):
    assert "the agent's own tests: 1 passed, 0 failed" in last_level_1(story)["notes"]


@pytest.mark.slow
@needs_cargo
def test_cargo_test_in_the_workspace_runs_all_that_the_harness_shows(story, tmp_path):
    env = {**os.environ, "CARGO_TARGET_DIR": str(tmp_path)}
    command = ["cargo", "test", "--offline", "--locked", "--test", "harness"]
    done = subprocess.run(
        command, cwd=story[0].workspace.root, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    names = ["heat_golden_warm_agrees_with_the_reference"]
    names += [f"regression_00{n}_does_not_differ_again" for n in (1, 2)]
    assert all(f"test {name} ... ok" in done.stdout for name in names), done.stdout


# --- what a game may do to the judge -----------------------------------------------------------


@pytest.fixture(scope="module")
def moody(base):
    """A twin for each mood, all of one program."""
    spec = rust_lamp(base / "moody")
    workspace = written(base / "moody" / "workspace", heat=ECHO, env=MOODY)

    def twin(mood=""):
        check = Check("float64", {"mood": mood} if mood else {})
        made = replace(spec, checks=(check,))
        return twin_for(made, workspace, base / "moody" / "scratch", REASON is None), check

    return twin


def unread():
    """Run code whose source would be rejected, to see what holds it then."""
    return patch.object(rust_twin, "forbidden_in_rust", lambda files: [])


def written(workspace, **modules):
    """A workspace with this code."""
    for path, text in turn(**modules).items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text)
    return workspace


def level_1(twin):
    """The failures of the whole, of code that nothing has read."""
    with unread(), Judge(twin.spec, twin, []) as judge:
        return judge.modules(len(twin.spec.modules)).failures


@needs_cargo
def test_numbers_survive_the_way_there_and_back(moody):
    hard = [0.1, -0.0, 5e-324, 1.7976931348623157e308, np.nan, np.inf, -np.inf, 1e22, 2**53 + 1.0]
    inputs = {
        "float": np.array(hard),
        "many": np.random.default_rng(0).normal(size=(9, 3, 2)),
        "int": np.arange(9) * (2**60) - 2**62,
        "flag": np.arange(9) % 2 == 0,
    }
    twin, _ = moody()
    with twin.functions() as conversation:
        few = {name: value[:1] for name, value in inputs.items()}
        for given in (inputs, few):
            got = conversation.ask("call", function="fast_lamp.heat:golden_warm", inputs=given)
            for name, value in given.items():
                back = np.asarray(got[name])
                assert back.dtype == value.dtype and back.shape == value.shape
                assert back.tobytes() == value.tobytes(), name


@needs_cargo
def test_a_program_that_does_not_answer_is_given_up(moody, monkeypatch):
    monkeypatch.setattr(rust_twin, "PATIENCE", 0.5)
    failures = level_1(moody("endless")[0])
    assert "no answer within 0.5 s" in failures[0].summary


@needs_cargo
def test_a_program_that_ends_is_a_divergence(moody):
    failures = level_1(moody("deadly")[0])
    assert "the process ended" in failures[0].summary


@needs_cargo
def test_a_start_that_leaves_something_as_it_was_is_found(moody):
    failures = level_1(moody("forgetful")[0])
    assert any('`start` does not set "time"' in f.summary for f in failures)


@needs_cargo
def test_a_count_that_the_state_does_not_name_is_found(moody):
    twin, check = moody("tired")
    with twin.simulator(check) as lamp:
        lamp.reset(0)
        with pytest.raises(TwinRaised, match="something that `state` does not name decides"):
            for _ in range(20):
                lamp.step(0)


@needs_cargo
def test_no_count_outlives_an_episode(moody):
    twin, check = moody("old")
    with twin.simulator(check) as lamp:
        state = lamp.reset(0) and lamp.state()
        for _ in range(30):
            lamp.reset(0)
            episode = [float(lamp.step(2)["state.heat"]) for _ in range(10)]
            assert episode[-1] > 2.0
        loaded = lamp.step_many([state] * 300, [2] * 300)
        assert {float(record["state.heat"]) for record in loaded} == {episode[0]}


@needs_cargo
def test_what_a_game_prints_is_no_answer(moody):
    twin, check = moody("chatty")
    with twin.simulator(check) as lamp:
        lamp.reset(0)
        assert [float(lamp.step(1)["reward"]) for _ in range(3)] == [lamp.state()["level"]] * 3


@needs_cargo
def test_an_option_that_nobody_knows_or_likes_is_told(moody):
    twin, check = moody("picky")
    with pytest.raises(EnvwrightError, match="no lamp for you"):
        twin.simulator(check)
    with pytest.raises(EnvwrightError, match='there is no option "colour"'):
        twin.simulator(Check("float64", {"colour": "red"}))


@needs_cargo
def test_an_odd_question_is_an_error_and_the_next_is_answered(moody):
    twin, check = moody()
    with twin.simulator(check) as lamp:
        for odd in ({"op": "dance"}, {"op": "load", "state": {"moon": 1}}, {"op": "reset"}):
            with pytest.raises(TwinRaised):
                lamp._ask(**odd)
        assert set(lamp.reset(3)) == {"obs", "state.level", "state.heat", "state.time"}


@needs_cargo
def test_actions_and_states_are_arrays_of_any_kind(base):
    spec = rust_lamp(base / "crane")
    workspace = written(base / "crane" / "workspace", heat=HEAT, env=CRANE)
    twin = twin_for(spec, workspace, base / "crane" / "scratch", REASON is None)
    with twin.simulator(Check("several")) as crane:
        assert crane.action_space == MultiDiscrete([2, 3])
        assert crane.observation_space == Box(-np.inf, np.inf, (2, 2), np.float64)
        crane.reset(0)
        record = crane.step(np.array([1, 2]))
        # The state is in single precision and says so; the observation is not.
        tenth, more = np.float32(0.1), np.float32(0.1) + np.float32(2)
        assert record["state.cargo"].dtype == np.float32 and record["obs"].dtype == np.float64
        assert record["obs"].tolist() == [[tenth, tenth], [more, tenth]]
        assert record["state.open"].dtype == bool and record["state.empty"].shape == (0,)
        last = crane.race(lanes=5, steps=9, seed=0)
        assert last["action"].shape == (5, 2) and last["after.cargo"].shape == (5, 2, 2)
    with twin.simulator(Check("floats", {"floats": True})) as crane:
        low, high = np.array([[-1, 0], [1, 0.5]], np.float32)
        assert crane.action_space == Box(low, high)
        crane.load({"cargo": np.ones((2, 2)), "open": np.ones(3, bool)})
        assert crane.step(np.float32([0.5, 0.25]))["reward"] == 1.25
        action = crane.race(lanes=50, steps=2, seed=0)["action"]
        assert action.dtype == np.float32 and np.ptp(action, axis=0).min() > 0.3
        assert (action >= low).all() and (action <= high).all()


@needs_cargo
def test_no_unsafe_code_is_compiled(moody, base):
    twin, check = moody()
    workspace = base / "unsafe"
    shutil.copytree(twin.workspace, workspace)
    (workspace / "src/fast_lamp/env.rs").write_text(UNSAFE)
    other = twin_for(twin.spec, workspace, twin.scratch, REASON is None)
    with pytest.raises(EnvwrightError, match="`unsafe` block"):
        other.simulator(check)


# --- the race ----------------------------------------------------------------------------------


@needs_cargo
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_honest_race_ends_with_a_step_of_the_reference(moody, seed):
    twin, check = moody()
    with twin.simulator(check) as lamp, open_simulator("python:lamp:LampEnv") as reference:
        last = lamp.race(lanes=100, steps=333, seed=seed)
        assert len(last["action"]) == 100 and last["final_obs"].dtype == np.float32
        assert len({*last["before.time"].tolist()}) > 5  # it was played, with restarts
        assert wrongly(last, reference, lamp, check) == ""
        again = lamp.race(lanes=100, steps=333, seed=seed)
        assert all(np.array_equal(last[name], again[name]) for name in last)


@needs_cargo
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_game_that_computes_only_while_it_is_watched_is_caught(moody, seed):
    twin, check = moody("lazy")
    assert not [f for f in level_1(twin) if "golden" not in f.test]
    with twin.simulator(check) as lamp, open_simulator("python:lamp:LampEnv") as reference:
        last = lamp.race(lanes=100, steps=333, seed=seed)
        lane = 0 if seed == 2 else 99
        assert wrongly(last, reference, lamp, check).startswith(f"lane {lane} of 100")


@needs_cargo
@pytest.mark.slow
def test_a_lazy_candidate_passes_the_levels_and_is_not_kept(story):
    run, _ = story
    lazy = MOODY.replace('options.text("mood", "")?', '"lazy".to_string()')
    agent = Scripted([turn(env=lazy)])
    work = Optimisation(
        open_run(run.folder), agent, REASON is None, rounds=1, batches=(32, 256), repeats=2
    )
    with unread():
        (change,) = work.go()
    assert not change.kept and "computed something else" in change.why


@needs_cargo
def test_a_profile_times_the_parts_of_a_step_at_several_batches(moody):
    twin, check = moody()
    with twin.simulator(check) as lamp:
        text = lamp.profile(1024)
    header, _, *rows = [line.strip("| ") for line in text.splitlines() if line.startswith("|")]
    names = [name.strip() for name in header.split(" | ")]
    table = [dict(zip(names, map(float, row.split(" | ")), strict=True)) for row in rows]
    assert [row["lanes"] for row in table] == [32, 512, 1024]
    for row in table:
        assert 0 < row["`step`"] < 10_000 and 0 < row["copy"] < 10_000
        assert row["whole"] > 0.5 * row["`step`"]
        assert 10 < row["steps to an end"] <= 40  # it melts, or its time is up


# --- before anything is asked --------------------------------------------------------------------


def test_names_that_rust_does_not_take_are_refused(tmp_path):
    with pytest.raises(EnvwrightError, match=r"cannot be called 'move\.rs' in Rust"):
        rust_lamp(tmp_path / "a", changes={'"heat.py"': '"move.rs"'})
    with pytest.raises(EnvwrightError, match="a crate cannot be called 'test'"):
        rust_lamp(tmp_path / "b", changes={'"fast_lamp"': '"test"'})


def test_missing_cargo_is_told_at_once(tmp_path, monkeypatch):
    spec = rust_lamp(tmp_path / "a")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    from envwright.sandbox.runtime import rust_runtime

    rust_runtime.cache_clear()
    with pytest.raises(EnvwrightError, match="install Rust"):
        require_usable(spec)
    rust_runtime.cache_clear()


# --- level 4, and the templates ------------------------------------------------------------------

PLAN = """
[l4]
margin = 4.0
why = "a test"
seeds = 3
reference_seeds = 3
stages = [1.0]
episodes = 20
horizon = 40

[train]
steps = 4096
num_envs = 8
rollout = 32
network = "16"
"""


@needs_cargo
@pytest.mark.slow
def test_policies_are_trained_in_a_program_in_rust(base):
    spec = rust_lamp(base / "trained", more=PLAN)
    agent = Scripted([turn(heat=HEAT), turn(env=ENV)])
    run = Run(spec.folder / "runs/a", spec, agent, (4,), confined=REASON is None, seed=104_729)
    run.go()
    verdict = run.journal.of("judged")[0]["verdicts"][0]
    assert not any("could not be run" in f["summary"] for f in verdict["failures"]), verdict


@needs_cargo
@pytest.mark.skipif(shutil.which("rustfmt") is None, reason="rustfmt is missing")
def test_the_templates_are_formatted(tmp_path):
    crate = shutil.copytree(TEMPLATE, tmp_path / "crate")
    (crate / "harness/numpy_random.rs").write_text("\n")  # a crate of this workspace
    for edition, file in (("2021", crate / "lib.rs"), ("2024", EXTENSION / "src/lib.rs")):
        command = ["rustfmt", "--check", f"--edition={edition}", "--config-path", str(ROOT)]
        done = subprocess.run([*command, str(file)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


@needs_cargo
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cargo-clippy") is None, reason="clippy is missing")
def test_clippy_has_nothing_to_say_of_the_templates(tmp_path):
    for path, text in template_files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    done = subprocess.run(
        ["cargo", "clippy", "--offline", "--locked", "--all-targets", "--", "-D", "warnings"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
