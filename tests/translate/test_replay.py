"""A recording does the whole loop again, also when it is killed on the way."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.translate.answers import ENV, HEAT, WRONG_END, WRONG_HEAT, turn
from tests.translate.conftest import LAMP, REASON
from tests.translate.replay_child import WHENS, dying
from tests.translate.scripted import Scripted

from envwright.agents.replay import ReplayAgent
from envwright.errors import EnvwrightError
from envwright.schema.recording import load_recording
from envwright.translate.journal import Journal
from envwright.translate.keep import _copy_files, keep_recording
from envwright.translate.run import Run, judgement, loop
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import last_run, open_run
from envwright.translate.verdict import Failure, Verdict

ROOT = Path(__file__).parents[2]
SCRIPT = [turn(heat=WRONG_HEAT), turn(heat=HEAT), turn(env=WRONG_END), turn(env=ENV)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A recording of a run with failures and repairs, and how that run went."""
    base = tmp_path_factory.mktemp("recorded")
    shutil.copytree(LAMP, base / "lamp")
    sys.modules.pop("lamp", None)
    spec = load_spec(base / "lamp")
    run = Run(
        base / "lamp/runs/a",
        spec,
        Scripted(SCRIPT),
        (1, 2),
        confined=REASON is None,
        seed=104_729,
    )
    assert run.go().outcome == "verified"
    keep_recording(open_run(run.folder), base / "recording", {"by": "a script"})
    sys.modules.pop("lamp", None)
    return base / "recording", story(run.folder)


def story(folder):
    """What must be the same in every replay: the final tree, and every verdict."""
    kept = open_run(folder)
    verdicts = [
        [(v["level"], v["passed"], [f["test"] for f in v["failures"]]) for v in e["verdicts"]]
        for e in kept.journal.of("judged")
    ]
    # A judgement that was made twice, before and after a death, is one.
    once = [v for i, v in enumerate(verdicts) if i == 0 or v != verdicts[i - 1]]
    turns = [(e["turn"], e["status"], e["files"]) for e in kept.journal.of("answered")]
    return kept.position.files, kept.position.ended, once, turns


def replayed(folder, death=(), extra=()):
    """Replay in another process, which may die at a line of its journal: when, and which."""
    options = ["--unsafe"] if REASON is not None else []
    module = ["tests.translate.replay_child", *map(str, death)] if death else ["envwright"]
    command = [sys.executable, "-m", *module, "translate", str(folder), "--agent", "replay"]
    return subprocess.run(
        [*command, "--trust", *options, *extra],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1200,
    )


