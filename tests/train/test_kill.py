"""A run that is killed at any moment goes on to the same end, bit for bit."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.train.child import MOMENTS, fatal_at, place_of
from tests.train.runs import assert_same_end

from envwright.train import Keeping, PPOConfig, RunSpec, train
from envwright.train.log import METRICS, read_log

ROOT = Path(__file__).parents[2]
SMALL = dict(steps=1600, num_envs=8, rollout=8, epochs=2, minibatches=2, network="16")
QUICK = {"JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}  # as the fixture of this name
RUNS = {
    "fused": ("envwright:cartpole", SMALL | {"normalise_obs": True}),
    "memory": ("envwright:cartpole", SMALL | {"memory": 8}),
    "host": ("gymnasium:CartPole-v1", SMALL | {"normalise_reward": True}),
}


class Runs:
    """Whole runs, made once, and children that die."""

    def __init__(self, folder, env):
        self.folder, self.env = folder, env

    def whole(self, name):
        folder = self.folder / name
        if not folder.exists():
            simulator, config = RUNS[name]
            train(RunSpec(simulator, PPOConfig(**config)), Keeping(folder))
        return folder

    def start(self, name, folder, die=None):
        simulator, config = RUNS[name]
        told = {"simulator": simulator, "config": config, "folder": str(folder)}
        told |= {"die": die} if die else {}
        command = [sys.executable, "-m", "tests.train.child", json.dumps(told)]
        return subprocess.Popen(
            command, cwd=ROOT, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def killed(self, name, folder, where, n):
        child = self.start(name, folder, [where, n])
        output = child.communicate(timeout=600)[0].decode()
        assert child.returncode == -signal.SIGKILL, f"{where} {n}: {output}"

    def killed_after(self, name, folder, lines, seconds, tries=5):
        """Killed from outside, some time after so many more lines of the log."""
        wanted = len(read_log(folder)) + lines
        child = self.start(name, folder)
        while len(read_log(folder)) < wanted and child.poll() is None:
            time.sleep(0.005)
        time.sleep(seconds)
        child.kill()
        output = child.communicate()[0].decode()
        if child.returncode == 0 and tries:  # where others are busy, the run may come first
            shutil.rmtree(folder)
            return self.killed_after(name, folder, lines, seconds, tries - 1)
        assert child.returncode == -signal.SIGKILL, output

    def finished(self, name, folder):
        """Let the run come to its end; what it warned of."""
        child = self.start(name, folder)
        output = child.communicate(timeout=600)[0].decode()
        assert child.returncode == 0, output
        return [line for line in output.splitlines() if "is corrupt" in line]


@pytest.fixture(scope="module")
def runs(tmp_path_factory, child_env):
    return Runs(tmp_path_factory.mktemp("whole"), child_env | QUICK)


class Death(BaseException):
    """The end of a process, without one."""


def dies(spec, folder, where, n):
    """Train in this process until a moment at which nothing more is done."""

    def die():
        raise Death

    path, when = MOMENTS[where]
    owner, name = place_of(path)
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Death):
        patched.setattr(owner, name, fatal_at(getattr(owner, name), when, n, die))
        train(spec, Keeping(folder, resume=True, every_seconds=0))


def test_a_death_where_a_run_is_kept_changes_nothing(tmp_path):
    small = {"steps": 48, "num_envs": 4, "rollout": 4, "epochs": 1, "network": "4"}
    spec = RunSpec("envwright:cartpole", PPOConfig(**SMALL | small))
    train(spec, Keeping(tmp_path / "whole"))
    dies(spec, tmp_path / "run", "no manifest yet", 2)
    train(spec, Keeping(tmp_path / "run", resume=True, every_seconds=0))
    assert_same_end(tmp_path / "run", tmp_path / "whole")


@pytest.mark.parametrize(
    ("name", "deaths"),
    [
        ("fused", [("torn line", 5), ("arrays being written", 3), ("complete but not named", 5)]),
        ("host", [("line told", 6), ("arrays written", 9)]),
        ("memory", [("no manifest yet", 9), ("an old one half removed", 3), ("named", 4)]),
    ],
)
@pytest.mark.slow
def test_deaths_in_nasty_moments_change_nothing(runs, tmp_path, name, deaths):
    expected = runs.whole(name)
    for where, n in deaths:
        runs.killed(name, tmp_path, where, n)
        if where == "torn line":
            text = (tmp_path / METRICS).read_text()
            assert text.count("\n") == n - 1 and not text.endswith("\n")
    assert not runs.finished(name, tmp_path)
    assert_same_end(tmp_path, expected)


@pytest.mark.slow
def test_a_death_from_outside_changes_nothing(runs, tmp_path):
    expected = runs.whole("fused")
    runs.killed_after("fused", tmp_path, lines=8, seconds=0.03)
    assert not runs.finished("fused", tmp_path)
    assert_same_end(tmp_path, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_deaths_from_outside_change_nothing(runs, tmp_path, name):
    expected = runs.whole(name)
    for seconds in np.random.default_rng(0).uniform(0, 0.2, 4):
        runs.killed_after(name, tmp_path, lines=3, seconds=seconds)
    assert not runs.finished(name, tmp_path)
    assert_same_end(tmp_path, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_death_in_every_nasty_moment_changes_nothing(runs, tmp_path, name):
    expected = runs.whole(name)
    once = {"log reopened": 1, "checkpoint read": 1, "policies kept": 1}
    for where in ("torn line", *MOMENTS):
        if where != "policies kept":  # which happens at the end
            runs.killed(name, tmp_path, where, once.get(where, 3))
    runs.killed(name, tmp_path, "policies kept", 1)
    assert not runs.finished(name, tmp_path)
    assert_same_end(tmp_path, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_death_in_any_line_of_code_changes_nothing(runs, tmp_path, name):
    expected = runs.whole(name)
    for n in np.random.default_rng(1).integers(1, 4000, 8):
        runs.killed(name, tmp_path, "line of code", int(n))
    assert not runs.finished(name, tmp_path)
    assert_same_end(tmp_path, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_what_is_compiled_anew_comes_to_the_same_end(tmp_path, child_env, name):
    # With all of the compiler's optimisations, and nothing kept of what another has compiled.
    fresh = Runs(tmp_path, {k: v for k, v in child_env.items() if "CACHE" not in k})
    fresh.finished(name, tmp_path / "whole")
    fresh.killed(name, tmp_path / "run", "named", 9)
    fresh.finished(name, tmp_path / "run")
    assert_same_end(tmp_path / "run", tmp_path / "whole")
