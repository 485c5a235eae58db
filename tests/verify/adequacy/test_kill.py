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


def mutate(file, env, *moment, executor="serial"):
    """Let a process seed bugs, perhaps until it dies."""
    command = [sys.executable, "-m", "tests.verify.adequacy.mutate_child", executor, str(file)]
    command += map(str, moment)
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode in ((-signal.SIGKILL,) if moment else (0, 1)), done.stderr


def findings(file):
    (found,) = read_results(file)
    assert found.env == "cartpole"
    data = json.loads(file.read_text())
    return {name: value for name, value in data.items() if name not in UNLIKE}


def moments():
    """Lines of the code that writes, and both sides of a verdict, with either executor."""
    for number, line in enumerate(np.random.default_rng(0).integers(1, LINES, KILLS)):
        if number % 5:
            yield "serial", "line", line
        else:
            executor = "process" if number % 2 else "serial"
            yield executor, ("before", "after")[number // 5 % 2], 1 + number // 5


@pytest.mark.slow
def test_twenty_deaths_at_random_moments_leave_whole_results(tmp_path, child_env):
    whole, file = tmp_path / "whole.json", tmp_path / "killed.json"
    mutate(whole, child_env)
    expected = findings(whole)
    assert expected["mutants"] == 4
    seen = set()
    for executor, *moment in moments():
        file.unlink(missing_ok=True)
        mutate(file, child_env, *moment, executor=executor)
        if file.exists():
            so_far = findings(file)
            assert so_far["mutants"] <= 4 and so_far["mutants_in_all"] == expected["mutants_in_all"]
            seen.add(so_far["mutants"])
    assert len(seen) > 1
    mutate(file, child_env, executor="process")
    assert findings(file) == expected
