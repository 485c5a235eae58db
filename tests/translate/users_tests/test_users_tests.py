"""The user's own tests decide at level 1, as far as they pass on the reference."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from tests.translate.answers import ENV, HEAT, changed, turn
from tests.translate.scripted import Scripted

from envwright.cli.app import main
from envwright.errors import EnvwrightError
from envwright.schema.translation import Budget
from envwright.translate import judge
from envwright.translate.users_tests import Outcome, check_tests, fingerprint, require_tests

TESTS = '''"""Written for the lamp, long before it was translated."""

import numpy as np
import pytest


@pytest.fixture
def begun(env):
    obs, info = env.reset(seed=5)
    return env, obs


def test_it_brightens(begun):
    env, obs = begun
    for _ in range(3):
        seen, reward, terminated, truncated, info = env.step(2)
    assert reward == seen[0] == obs[0] + 3 and not (terminated or truncated)


def test_two_of_one_seed_agree(make_env):
    one, other = make_env(), make_env()
    assert np.array_equal(one.reset(seed=3)[0], other.reset(seed=3)[0])
    assert np.array_equal(one.step(1)[0], other.step(1)[0])


def test_it_shows_its_heat(begun):
    env, _ = begun
    env.step(2)
    assert env.unwrapped.heat > 0 and isinstance(env.unwrapped.level, int)


def test_the_bright_reward_is_high(begun):
    env, obs = begun
    rewards = [env.step(2)[1] for _ in range(4)]
    assert rewards[-1] == obs[0] + 4


def test_that_no_lamp_passes(begun):
    assert False, "nor the reference"
'''
# The reward is one too high, and only where no level looks: level 1 samples too few states here.
DIM = changed(
    ENV, "jnp.where(melted, -10.0, level)", "jnp.where(melted, -10.0, level + (level > 3))"
)


@pytest.fixture
def tests(tmp_path):
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_lamp.py").write_text(TESTS)
    return folder


@pytest.mark.slow
def test_a_failure_goes_into_the_repair_prompt(lamp, run_of, tests):
    effort = replace(lamp.effort, visited=0, fuzzed=0, boundary=0, starts=0)
    spec = replace(lamp, tests=tests, effort=effort)
    agent = Scripted([turn(heat=HEAT), turn(env=DIM), turn(env=ENV)])
    run = run_of(agent, (1,), spec)
    assert run.go().outcome == "verified"
    assert len(agent.asked) == 3, "a repair was asked for"
    prompt = agent.asked[-1].prompt
    assert "your test test_lamp.py::test_the_bright_reward_is_high" in prompt
    assert "passes on the reference, not on yours: " in prompt and "assert" in prompt
    last = run.journal.of("judged")[-1]["verdicts"][0]
    assert {f"your test test_lamp.py::{name}" for name in WANTED} <= set(last["passed"])
    (note,) = [note for note in last["notes"] if "does not count" in note]
    assert "test_that_no_lamp_passes does not count: on the reference it fails" in note


WANTED = (
    *("test_it_brightens", "test_two_of_one_seed_agree", "test_it_shows_its_heat"),
    "test_the_bright_reward_is_high",
)


def test_the_specification_of_a_run_includes_the_tests(lamp, run_of, tests):
    def specification(spec):
        return run_of(Scripted([]), spec=spec)._specification()

    with_tests = specification(replace(lamp, tests=tests))
    assert with_tests != specification(lamp)
    before = fingerprint(tests)
    (tests / "test_lamp.py").write_text(TESTS + "\n")
    assert fingerprint(tests) != before
    assert specification(replace(lamp, tests=tests)) != with_tests


def test_a_place_without_tests_is_rejected_before_any_work(tmp_path, monkeypatch, capsys):
    (tmp_path / "helpers.py").write_text("")
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(EnvwrightError, match="there are no tests in"):
            check_tests(place)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["translate", "gymnasium:CartPole-v1", "--tests", "."])
    assert left.value.code == 2 and "there are no tests in ." in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["helpers.py"]


@pytest.mark.slow
def test_code_with_which_the_tests_cannot_be_run_fails_and_ends_no_run(
    lamp, run_of, tests, monkeypatch
):
    """Such as code that makes them wait for longer than half an hour."""

    def hangs(spec, side, *places):
        if side == "translation":
            raise EnvwrightError(f"the tests took longer than 1800 s on the {side}")
        return {"test_lamp.py::test_it": Outcome("passed")}

    monkeypatch.setattr(judge, "outcomes", hangs)
    effort = replace(lamp.effort, visited=0, fuzzed=0, boundary=0, starts=0)
    spec = replace(lamp, tests=tests, effort=effort, budget=Budget(iterations=2))
    run = run_of(Scripted([turn(heat=HEAT), turn(env=ENV)]), (1,), spec)
    assert run.go().outcome == "budget"
    (failure,) = run.journal.of("judged")[-1]["verdicts"][0]["failures"]
    assert failure["test"] == "your tests" and "longer than 1800 s" in failure["summary"]


def test_what_is_no_file_beside_the_tests_is_passed_over(tests):
    """Editors leave links to nowhere, and names may be any bytes."""
    before = fingerprint(tests)
    (tests / ".#test_lamp.py").symlink_to("someone@host.1234")
    (tests / "test_folder.py").mkdir()
    os.mkfifo(tests / "test_pipe.py")
    check_tests(tests)
    assert fingerprint(tests) == before
    with open(os.fsencode(tests) + b"/test_\xff.py", "wb") as file:
        file.write(b"")
    assert fingerprint(tests) != before


def test_a_test_file_that_is_too_large_is_one_sentence(tests):
    with open(tests / "data.py", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(EnvwrightError, match=r"the test file .*data\.py cannot be read: larger"):
        fingerprint(tests)


@pytest.mark.parametrize("name", ["notes.md", "test_nothing.py"])
def test_tests_that_decide_nothing_are_rejected_before_the_agent_is_paid(
    lamp, run_of, tmp_path, name
):
    place = tmp_path / name
    place.write_text("helper = 1\n")
    check_tests(place)
    agent = Scripted([turn(heat=HEAT)])
    with pytest.raises(EnvwrightError, match=r"pytest finds no tests in .*; name a file of pytest"):
        run_of(agent, (1,), replace(lamp, tests=place)).go()
    assert agent.asked == []


def test_options_of_the_shell_select_no_tests(lamp, tests, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only -k nothing")
    told = require_tests(replace(lamp, tests=tests))
    assert told == "4 of your 5 tests pass on the reference, and count"
