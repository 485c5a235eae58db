"""`envwright translate`, `runs`, `record`, `ablate`, `optimise` from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.translate.answers import ENV, HEAT, WRONG_HEAT
from tests.translate.conftest import REASON

from envwright.cli import main
from envwright.core.files import alone
from envwright.sandbox import described
from envwright.translate.spec import load_spec

UNSAFE = ["--unsafe"] if REASON is not None else []

# A program that answers prompts: wrongly at first, rightly when it is asked to repair.
PROGRAM = f"""
import pathlib, sys

prompt = sys.stdin.read()
src = pathlib.Path("src/fast_lamp")
if "# Translate module `heat`" in prompt:
    (src / "heat.py").write_text({WRONG_HEAT!r})
elif "# Repair" in prompt:
    (src / "heat.py").write_text({HEAT!r})
elif "# Translate module `env`" in prompt:
    (src / "env.py").write_text({ENV!r})
elif "# Make lamp faster" in prompt:
    (src / "env.py").write_text({ENV!r} + "# no change\\n")
print("done")
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "agent.py"
    path.write_text(PROGRAM)
    tmp_path.chmod(0o755)
    return f"{sys.executable} {path}"


def envwright(*words, cwd):
    done = subprocess.run(
        [sys.executable, "-m", "envwright", *words], cwd=cwd, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def test_a_folder_that_python_cannot_import_from_is_refused(tmp_path):
    given = ("translate", "gymnasium:CartPole-v1", "-o", "a:b")
    code, said = envwright(*given, cwd=tmp_path)
    assert code == 2 and "name another folder with -o" in " ".join(said.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_program_translates_and_its_run_is_listed_recorded_and_replayed(lamp, program):
    cwd = lamp.folder.parent
    command = ["--agent", "command", "--command", program, *UNSAFE]
    code, said = envwright("translate", "lamp", *command, "--budget", "2", "--levels", "1", cwd=cwd)
    assert code == 0, said
    assert "level 1: 2 of 3 tests fail" in said and "verified" in said
    assert f"jail: {described(REASON is None)}" in said
    code, listed = envwright("runs", cwd=cwd)
    assert code == 0 and "lamp" in listed and "command" in listed and "verified" in listed
    (run,) = (lamp.folder / "runs").iterdir()
    code, said = envwright("record", run.name, "kept", "--about", "by=a test", cwd=cwd)
    assert code == 0, said
    about = json.loads((cwd / "kept/recording.json").read_text())["about"]
    assert about["by"] == "a test" and about["made by"] == "command"
    code, said = envwright("record", run.name, "kept", cwd=cwd)
    assert code == 2 and "already contains a recording" in said
    code, said = envwright("translate", "lamp", *command, "--resume", cwd=cwd)
    assert code == 0 and "it was already finished" in said


@pytest.mark.slow
def test_a_cap_exits_4_and_a_failing_agent_6(lamp, program):
    cwd = lamp.folder.parent
    command = ["--agent", "command", "--command", program, *UNSAFE]
    code, said = envwright("translate", "lamp", *command, "--iterations", "1", cwd=cwd)
    assert code == 4 and "1 of 1 turns are taken" in said and "--resume" in said
    words = ["--agent", "command", "--command", f"{sys.executable} -c 'raise SystemExit(9)'"]
    code, said = envwright("translate", "lamp", *words, *UNSAFE, cwd=cwd)
    assert code == 6 and "ended with code 9" in said


MISTAKES = {
    "nobody behind the compiler": (
        ["lamp", "--agent", "compiler,nobody"],
        "unknown agent 'nobody'",
    ),
    "no folder": (["nowhere", "--agent", "mailbox"], "there is no folder nowhere"),
    "no run": (["lamp", "--agent", "mailbox", "--resume"], "has no run to resume"),
    "no recording": (["lamp", "--agent", "replay"], "is not a recording"),
    "bad cap": (["lamp", "--agent", "mailbox", "--budget", "-1"], "must be above 0"),
    "idle option": (["lamp", "--agent", "mailbox", "--model", "m"], "--model requires"),
    "no key": (["lamp", "--agent", "gemini"], "gemini"),
}


@pytest.mark.parametrize(("words", "sentence"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_sentence(lamp, words, sentence, monkeypatch, capsys):
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.chdir(lamp.folder.parent)
    with pytest.raises(SystemExit) as stop:
        main(["translate", *words, *UNSAFE])
    said = capsys.readouterr().err
    assert stop.value.code == 2 and sentence in said and "Traceback" not in said
    assert len([line for line in said.splitlines() if line.startswith("envwright:")]) == 1


def test_a_folder_of_another_simulator_is_refused(lamp, monkeypatch, capsys):
    monkeypatch.chdir(lamp.folder.parent)
    with pytest.raises(SystemExit) as stop:
        main(["translate", "python:lamp:LampEnv?bright=true", "-o", "lamp", *UNSAFE])
    said = " ".join(capsys.readouterr().err.split())
    assert stop.value.code == 2 and "Traceback" not in said
    assert "translates python:lamp:LampEnv, not python:lamp:LampEnv?bright=true" in said
    assert "name another folder with -o" in said
    assert not (lamp.folder / "runs").exists()


def test_a_long_simulator_name_is_no_path(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["translate", f"gymnasium:Nothing-v0?text={'x' * 5000}"])
    said = capsys.readouterr().err
    assert stop.value.code == 2 and "Traceback" not in said and list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_each_map_of_a_lake_is_translated_by_itself(tmp_path):
    large, usual = "gymnasium:FrozenLake-v1?map_name=8x8", "gymnasium:FrozenLake-v1"
    for name, folder in ((large, "frozenlake-v1-map_name=8x8"), (usual, "frozenlake-v1")):
        code, said = envwright("translate", name, "--levels", "1", *UNSAFE, cwd=tmp_path)
        assert code == 0 and "verified" in said, said
        assert load_spec(tmp_path / folder).reference.simulator == name
    (large_code, usual_code) = (
        next(path.glob("runs/*/workspace/src")) for path in sorted(tmp_path.iterdir(), reverse=True)
    )
    assert code_of(large_code) != code_of(usual_code)
    again = 'gymnasium:FrozenLake-v1?map_name="8x8"'
    code, said = envwright("translate", again, "--resume", *UNSAFE, cwd=tmp_path)
    assert code == 0 and "it was already finished" in said


def code_of(folder):
    return {path.name: path.read_text() for path in folder.rglob("*.py")}


def test_two_processes_do_not_work_on_one_ablation(lamp, monkeypatch, capsys):
    folder = lamp.folder / "ablation"
    monkeypatch.setattr("envwright.cli.optimise.say_jail", lambda confined: None)
    with alone(folder), pytest.raises(SystemExit) as ended:
        main(["ablate", str(lamp.folder), "--agent", "mailbox", "--unsafe"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said == f"envwright: another process uses {folder}; wait for it, or stop it first\n"
    assert os.listdir(folder) == [".lock"]


@pytest.mark.slow
def test_an_ablation_runs_both_arms_and_does_not_repeat_what_is_done(lamp, program):
    cwd = lamp.folder.parent
    words = ["lamp", "--agent", "command", "--command", program, "--runs", "3", *UNSAFE]
    code, said = envwright("ablate", *words, "--json", "a.json", cwd=cwd)
    assert code == 0, said
    result = json.loads((cwd / "a.json").read_text())
    full, alone = result["arms"]
    assert (full["verified"], alone["verified"]) == (3, 3)
    assert full["turns"] == [3, 3, 3] and alone["turns"] == [3, 3, 3]
    assert {t["repairs"] for t in result["trials"]} == {1}
    assert {t["missed"] for t in result["trials"]} == {0}
    code, again = envwright("ablate", *words, "--json", "b.json", cwd=cwd)
    assert code == 0 and "turn 1" not in again
    assert json.loads((cwd / "b.json").read_text())["trials"] == result["trials"]


@pytest.mark.slow
def test_an_optimisation_says_what_every_change_brought(lamp, program):
    cwd = lamp.folder.parent
    command = ["--agent", "command", "--command", program, *UNSAFE]
    assert envwright("translate", "lamp", *command, cwd=cwd)[0] == 0
    words = ["--rounds", "1", "--batches", "64", "--repeats", "3", "--json", "o.json"]
    code, said = envwright("optimise", "lamp", *command, *words, cwd=cwd)
    assert code == 0, said
    result = json.loads((cwd / "o.json").read_text())
    assert result["kind"] == "optimisation" and result["gain"] == 1.0
    assert result["rounds"][0]["why"] == "it is not faster beyond the noise"
