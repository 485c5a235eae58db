"""A run that begins with verified code asks only for what is named, and judges everything."""

from __future__ import annotations

import shutil

import pytest
from tests.translate.answers import ENV, HEAT, WRONG_HEAT, turn
from tests.translate.scripted import Scripted

from envwright.errors import EnvwrightError
from envwright.report.recipe.history import read_history
from envwright.translate.journal import Event
from envwright.translate.keep import keep_recording
from envwright.translate.plan import JudgeModules, Translate, fold, next_move
from envwright.translate.run import Base
from envwright.translate.run.base import base_of
from envwright.translate.stored_runs import open_run

RIGHT = {path: text.encode() for path, text in turn(heat=HEAT, env=ENV).items()}
WRONG = {path: text.encode() for path, text in turn(heat=WRONG_HEAT, env=ENV).items()}


def begun(*carried):
    files = {"src/fast_lamp/heat.py": "a", "src/fast_lamp/env.py": "b"}
    return Event("begun", 0.0, {"base": "r", "files": files, "carried": list(carried)})


def passed(*levels):
    verdict = {"passed": ["p"], "failures": [], "notes": []}
    verdicts = [{"level": level, **verdict} for level in levels]
    return Event(
        "judged", 0.0, {"verdicts": verdicts, "regressions": [], "whole": True, "seconds": 1.0}
    )


@pytest.mark.parametrize(
    ("carried", "move"),
    [
        (("heat", "env"), JudgeModules(2)),
        (("heat",), JudgeModules(1)),
        (("env",), Translate(0)),
        ((), Translate(0)),
    ],
)
def test_carried_modules_are_judged_together_and_not_asked_for(lamp, carried, move):
    at = fold([begun(*carried)], lamp, (1, 2, 3))
    assert next_move(at, lamp, (1, 2, 3)) == move
    assert at.files.keys() == {"src/fast_lamp/heat.py", "src/fast_lamp/env.py"}


def test_after_a_carried_module_the_next_is_asked_for(lamp):
    at = fold([begun("heat"), passed(1)], lamp, (1, 2, 3))
    assert next_move(at, lamp, (1, 2, 3)) == Translate(1)


def test_a_run_of_carried_code_is_verified_without_an_agent(run_of):
    agent = Scripted([])
    run = run_of(agent, levels=(1,))
    run.base = Base("earlier", RIGHT, ("heat", "env"))
    assert run.go().outcome == "verified"
    assert agent.asked == [] and run.position.turns == 0
    (judged,) = run.journal.of("judged")
    assert judged["whole"] and any("golden pairs" in t for t in judged["verdicts"][0]["passed"])
    assert (run.workspace.root / "golden/heat-golden_warm.npz").is_file(), "for the package"
    history = read_history(run.journal.events)
    assert [edit.label for edit in history.edits] == ["the code of run earlier"]
    with pytest.raises(EnvwrightError, match="began with the code of run earlier"):
        keep_recording(open_run(run.folder), run.folder.parent / "kept", {})


@pytest.mark.slow
def test_carried_code_that_no_longer_fits_is_repaired(run_of):
    agent = Scripted([turn(heat=HEAT)])
    run = run_of(agent, levels=(1,))
    run.base = Base("earlier", WRONG, ("heat", "env"))
    assert run.go().outcome == "verified"
    assert [task.title for task in agent.asked] == ["repair level 1"]


@pytest.mark.slow
def test_only_the_named_module_is_translated_again(run_of):
    first = run_of(Scripted([turn(heat=HEAT), turn(env=ENV)]), levels=(1,), name="a")
    assert first.go().outcome == "verified"
    agent = Scripted([turn(heat=HEAT)])
    second = run_of(agent, levels=(1,), name="b")
    second.base = base_of(open_run(first.folder), second.spec, ["heat"])
    assert second.go().outcome == "verified"
    assert [task.title for task in agent.asked] == ["translate heat"]
    assert second.position.files == first.position.files


@pytest.mark.slow
def test_a_killed_run_of_carried_code_resumes(run_of):
    class Killed(BaseException):
        pass

    run = run_of(Scripted([]), levels=(1,))
    run.base = Base("earlier", RIGHT, ("heat", "env"))
    run.reporter = type(run.reporter)(say=lambda text: (_ for _ in ()).throw(Killed))
    with pytest.raises(Killed):
        run.go()
    shutil.rmtree(run.workspace.root)
    again = run_of(Scripted([]), levels=(1,))
    assert again.go().outcome == "verified" and again.position.turns == 0


def test_a_run_that_is_not_verified_is_no_base(run_of):
    run = run_of(Scripted([turn(heat="")]), levels=(1,))
    run.spec = run.spec
    run.journal.append("begun", levels=[1], agent={"kind": "scripted"}, seed=1, spec="0")
    with pytest.raises(EnvwrightError, match="--base takes a verified one"):
        base_of(open_run(run.folder), run.spec)


def test_an_unknown_module_is_rejected(run_of):
    run = run_of(Scripted([turn(heat=HEAT), turn(env=ENV)]), levels=(1,))
    assert run.go().outcome == "verified"
    with pytest.raises(EnvwrightError, match="there is no module 'wheel'; use heat, env"):
        base_of(open_run(run.folder), run.spec, ["wheel"])
