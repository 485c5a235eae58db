"""Files run nothing: commands open what is registered, or ask for trust."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.report import samples

from envwright.cli import main
from envwright.core.package import FOLDER
from envwright.sandbox import why_not
from envwright.schema.divergence import Divergence
from envwright.train import PPOConfig, RunSpec
from envwright.translate.spec import load_spec

MARK = "a-command-ran"
UNSAFE = ["--unsafe"] if why_not() else []  # nothing runs here
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


def test_a_plug_in_in_the_folder_of_the_file_is_not_run(tmp_path):
    """JAX imports `jax_plugins.*`, and what a distribution on its path has registered."""
    planted = tmp_path / "jax_plugins" / "planted"
    planted.mkdir(parents=True)
    about = tmp_path / "planted-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[jax_plugins]\nplanted = planted\n")
    for module in (planted / "__init__.py", tmp_path / "planted.py"):
        module.write_text(f"open({MARK!r}, 'w').close()\n")
    data = samples.divergence(twin=samples.OURS)
    saved = Divergence.from_json(data).save(tmp_path).path
    command = [sys.executable, "-P", "-c", "from envwright.cli import main; main()"]
    path = {"PYTHONPATH": str(FOLDER.parent)}  # absolute: `-P` alone keeps this folder off the path
    done = subprocess.run(
        [*command, "replay", saved], cwd=tmp_path, env=os.environ | path, capture_output=True
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    assert not (tmp_path / MARK).exists()


# --- recordings -------------------------------------------------------------------------------


@pytest.fixture
def recording(tmp_path):
    """A recording of CartPole that names only what is registered."""
    source = Path(__file__).parents[2] / "recordings" / "cartpole"
    return Path(shutil.copytree(source, tmp_path / "recording"))


def changed(folder, old, new):
    file = folder / "translation.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


OWN = {
    "simulator": ('simulator = "gymnasium:CartPole-v1"', 'simulator = "python:evil:Env"'),
    "command": ('simulator = "gymnasium:CartPole-v1"', f'simulator = "command:touch {MARK}"'),
    "source": ('source = "gymnasium.envs.classic_control.cartpole:CartPoleEnv"', 'source = "evil"'),
    "target": (
        'target = "gymnasium.envs.classic_control.cartpole:CartPoleEnv.step"',
        'target = "evil:Env.step"',
    ),
    "span": ('source = ["CartPoleEnv"]', 'source = ["evil:1Env"]'),
    "policy": ("[l3]", '[l3]\npolicies = ["python:evil:policy"]'),
    "trained policy": ("[l3]", '[l3]\npolicies = ["trained:/etc/passwd"]'),
    "bridge": (
        'bridge = { state = ["x", "x_dot", "theta", "theta_dot"], time = "time" }',
        'bridge = "python:evil:BRIDGE"',
    ),
    "file": ('source = ["CartPoleEnv"]', 'source = ["../secret.md:1-2"]'),
    "absolute file": ('source = ["CartPoleEnv"]', 'source = ["/etc/host.conf:1-1"]'),
}


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("verb", ["translate", "ablate"])
def test_a_recording_brings_no_code_of_its_own(verb, name, envwright, recording):
    changed(recording, *OWN[name])
    (recording / "evil.py").write_text(f"open({MARK!r}, 'w').close()\n")
    before = sorted(recording.rglob("*"))
    code, _, err = envwright(verb, recording, "--agent", "replay", *UNSAFE)
    assert code == 2 and len(err.splitlines()) == 1
    assert "translation.toml asks to " in err and err.endswith(
        "if you trust the file, add --trust\n"
    )
    assert sorted(recording.rglob("*")) == before and not Path(MARK).exists()


def test_a_recording_of_what_is_registered_needs_no_trust(recording):
    spec = load_spec(recording)
    assert not spec.own_code and not spec.files_elsewhere
    spec.make_reachable()
    assert str(recording) not in sys.path


def test_trust_is_for_recordings(envwright, recording):
    code, _, err = envwright("translate", recording, "--trust", *UNSAFE)
    assert code == 2 and "--trust is for --agent replay" in err


def test_a_divergence_with_options_that_cannot_be_read_does_not_stop_a_report(envwright, tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    hostile = [samples.divergence(twin=f"{samples.PORT}?{query}") for query in ("a", "a=1&a=2")]
    samples.put(results / "port.json", samples.port_verification(hostile))
    code, _, _ = envwright("report", "--results", results)
    assert code == 0
    assert "which is not registered here" in (tmp_path / "report.html").read_text()


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
