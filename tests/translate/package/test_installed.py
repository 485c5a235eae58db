"""From `envwright translate` to an installed environment, through every command."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.translate.conftest import LAMP
from tests.translate.test_rust_target import needs_cargo

ROOT = Path(__file__).parents[3]
COMMANDS = {
    "verify": ["--levels", "1,3", "--episodes", "10"],
    "bench": ["--batch", "64", "--repeats", "2", "--seconds", "0.1"],
    "train": ["--steps", "4096", "--set", "num_envs=16"],
    "coverage": [],
    "mutate": ["--most", "2", "--executor", "serial"],
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
    assert "pip install ./cartpole-v1" in said
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


RUST_LOOP = """
import gymnasium
import numpy as np

import fast_lamp

envs = gymnasium.make_vec("fast_lamp/Lamp-v1", num_envs=64)
obs, _ = envs.reset(seed=0)
ended = 0
for _ in range(100):
    obs, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
    ended += int(np.sum(terminated | truncated))
assert obs.shape == (64, 2) and ended > 64, ended

import envwright

assert envwright.make("fast_lamp", num_envs=8, dice=True).num_envs == 8
"""


@pytest.fixture(scope="module")
def rust_site(rust_package, tmp_path_factory):
    """A folder of packages with the translation to Rust, compiled by maturin from its sources."""
    base = tmp_path_factory.mktemp("rust-site")
    pip = [sys.executable, "-m", "pip", "--quiet"]
    wheel = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(base)]
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # maturin is there
    code, said = run([*pip, *wheel, "./package"], rust_package, PATH=tools)
    assert code == 0, said
    (built,) = base.glob("*.whl")
    assert "abi3" in built.name
    with zipfile.ZipFile(built) as opened:
        names = [name for name in opened.namelist() if ".dist-info" not in name]
    assert names.count("fast_lamp/_native.abi3.so") == 1 and "fast_lamp/translation.toml" in names
    assert not [name for name in names if not name.startswith("fast_lamp/") or ".git" in name]
    code, said = run([*pip, "install", "--no-deps", "--target", str(base / "site"), built], base)
    assert code == 0, said
    return base / "site"


@pytest.mark.slow
@needs_cargo
def test_a_translation_to_rust_is_built_from_its_sources_and_used(rust_package, rust_site):
    path = os.pathsep.join([str(rust_site), str(LAMP)])
    folder = rust_site.parent
    code, said = run([sys.executable, "-P", "-c", RUST_LOOP], folder, PYTHONPATH=path)
    assert code == 0, said
    for verb, options in COMMANDS.items():
        if verb not in ("coverage", "mutate"):
            code, said = envwright(verb, "fast_lamp", *options, folder=folder, PYTHONPATH=path)
            assert code == 0 and "Traceback" not in said, said
    tests = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    code, said = run([*tests, str(rust_package / "package/tests")], folder, PYTHONPATH=path)
    assert code == 0 and "passed" in said and "skipped" not in said, said