def test_a_recording_holds_no_file_from_outside_of_the_folder(tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    shutil.copytree(LAMP, tmp_path / "lamp")
    (tmp_path / "lamp" / "notes.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "lamp" / "own.md").write_text("own")
    (tmp_path / "lamp" / "also.md").symlink_to("own.md")
    (tmp_path / "recording").mkdir()
    _copy_files(tmp_path / "lamp", tmp_path / "recording")
    names = sorted(path.name for path in (tmp_path / "recording").iterdir())
    assert names == ["also.md", "lamp.py", "own.md", "translation.toml"]


@pytest.mark.slow
def test_a_recording_says_who_made_it_and_holds_every_edit(recorded):
    folder, _ = recorded
    recording = load_recording(folder)
    assert recording.about["by"] == "a script" and recording.about["costs"] == "made up"
    assert [t.purpose for t in recording.turns] == [
        "translate heat",
        "repair level 1",
        "translate env",
        "repair level 1",
    ]
    assert recording.turns[0].files["src/fast_lamp/heat.py"] == WRONG_HEAT


@pytest.mark.slow
def test_it_is_replayed_to_the_same_end_with_every_failure(recorded, tmp_path):
    folder, expected = recorded
    shutil.copytree(folder, tmp_path / "r")
    done = replayed(tmp_path / "r")
    assert done.returncode == 0, done.stderr
    assert story(last_run(load_spec(tmp_path / "r"))) == expected
    assert "level 1: 2 of 3 tests fail" in done.stdout + done.stderr


def killed_and_resumed(folder, deaths):
    """Replay, die at each of some moments, resume; then to the end."""
    extra = ()
    for death in deaths:
        done = replayed(folder, death, extra)
        assert done.returncode == -signal.SIGKILL, done.stdout + done.stderr
        if last_run(load_spec(folder)) is not None:
            extra = ("--resume",)
    done = replayed(folder, extra=extra)
    assert done.returncode == 0, done.stdout + done.stderr
    return story(last_run(load_spec(folder)))


@pytest.fixture(scope="module")
def lines(recorded, tmp_path_factory):
    """How many lines the journal of a whole replay has."""
    folder = shutil.copytree(recorded[0], tmp_path_factory.mktemp("whole") / "r")
    assert replayed(folder).returncode == 0
    return len(open_run(last_run(load_spec(folder))).journal.events)


@pytest.mark.slow
def test_killed_three_times_it_comes_to_the_same_end(recorded, lines, tmp_path):
    folder, expected = recorded
    shutil.copytree(folder, tmp_path / "r")
    deaths = [(when, lines // 4) for when in ("after", "torn", "before")]
    assert killed_and_resumed(tmp_path / "r", deaths) == expected


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20))
def test_killed_at_a_random_moment_it_comes_to_the_same_end(recorded, lines, tmp_path, number):
    folder, expected = recorded
    shutil.copytree(folder, tmp_path / "r")
    rng = random.Random(number)
    death = (WHENS[number % len(WHENS)], rng.randrange(1, lines))
    assert killed_and_resumed(tmp_path / "r", [death]) == expected


class Death(BaseException):
    """The end of a process, without one."""


class HasRead:
    """A judge that knows the right answers, so that a run takes no time."""

    regressions = ()

    def __init__(self, spec, twin, *_):
        self.twin = twin

    def modules(self, count):
        return self.verdict(1, {"heat": HEAT, "env": ENV}, count)

    def level(self, level, **_):
        return self.verdict(level, {}, 0)

    def verdict(self, level, wanted, count):
        verdict = Verdict(level)
        for name, text in list(wanted.items())[:count]:
            right = (self.twin.workspace / f"src/fast_lamp/{name}.py").read_text() == text
            verdict.add(name, None if right else Failure(name, name, "it is wrong"))
        return verdict

    def close(self):
        pass


def killed(run_of, name, when, n):
    """Make a run die, unless it ends before, and resume it."""

    def die():
        raise Death

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Journal, "append", dying(when, n, die))
        with pytest.raises(Death):
            run_of(Scripted(SCRIPT), (1, 2), name=name).go()
    run = run_of(Scripted(SCRIPT), (1, 2), name=name)
    assert run.go().outcome == "verified"
    return story(run.folder)


def test_a_death_at_a_line_of_the_journal_changes_nothing(run_of, lamp, monkeypatch):
    monkeypatch.setattr(judgement, "Judge", HasRead)
    monkeypatch.setattr(loop, "record", lambda *_: [])
    monkeypatch.setattr(loop, "require_usable", lambda _: None)
    whole = run_of(Scripted(SCRIPT), (1, 2), name="whole")
    assert whole.go().outcome == "verified"
    expected, lines = story(whole.folder), len(whole.journal.events)
    assert lines > 8
    for n in range(1, lines + 1, 2):
        assert killed(run_of, f"run-{n}", ("before", "torn", "after")[n % 3], n) == expected


@pytest.mark.slow
def test_another_course_than_the_recorded_one_is_said(recorded, tmp_path):
    folder, _ = recorded
    shutil.copytree(folder, tmp_path / "r")
    path = tmp_path / "r/recording.json"
    data = json.loads(path.read_text())
    data["turns"][0]["files"]["src/fast_lamp/heat.py"] = HEAT
    path.write_text(json.dumps(data))
    done = replayed(tmp_path / "r")
    assert done.returncode == 6, done.stderr
    assert "took another course" in done.stdout + done.stderr


def test_a_recording_cannot_write_outside_of_the_workspace(tmp_path):
    from envwright.agents.base import Task, TaskKind

    with pytest.raises(EnvwrightError, match="is not a file below the workspace"):
        load_recording_of(tmp_path, {"../../evil.py": "x"})
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "link").symlink_to(tmp_path.parent)
    recording = load_recording_of(tmp_path, {"link/evil.py": "x"})
    ReplayAgent(recording).ask(Task(1, TaskKind.TRANSLATE, "t", "p", tmp_path / "w", tmp_path))
    assert (tmp_path / "w" / "link" / "evil.py").read_text() == "x"
    assert not (tmp_path / "w" / "link").is_symlink()
    assert not (tmp_path.parent / "evil.py").exists()


def load_recording_of(folder, files):
    usage = {"prompt": 0, "cached": 0, "output": 0, "calls": 0, "dollars": 0.0}
    one = {"purpose": "t", "status": "ok", "reason": "", "text": "", "seconds": 0.0}
    turns = [{**one, "usage": usage, "files": files}]
    (folder / "recording.json").write_text(json.dumps({"about": {}, "turns": turns}))
    return load_recording(folder)


def test_what_is_no_recording_is_said(tmp_path):
    with pytest.raises(EnvwrightError, match="is not a recording"):
        load_recording(tmp_path)
    (tmp_path / "recording.json").write_text("[]")
    with pytest.raises(EnvwrightError, match="is not a recording"):
        load_recording(tmp_path)
