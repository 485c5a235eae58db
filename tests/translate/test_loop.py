"""The closed loop on the lamp: what is asked, judged, repaired, and how it ends."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import pytest
from tests.leftovers import nest
from tests.translate.answers import (
    BROKEN,
    ENV,
    HEAT,
    WRONG_END,
    WRONG_HEAT,
    WRONG_LIMIT,
    turn,
)
from tests.translate.scripted import Scripted

from envwright.agents.base import Answer
from envwright.errors import EnvwrightError
from envwright.sandbox import described
from envwright.schema.translation import Budget
from envwright.translate.run import EXITS, Reporter
from envwright.translate.run.turns import HINT, read_hint
from envwright.translate.space import require_space

RIGHT = [turn(heat=HEAT), turn(env=ENV)]


def purposes(agent):
    return [task.title for task in agent.asked]


def verdicts(run):
    """Per judgement: (level, green) of each verdict."""
    return [
        [(v["level"], not v["failures"]) for v in event["verdicts"]]
        for event in run.journal.of("judged")
    ]


@pytest.mark.slow
def test_a_good_agent_is_asked_once_for_each_module(run_of):
    agent = Scripted(RIGHT)
    run = run_of(agent)
    assert run.go().outcome == "verified"
    assert purposes(agent) == ["translate heat", "translate env"]
    assert verdicts(run) == [
        [(1, True)],
        [(1, True)],
        [(2, True)],
        [(3, True)],
    ]
    assert run.journal.of("begun")[0]["jail"] == described(run.confined), "what the run ran in"


def test_a_wrong_module_is_repaired_before_the_next_is_asked_for(run_of):
    agent = Scripted([turn(heat=WRONG_HEAT), turn(heat=BROKEN), turn(heat=HEAT), turn(env=ENV)])
    run = run_of(agent, levels=(1,))
    assert run.go().outcome == "verified"
    assert purposes(agent)[:4] == [
        "translate heat",
        "repair level 1",
        "repair level 1",
        "translate env",
    ]
    wrong, broken = agent.asked[1].prompt, agent.asked[2].prompt
    assert "golden_warm" in wrong and "the reference (lamp:LampEnv.warm) gives" in wrong
    assert "SyntaxError" in broken


def test_a_divergence_of_a_later_level_becomes_a_test_of_level_1(run_of):
    """Level 1 is made too weak to see it."""
    agent = Scripted([turn(heat=HEAT), turn(env=WRONG_LIMIT), turn(env=ENV)])
    run = run_of(agent)
    weak = replace(run.spec.effort, visited=1, fuzzed=1, boundary=0, starts=0, examples=1)
    run.spec = replace(run.spec, effort=weak)
    assert run.go().outcome == "verified"
    assert purposes(agent)[2:] == ["repair level 3"]
    assert len(run.position.regressions) == 1
    assert "tests/regressions/001.json" in agent.asked[-1].prompt
    first = [v for e in run.journal.of("judged") for v in e["verdicts"] if v["level"] == 1]
    assert "regression 001" in first[-1]["passed"]
    assert all("regression 001" not in v["passed"] for v in first[:-1])


@pytest.mark.slow
def test_the_last_state_that_agreed_is_in_the_prompt(run_of):
    agent = Scripted([turn(heat=HEAT), turn(env=WRONG_END), turn(env=ENV)])
    assert run_of(agent).go().outcome == "verified"
    prompt = agent.asked[2].prompt
    assert "differ at step" in prompt and "all fields: reference, yours" in prompt


@pytest.mark.slow
def test_after_so_many_attempts_a_person_is_asked_and_her_hint_is_passed_on(run_of, lamp):
    spec = replace(lamp, budget=Budget(per_level=2))
    agent = Scripted([turn(heat=WRONG_HEAT)] + [turn(heat=BROKEN)] * 2 + RIGHT)
    run = run_of(agent, spec=spec)
    finish = run.go()
    assert finish.outcome == "human" and len(agent.asked) == 3
    page = (run.folder / "human.md").read_text()
    assert "SyntaxError" in page and "hint.md" in page
    (run.folder / "hint.md").write_text("the level counts twice")
    again = run_of(agent, spec=spec)
    assert again.go().outcome == "verified"
    assert "the level counts twice" in agent.asked[3].prompt


@pytest.mark.slow
def test_a_person_may_correct_the_code_herself(run_of, lamp):
    spec = replace(lamp, budget=Budget(per_level=1))
    agent = Scripted([turn(heat=WRONG_HEAT), turn(heat=BROKEN), turn(env=ENV)])
    run = run_of(agent, spec=spec)
    assert run.go().outcome == "human"
    (run.workspace.root / "src/fast_lamp/heat.py").write_text(HEAT)
    again = run_of(agent, spec=spec)
    assert again.go().outcome == "verified"
    assert purposes(agent)[-1] == "translate env"
    assert len(again.journal.of("edited")) == 1


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [
        (Budget(iterations=1), "1 of 1 turns"),
        pytest.param(Budget(dollars=0.01), "$0.0100 of $0.01", marks=pytest.mark.slow),
        pytest.param(Budget(tokens=1100), "1,100 of 1,100 tokens", marks=pytest.mark.slow),
        pytest.param(Budget(minutes=0.01), "minutes", marks=pytest.mark.slow),
    ],
)
def test_a_cap_stops_cleanly_and_a_larger_one_goes_on(run_of, lamp, budget, sentence):
    agent = Scripted(RIGHT)
    finish = run_of(agent, levels=(1,), spec=replace(lamp, budget=budget)).go()
    assert finish.outcome == "budget" and sentence in finish.reason
    assert len(agent.asked) == 1
    again = run_of(agent, levels=(1,))
    assert again.go().outcome == "verified"
    assert purposes(agent) == ["translate heat", "translate env"]


def test_an_agent_that_fails_again_and_again_is_given_up(run_of):
    agent = Scripted([Answer("crash", "it fell over")])
    finish = run_of(agent).go()
    assert finish.outcome == "agent" and "it fell over" in finish.reason
    assert purposes(agent) == ["translate heat"] * 3


@pytest.mark.parametrize("what", ["latin-1", "folder", "pipe", "large"])
def test_a_hint_that_is_no_text_is_refused_and_a_better_one_is_read(tmp_path, what):
    hint = tmp_path / HINT
    if what == "folder":
        hint.mkdir()
    elif what == "pipe":
        os.mkfifo(hint)
    else:
        hint.write_bytes("über".encode("latin-1") if what == "latin-1" else b"x" * (2 << 20))
    with pytest.raises(EnvwrightError, match=r"hint\.md (is not UTF-8|cannot be read)"):
        read_hint(tmp_path)
    hint.rename(tmp_path / "old")
    assert read_hint(tmp_path) == ""
    hint.write_text("a better hint\n")
    assert read_hint(tmp_path) == "a better hint"


def test_a_run_that_fills_the_disk_waits_until_somebody_makes_room(run_of, monkeypatch):
    agent = Scripted(RIGHT)
    run = run_of(agent, levels=(1,))
    left = run.folder / "turns" / "001" / "exchanges.jsonl"
    left.parent.mkdir(parents=True)
    left.write_bytes(bytes(2_000_000))
    monkeypatch.setattr("envwright.translate.space.MOST", 4_000_000)
    require_space(run.folder)
    left.write_bytes(bytes(6_000_000))
    finish = run.go()
    assert finish.outcome == "agent" and "turns" in finish.reason and agent.asked == []
    nest(left.parent, 300, "d")  # of a home that was not removed
    left.unlink()
    require_space(run.folder)


@pytest.mark.slow
@pytest.mark.parametrize(("status", "outcome"), [("auth", "agent"), ("budget", "budget")])
def test_an_agent_that_is_refused_is_not_asked_again_until_somebody_resumes(
    run_of, status, outcome
):
    agent = Scripted([Answer(status, "no key"), *RIGHT])
    finish = run_of(agent, levels=(1,)).go()
    assert (finish.outcome, finish.reason) == (outcome, "no key")
    assert len(agent.asked) == 1
    assert run_of(agent, levels=(1,)).go().outcome == "verified"


@pytest.mark.slow
def test_a_guarded_file_that_was_changed_is_put_back_and_reported(run_of):
    meddling = {**turn(heat=WRONG_HEAT), "tests/test_golden.py": "", "conftest.py": "import os"}
    agent = Scripted([meddling, turn(heat=HEAT), turn(env=ENV)])
    run = run_of(agent, levels=(1,))
    assert run.go().outcome == "verified"
    assert run.journal.of("answered")[0]["meddled"] == ["conftest.py", "tests/test_golden.py"]
    assert "you changed conftest.py, tests/test_golden.py" in agent.asked[1].prompt
    assert "golden_agrees" in (run.workspace.root / "tests/test_golden.py").read_text()
    assert not (run.workspace.root / "conftest.py").exists()


@pytest.mark.slow
def test_with_level_3_alone_nothing_is_checked_on_the_way(run_of):
    agent = Scripted([turn(heat=WRONG_HEAT), turn(env=ENV), turn(heat=HEAT)])
    run = run_of(agent, levels=(3,))
    assert run.go().outcome == "verified"
    assert purposes(agent) == ["translate heat", "translate env", "repair level 3"]
    assert verdicts(run) == [[(3, False)], [(3, True)]]
    assert run.position.regressions == ()


@pytest.fixture
def leap(monkeypatch):
    """An hour passes whenever it is called."""
    hours, clock = [0], time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() + 3600 * hours[0])

    def one_hour_later():
        hours[0] += 1

    return one_hour_later


@pytest.mark.slow
def test_a_cap_on_minutes_cuts_off_a_judgement_and_a_larger_one_makes_it_anew(run_of, lamp, leap):
    agent, seen = Scripted(RIGHT), []

    def progress(what, done, total):
        if what == "level 3":
            seen.append(done)
            leap()

    many = replace(lamp.effort, episodes=1000)
    spec = replace(lamp, effort=many, budget=Budget(minutes=30))
    run = run_of(agent, spec=spec)
    run.reporter = Reporter(progress=progress)
    finish = run.go()
    assert finish.outcome == "budget" and EXITS[finish.outcome] == 4
    assert finish.reason.startswith("30 minutes are over")
    assert len(seen) == 1 and seen[0] < 1000, "it stops after the first part"
    at = run.position
    assert verdicts(run)[-1] == [(2, True)], "what was whole is kept, of level 3 is nothing"
    assert at.seconds >= 3600 and not at.judged and at.phase == 3
    # With the same cap there is no time left; with another it goes on where it was.
    events = len(run.journal.events)
    again = run_of(agent, spec=spec)
    assert again.go().outcome == "budget"
    assert [e.kind for e in again.journal.events[events:]] == ["resumed", "ended"]
    last = run_of(agent, spec=replace(lamp, budget=Budget(minutes=90)))
    assert last.go().outcome == "verified"
    assert verdicts(last)[-1] == [(3, True)] and len(agent.asked) == 2


@pytest.mark.slow
def test_level_2_is_cut_off_between_sequences(run_of, lamp, leap):
    seen = []

    def progress(what, done, total):
        if what == "level 2":
            seen.append(done)
            leap()

    run = run_of(Scripted(RIGHT), spec=replace(lamp, budget=Budget(minutes=30)))
    run.reporter = Reporter(progress=progress)
    assert run.go().outcome == "budget"
    assert seen == [1] and verdicts(run) == [[(1, True)], [(1, True)]]
