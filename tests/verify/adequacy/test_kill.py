"""`envwright mutate` that is killed at any moment leaves whole results, and is run again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from envwright.schema.results import read_results

ROOT = Path(__file__).parents[3]
KILLS = 20
LINES = 1500  # the whole command runs 1,650 of those that are counted
UNLIKE = ("machine", "command", "provenance")  # between two calls


def mutate(file, env, moment=None):
    """Let a process seed bugs, perhaps until it dies; whether it came to its end."""
    command = [sys.executable, "-m", "tests.verify.adequacy.mutate_child", str(file)]
    command += [] if moment is None else [str(moment)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode in (0, 1, -signal.SIGKILL), done.stderr
    return done.returncode != -signal.SIGKILL


def findings(file):
    (found,) = read_results(file)
    assert found.env == "cartpole"
    data = json.loads(file.read_text())
    return {name: value for name, value in data.items() if name not in UNLIKE}


@pytest.mark.slow
def test_twenty_deaths_at_random_moments_leave_whole_results(tmp_path, child_env):
    whole, file = tmp_path / "whole.json", tmp_path / "killed.json"
    assert mutate(whole, child_env)
    expected = findings(whole)
    assert expected["mutants"] == 4
    rng, seen = np.random.default_rng(0), set()
    for moment in rng.integers(1, LINES, KILLS):
        file.unlink(missing_ok=True)
        assert not mutate(file, child_env, moment)
        if file.exists():
            so_far = findings(file)
            assert so_far["mutants"] <= 4 and so_far["mutants_in_all"] == expected["mutants_in_all"]
            seen.add(so_far["mutants"])
    assert len(seen) > 1
    assert mutate(file, child_env)
    assert findings(file) == expected
