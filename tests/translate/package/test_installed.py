"""From `envwright translate` to an installed environment, through every command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envwright.cli.export import NEXT

ROOT = Path(__file__).parents[3]
COMMANDS = {
    "verify": ["--levels", "1,3", "--episodes", "10"],
    "bench": ["--batch", "64", "--repeats", "2", "--seconds", "0.1"],
    "train": ["--steps", "4096", "--set", "num_envs=16"],
    "coverage": [],
    "mutate": ["--most", "2", "--executor", "serial"],
    "play": ["-o", "play.webp", "--steps", "20"],
    "report": [],
}
LOOP = """
import gymnasium
import numpy as np

import fast_cartpole

envs = gymnasium.make_vec("fast_cartpole/CartPole-v1", num_envs=8)
obs, _ = envs.reset(seed=0)
ended = 0
for _ in range(100):
    obs, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
    ended += int(np.sum(terminated | truncated))
assert obs.shape == (8, 4) and ended > 8, ended

import envwright

assert envwright.make("fast_cartpole").version == 1
"""


def run(command, folder, **env):
    done = subprocess.run(
        command, cwd=folder, env=os.environ | env, capture_output=True, text=True, timeout=1800
    )
    return done.returncode, done.stdout + done.stderr


def envwright(*words, folder, **env):
    return run([sys.executable, "-P", "-m", "envwright", *words], folder, **env)


@pytest.fixture(scope="module")
def translated(tmp_path_factory):
    """A folder in which CartPole was translated."""
    folder = tmp_path_factory.mktemp("translated")
    code, said = envwright("translate", "gymnasium:CartPole-v1", folder=folder)
    assert code == 0, said
    for verb in NEXT:
        assert f"  {verb} ./cartpole-v1\n" in said
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("verb", COMMANDS)
def test_every_command_takes_the_folder(translated, verb):
    code, said = envwright(verb, "./cartpole-v1", *COMMANDS[verb], folder=translated)
    allowed = (0, 1) if verb in ("mutate", "coverage") else (0,)  # 1: a mutant lives
    assert code in allowed and "Traceback" not in said, said


@pytest.mark.slow
def test_it_is_installed_and_used_like_any_gymnasium_environment(translated, tmp_path):
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    code, said = run([*install, "--target", str(site), "./cartpole-v1"], translated)
    assert code == 0, said
    code, said = run([sys.executable, "-P", "-c", LOOP], tmp_path, PYTHONPATH=str(site))
    assert code == 0, said
    code, said = envwright("list", folder=tmp_path, PYTHONPATH=str(site))
    assert code == 0 and "fast_cartpole" in said, said
    tests = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    code, said = run(
        [*tests, str(translated / "cartpole-v1/tests")], tmp_path, PYTHONPATH=str(site)
    )
    assert code == 0 and "passed" in said and "skipped" not in said, said
