"""Files run nothing: commands open what is registered, or ask for trust."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.report import samples

from envwright.cli import main
from envwright.schema.divergence import Divergence
from envwright.train import PPOConfig, RunSpec

MARK = "a-command-ran"
COMMANDS = [
    f"python:envwright.core.files:os.system?command=touch%20{MARK}",
    f"python:os:system?command=touch%20{MARK}",
    f"command:touch {MARK}",
    f"gymnasium:evil_{MARK.replace('-', '_')}:CartPole-v1",
    "python:evil:BRIDGE",
]


@pytest.fixture
def envwright(capsys, tmp_path, monkeypatch):
    """Runs a command in a folder with a module that leaves a mark when it is imported."""
    monkeypatch.chdir(tmp_path)
    for module in ("evil", f"evil_{MARK.replace('-', '_')}"):
        (tmp_path / f"{module}.py").write_text(f"open({MARK!r}, 'w').close()\nBRIDGE = None\n")
        monkeypatch.delitem(__import__("sys").modules, module, raising=False)

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


def attack(name):
    place = "bridge" if name.endswith("BRIDGE") else "twin"
    return samples.divergence(**{place: name})


@pytest.mark.parametrize("name", COMMANDS)
def test_a_divergence_runs_nothing_that_is_not_registered(name, envwright, tmp_path):
    saved = Divergence.from_json(attack(name)).save(tmp_path).path
    code, out, err = envwright("replay", saved)
    assert code == 2 and out == ""
    (sentence,) = err.splitlines()
    assert f"asks to run {name!r}, which is not registered here" in sentence
    assert sentence.endswith("if you trust the file, add --trust")
    assert not (tmp_path / MARK).exists()


def test_trust_replays_a_divergence_of_code_of_ones_own(envwright, tmp_path):
    (tmp_path / "mine.py").write_text(
        f"import gymnasium\nopen({MARK!r}, 'w').close()\n"
        "def env():\n    return gymnasium.make('CartPole-v1')\n"
    )
    saved = Divergence.from_json(attack("python:mine:env")).save(tmp_path).path
    code, out, _ = envwright("replay", saved, "--trust")
    assert code == 0 and "they agree now" in out
    assert (tmp_path / MARK).exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_report_shows_a_divergence_and_runs_nothing(name, envwright, tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    samples.put(results / "port.json", samples.port_verification([attack(name)]))
    code, _, _ = envwright("report", "--results", results)
    assert code == 0
    text = (tmp_path / "report.html").read_text()
    assert "which is not registered here: --trust allows that" in text
    assert "obs[1]" in text
    assert not (tmp_path / MARK).exists()


@pytest.mark.parametrize(
    "name", [*COMMANDS[:-1], "python:evil:Env", "envwright:gameboy?rom=/etc/passwd"]
)
def test_a_training_run_opens_nothing_that_is_not_registered(name, envwright, tmp_path):
    run = tmp_path / "run"
    (run / "policies").mkdir(parents=True)
    RunSpec(name, PPOConfig()).stored.save(run)
    np.savez(run / "policies" / "000000000001.npz", about=np.array(json.dumps({"format": 1})))
    code, _, err = envwright("play", run)
    assert code == 2 and "not registered here; if you trust the file, add --trust" in err
    assert not (tmp_path / MARK).exists()


def test_elo_opens_no_rom_that_a_run_names(envwright, tmp_path):
    run = tmp_path / "run"
    (run / "policies").mkdir(parents=True)
    RunSpec("envwright:tcgpocket?decks=/etc/passwd", PPOConfig()).stored.save(run)
    (run / "policies" / "000000000001.npz").write_bytes(b"")
    code, _, err = envwright("elo", "tcgpocket", run)
    assert code == 2 and "not registered here" in err
