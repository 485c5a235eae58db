"""A run goes on whatever an agent leaves behind: the turn fails with its reason, no more."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace

import pytest
from tests import leftovers
from tests.leftovers import LEFTOVERS, MANY
from tests.translate.answers import ENV, HEAT, SRC, turn
from tests.translate.conftest import REASON
from tests.translate.scripted import Scripted

from envwright.agents.command import CommandAgent
from envwright.schema.translation import Budget
from envwright.translate import workspace
from envwright.translate.run import Reporter

RIGHT = [turn(heat=HEAT), turn(env=ENV)]
# What is left elsewhere than in the agent's folders, or with what rights.
ELSEWHERE = {
    "locked": """
write()
for folder, folders, files in os.walk(".", topdown=False):
    for name in folders + files:
        os.chmod(os.path.join(folder, name), 0)
os.chmod(".", 0)
""",
    "home": """
write()
nest(pathlib.Path.home(), 300, "d")
os.symlink("/etc", pathlib.Path.home() / "link")
os.chmod(pathlib.Path.home(), 0)
""",
    "root": """
write()
nest(pathlib.Path("."), 300, "d")
not_utf8(pathlib.Path("tests"))
os.rename("tests/test_golden.py", "tests/moved.py")
os.symlink("/dev/zero", "tests/test_golden.py")
""",
}
PROGRAM = """
import pathlib, sys
prompt = sys.stdin.read()
src = pathlib.Path({src!r})

def write():
    name, text = ("heat", {heat!r}) if "module `heat`" in prompt else ("env", {env!r})
    (src / f"{{name}}.py").write_text(text)
"""


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(workspace, "ENTRIES", MANY)


@pytest.fixture
def program(tmp_path):
    """Makes a program that is an agent, of these lines."""

    def make(lines, name):
        with open(leftovers.__file__) as file:
            source = file.read()
        path = tmp_path / f"{name}.py"
        path.write_text(source + PROGRAM.format(src=SRC, heat=HEAT, env=ENV) + lines)
        tmp_path.chmod(0o755)
        command = f"{sys.executable} {shlex.quote(str(path))}"
        return CommandAgent(command, confined=REASON is None)

    return make


def leave_everything(root):
    """All of it at once, in the agent's folder and beside it."""
    for place in (root / SRC, root / "tests", root):
        for leave, _ in LEFTOVERS.values():
            leave(place)
    os.chmod(root, 0)


def test_a_run_that_was_interrupted_amid_leftovers_goes_on(run_of):
    class Interrupted(Scripted):
        def ask(self, task):
            leave_everything(task.workspace)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_of(Interrupted([]), (1,)).go()
    once = replace(run_of(Scripted([])).spec, budget=Budget(iterations=1))
    again = run_of(Scripted(RIGHT), (1,), spec=once)
    assert again.go().outcome == "budget"
    assert again.journal.of("answered")[0]["meddled"] == []
    assert again.journal.of("judged")[0]["verdicts"][0]["failures"] == []


def test_a_turn_that_leaves_what_cannot_be_kept_fails_and_the_next_one_is_clean(run_of, lamp):
    spoken = []
    agent = Scripted([leave_everything, turn(heat=HEAT)])
    run = run_of(agent, (1,), spec=replace(lamp, budget=Budget(iterations=2)))
    run.reporter = Reporter(spoken.append)
    assert run.go().outcome == "budget"
    first, second = run.journal.of("answered")
    assert first["status"] == "crash" and first["files"] == {}
    assert any(reason.rpartition(" in ")[0] in first["reason"] for _, reason in LEFTOVERS.values())
    assert (second["status"], second["meddled"]) == ("ok", [])
    assert all(line.isprintable() for line in spoken)
    assert [task.title for task in agent.asked] == ["translate heat"] * 2


@pytest.mark.slow
@pytest.mark.parametrize(("name", "reason"), [(k, r) for k, (_, r) in LEFTOVERS.items()])
def test_an_agent_that_stops_at_its_leftovers_is_given_up_and_another_resumes(
    run_of, program, name, reason
):
    agent = program(f"write()\nLEFTOVERS[{name!r}][0](src)\n", "leaving")
    run = run_of(agent, (1,))
    finish = run.go()
    assert finish.outcome == "agent" and "failed 3 times in a row" in finish.reason
    assert reason.replace("src/p", SRC) in finish.reason and finish.reason.isprintable()
    assert [e["status"] for e in run.journal.of("answered")] == ["crash"] * 3
    again = run_of(program("write()\n", "honest"), (1,))
    assert again.go().outcome == "verified"


@pytest.mark.slow
@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_left_elsewhere_or_locked_is_put_right(run_of, program, name):
    run = run_of(program(ELSEWHERE[name], name), (1,))
    assert run.go().outcome == "verified"
    answers = run.journal.of("answered")
    assert len(answers) == 2
    # The jail ends what no jail could hold again; its good files are kept.
    status, reason = ("ok", "") if name == "locked" else ("crash", "too much disk")
    assert all(answer["status"] == status and reason in answer["reason"] for answer in answers)
    meddled = ["d/", "tests/moved.py", "tests/test_golden.py"] if name == "root" else []
    assert [path for path in answers[0]["meddled"] if "caf" not in path] == meddled
