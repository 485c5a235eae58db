"""A translation to Rust, built from its sources by maturin, installed and used."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.translate.conftest import LAMP
from tests.translate.test_rust_target import needs_cargo

COMMANDS = {
    "verify": ["--levels", "1,3", "--episodes", "10"],
    "train": ["--steps", "4096", "--set", "num_envs=16"],
}
LOOP = """
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


def run(command, folder, **env):
    done = subprocess.run(
        command, cwd=folder, env=os.environ | env, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site(rust_package, tmp_path_factory):
    """A folder of packages with the translation, compiled by maturin from its sources."""
    base = tmp_path_factory.mktemp("rust-site")
    pip = [sys.executable, "-m", "pip", "--quiet"]
    wheel = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(base)]
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # maturin is there
    run([*pip, *wheel, "./package"], rust_package, PATH=tools)
    (built,) = base.glob("*.whl")
    assert "abi3" in built.name
    with zipfile.ZipFile(built) as opened:
        names = [name for name in opened.namelist() if ".dist-info" not in name]
    assert names.count("fast_lamp/_native.abi3.so") == 1 and "fast_lamp/translation.toml" in names
    assert not [name for name in names if not name.startswith("fast_lamp/") or ".git" in name]
    run([*pip, "install", "--no-deps", "--target", str(base / "site"), str(built)], base)
    return base / "site"


@pytest.mark.slow
@needs_cargo
def test_it_is_built_from_its_sources_and_used(rust_package, site):
    # The reference is found too, and this envwright where it is not the installed one.
    others = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    path, folder = os.pathsep.join([str(site), str(LAMP), *others]), site.parent
    run([sys.executable, "-P", "-c", LOOP], folder, PYTHONPATH=path)
    for verb, options in COMMANDS.items():
        command = [sys.executable, "-P", "-m", "envwright", verb, "fast_lamp", *options]
        assert "Traceback" not in run(command, folder, PYTHONPATH=path)
    tests = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    said = run([*tests, str(rust_package / "package/tests")], folder, PYTHONPATH=path)
    assert "passed" in said and "skipped" not in said, said
