"""An optimisation that is killed at any moment goes on to the same end."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.translate.answers import ENV, HEAT, turn
from tests.translate.conftest import LAMP, REASON
from tests.translate.optimise_child import SCRIPT
from tests.translate.scripted import Scripted

from envwright.translate.journal import Journal
from envwright.translate.run import Run
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import open_run

ROOT = Path(__file__).parents[2]
KILLS = 20
LINES = 4000  # the whole optimisation runs 4,900 of those that are counted


@pytest.fixture(scope="module")
def verified(tmp_path_factory):
    """The folder of a specification with a verified run."""
    folder = tmp_path_factory.mktemp("verified") / "lamp"
    shutil.copytree(LAMP, folder)
    sys.modules.pop("lamp", None)
    run = Run(
        folder / "runs/a",
        load_spec(folder),
        Scripted([turn(heat=HEAT), turn(env=ENV)]),
        (1,),
        confined=REASON is None,
        seed=104_729,
    )
    assert run.go().outcome == "verified"
    sys.modules.pop("lamp", None)
    return folder


def optimise(folder, env, moment=None):
    """Let a process optimise, perhaps until it dies; whether it came to its end."""
    command = [sys.executable, "-m", "tests.translate.optimise_child", str(folder / "runs/a")]
    command += [] if moment is None else [str(moment)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode == 0


def story(folder):
    """What must be the same: every round, the code that is kept, and the verified run."""
    place = folder / "runs/a"
    rounds = [
        {name: event[name] for name in ("number", "turn", "files", "kept", "why", "usage")}
        for event in Journal(place / "optimise/journal.jsonl").of("round")
    ]
    code = (place / "optimise/workspace/src/fast_lamp/env.py").read_text()
    return rounds, code, open_run(place).position.files


@pytest.mark.slow
def test_twenty_deaths_at_random_moments_change_nothing(verified, tmp_path, child_env):
    whole = shutil.copytree(verified, tmp_path / "whole")
    assert optimise(whole, child_env)
    expected = story(whole)
    assert [one["kept"] for one in expected[0]] == [True, False, True, False]
    assert expected[1] == SCRIPT[2]["src/fast_lamp/env.py"]
    rng, kills, number = np.random.default_rng(0), 0, 0
    while kills < KILLS:
        folder = shutil.copytree(verified, tmp_path / f"run-{number}")
        while not optimise(folder, child_env, rng.integers(1, LINES)):
            kills += 1
        assert story(folder) == expected
        number += 1
