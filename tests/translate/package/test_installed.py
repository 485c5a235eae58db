"""From `envwright translate` to an installed environment, through every command."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.translate.installing import environment, own_wheel, run, use, wheel_of

from envwright.cli.next_steps import steps

ROOT = Path(__file__).parents[3]
ID = "fast_cartpole/CartPole-v1"
COMMANDS = {
    "verify": ["--levels", "1,3", "--episodes", "10"],
    "bench": ["--batch", "64", "--repeats", "2", "--seconds", "0.1"],
    "train": ["--steps", "4096", "--set", "num_envs=16"],
    "coverage": [],
    "mutate": ["--most", "2", "--executor", "serial"],
    "play": ["-o", "play.webp", "--steps", "20"],
    "report": [],
}


def envwright(*words, folder):
    command = [sys.executable, "-P", "-m", "envwright", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def translated(tmp_path_factory):
    """A folder in which CartPole was translated."""
    folder = tmp_path_factory.mktemp("translated")
    code, said = envwright("translate", "gymnasium:CartPole-v1", folder=folder)
    assert code == 0, said
    for command in steps(folder / "cartpole-v1", "fast_cartpole", ID).values():
        assert f"  {command.replace(str(folder), '.')}\n" in said
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("verb", COMMANDS)
def test_every_command_takes_the_folder(translated, verb):
    code, said = envwright(verb, "./cartpole-v1", *COMMANDS[verb], folder=translated)
    allowed = (0, 1) if verb in ("mutate", "coverage") else (0,)  # 1: a mutant lives
    assert code in allowed and "Traceback" not in said, said


@pytest.mark.slow
def test_it_is_installed_in_an_empty_environment_and_used(translated, shared, tmp_path):
    package = translated / "cartpole-v1"
    wheels = own_wheel(shared), wheel_of(package, tmp_path / "wheel")
    python = environment(tmp_path / "empty", *wheels)
    use(python, "fast_cartpole", ID, package / "tests")
    said = run([python.parent / "envwright", "list"], tmp_path)
    assert "fast_cartpole" in said, said


@pytest.mark.slow
def test_a_replayed_recording_is_installed_in_an_empty_environment_and_used(shared, tmp_path):
    recording = tmp_path / "cartpole"
    shutil.copytree(ROOT / "recordings/cartpole", recording)
    code, said = envwright("translate", "cartpole", "--agent", "replay", folder=tmp_path)
    assert code == 0, said
    package = recording / "package"
    wheels = own_wheel(shared), wheel_of(package, tmp_path / "wheel")
    python = environment(tmp_path / "empty", *wheels)
    use(python, "fast_cartpole", ID, package / "tests")
