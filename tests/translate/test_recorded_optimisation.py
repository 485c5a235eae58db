"""Rounds of optimisation are kept beside a recording and done again, judged and raced anew."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
import typer
from tests.translate.answers import ENV, HEAT, WRONG_END, turn
from tests.translate.conftest import LAMP, REASON
from tests.translate.scripted import Scripted

from envwright.agents.replay import ReplayAgent
from envwright.cli.optimise import optimise
from envwright.cli.translate import record
from envwright.errors import EnvwrightError
from envwright.schema.recording import RecordedOptimisation, load_recording
from envwright.translate.keep import keep_optimisation, keep_recording
from envwright.translate.optimise import Optimisation
from envwright.translate.optimise.trial import Trial
from envwright.translate.run import Run
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import open_run

OPTIMISATION = RecordedOptimisation.file
BETTER = ENV + "\n# better\n"
BEST = BETTER + "\n# best\n"
TABLE = {"src/fast_lamp/table.py": "HEAT = 0.0625\n"}


@pytest.fixture(scope="module")
def verified(tmp_path_factory):
    """A folder with a verified run of the lamp."""
    folder = tmp_path_factory.mktemp("verified") / "lamp"
    shutil.copytree(LAMP, folder)
    sys.modules.pop("lamp", None)
    agent, confined = Scripted([turn(heat=HEAT), turn(env=ENV)]), REASON is None
    run = Run(folder / "runs/a", load_spec(folder), agent, (1,), confined, seed=104_729)
    assert run.go().outcome == "verified"
    yield folder
    sys.modules.pop("lamp", None)


@pytest.fixture
def run(verified, tmp_path, monkeypatch):
    """That run, whose rounds are judged by what the code says of itself."""
    shutil.copytree(verified, tmp_path / "lamp")
    monkeypatch.setattr(Optimisation, "_prompt", lambda self, old: "faster, please")
    judge_by(monkeypatch, "# better")
    return open_run(tmp_path / "lamp/runs/a")


def judge_by(monkeypatch, word):
    """Kept is what has this word in it."""

    def tried(self, old, workspace, changed):
        kept = word in (workspace.root / "src/fast_lamp/env.py").read_text()
        return Trial(kept, "faster" if kept else "it is not faster beyond the noise")

    monkeypatch.setattr(Optimisation, "_tried", tried)


def optimised(run, agent, **more):
    work = Optimisation(run, agent, confined=REASON is None, **more)
    work.go()
    return work


SCRIPT = [turn(env=WRONG_END) | TABLE, turn(env=BETTER) | TABLE, turn(env=BEST)]


@pytest.fixture
def kept(run, tmp_path):
    """A recording with three rounds, the last two of which were kept."""
    work = optimised(run, Scripted(SCRIPT), rounds=3)
    assert [change.kept for change in work.history] == [False, True, True]
    made = keep_recording(run, tmp_path / "kept", {"by": "a script"})
    assert [path.name for path in made] == ["recording.json", OPTIMISATION]
    return tmp_path / "kept"


def test_every_candidate_is_kept_whole_with_what_became_of_it(kept):
    recording = load_recording(kept, RecordedOptimisation)
    assert recording.about["by"] == "a script" and recording.about["machine"]
    assert recording.about["costs"] == "made up" and recording.about["gain"] == 1.0
    first, second, third = recording.turns
    assert [turn.kept for turn in recording.turns] == [False, True, True]
    assert first.files["src/fast_lamp/env.py"] == WRONG_END
    assert all("src/fast_lamp/heat.py" in turn.files for turn in recording.turns)
    assert second.files["src/fast_lamp/table.py"] == third.files["src/fast_lamp/table.py"]


def test_a_candidate_is_the_same_again_whatever_was_kept_before(run, kept, monkeypatch):
    """Here only the last is faster, and it brings along what the second had brought then."""
    shutil.rmtree(run.folder / "optimise")
    judge_by(monkeypatch, "# best")
    recording = load_recording(kept, RecordedOptimisation)
    work = optimised(run, ReplayAgent(recording), rounds=3, tired=3)
    assert [change.kept for change in work.history] == [False, False, True]
    code = work.folder / "workspace/src/fast_lamp"
    assert (code / "env.py").read_text() == BEST and (code / "table.py").exists()


def test_a_file_that_was_gone_is_gone_again(run, kept, monkeypatch):
    data = json.loads((kept / OPTIMISATION).read_text())
    data["turns"][2]["files"]["src/fast_lamp/table.py"] = None
    (kept / OPTIMISATION).write_text(json.dumps(data))
    shutil.rmtree(run.folder / "optimise")
    agent = ReplayAgent(load_recording(kept, RecordedOptimisation))
    work = optimised(run, agent, rounds=3, tired=3)
    assert not (work.folder / "workspace/src/fast_lamp/table.py").exists()


def test_the_command_replays_all_rounds_and_says_what_came_out_otherwise(
    run, kept, monkeypatch, capsys
):
    shutil.rmtree(run.folder / "optimise")
    shutil.copyfile(kept / OPTIMISATION, run.spec.folder / OPTIMISATION)
    judge_by(monkeypatch, "# never")
    with pytest.raises(typer.Exit) as ended:
        optimise(run.spec.folder, "replay", trust=True, unsafe=REASON is not None)
    assert ended.value.exit_code == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "What is kept is decided by the race on this machine" in said
    assert "round 2, 3 came out differently than recorded" in said
    with pytest.raises(typer.Exit):  # nothing is left to do
        optimise(run.spec.folder, "replay", trust=True, unsafe=REASON is not None)


def test_rounds_are_not_replayed_on_top_of_others(run, kept):
    shutil.copyfile(kept / OPTIMISATION, run.spec.folder / OPTIMISATION)
    with pytest.raises(EnvwrightError, match="run a was optimised already; make another with"):
        optimise(run.spec.folder, "replay", trust=True, unsafe=REASON is not None)


def test_rounds_are_added_to_a_recording_that_is_there(run, kept, capsys):
    (kept / OPTIMISATION).unlink()
    record(str(run.folder), kept, ["by=hand"], optimisation=True)
    assert load_recording(kept, RecordedOptimisation).about["by"] == "hand"
    with pytest.raises(EnvwrightError, match="already contains a recording"):
        keep_optimisation(run, kept, {})


def test_rounds_after_other_code_than_the_recorded_are_refused(run, kept):
    (kept / OPTIMISATION).unlink()
    data = json.loads((kept / "recording.json").read_text())
    data["turns"][1]["files"]["src/fast_lamp/env.py"] += "# another\n"
    (kept / "recording.json").write_text(json.dumps(data))
    with pytest.raises(EnvwrightError, match="ends with different code than run a"):
        keep_optimisation(run, kept, {})


def test_a_run_without_rounds_has_none_to_keep_or_replay(run, tmp_path):
    assert [p.name for p in keep_recording(run, tmp_path / "bare", {})] == ["recording.json"]
    with pytest.raises(EnvwrightError, match="was not optimised"):
        keep_optimisation(run, tmp_path / "bare", {})
    with pytest.raises(EnvwrightError, match=f"it has no {OPTIMISATION}"):
        optimise(run.spec.folder, "replay", trust=True, unsafe=REASON is not None)
