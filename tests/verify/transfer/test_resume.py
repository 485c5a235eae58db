"""Level 4 takes long: it goes on after an interruption, wherever it runs, to the same end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from functools import partial

import pytest
from tests.verify.transfer.plans import CARTPOLE, TINY
from tests.verify.transfer.poles import HERE

from envwright.core.executor import make_executor
from envwright.verify.l4_transfer import check_transfer
from envwright.verify.transfer import jobs

pytestmark = pytest.mark.usefixtures("compile_quickly")
TWIN = f"{HERE}:pole"
RUNS, PLACES = 2, 3


class Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


def checked(folder, **options):
    """As data, so that two results can be compared whole."""
    result = check_transfer(CARTPOLE, TWIN, TINY, policies=folder, **options)
    return json.loads(json.dumps(result.to_json()))


@pytest.fixture(scope="module")
def undisturbed(compile_quickly, tmp_path_factory):
    """What level 4 comes to if nobody interrupts it."""
    return checked(tmp_path_factory.mktemp("undisturbed"))


@pytest.fixture
def work(monkeypatch):
    """What is trained and evaluated from now on: simulators and numbers of policies."""
    done = {"train": [], "evaluate": []}

    def train(spec, *args, whole=jobs.train, **options):
        done["train"].append(spec.simulator)
        return whole(spec, *args, **options)

    def evaluate(policies, *args, whole=jobs.evaluate, **options):
        done["evaluate"].append(len(policies.seeds))
        return whole(policies, *args, **options)

    monkeypatch.setattr(jobs, "train", train)
    monkeypatch.setattr(jobs, "evaluate", evaluate)
    return done


def stop_at(label, moment):
    """Progress that is heard until a thing has come so far."""

    def told(what, done, total):
        if what.startswith(label) and done == moment:
            raise Interrupted

    return told


# --- interrupted -----------------------------------------------------------------------


def test_what_was_evaluated_before_an_interruption_is_not_evaluated_again(
    undisturbed, tmp_path, work
):
    with pytest.raises(Interrupted):
        checked(tmp_path, progress=stop_at("evaluations", 2))
    assert work["evaluate"] == [6, 6]
    assert checked(tmp_path) == undisturbed
    assert len(work["evaluate"]) == RUNS * PLACES
    assert work["train"] == [CARTPOLE, TWIN]


def test_a_finished_side_is_not_trained_again(undisturbed, tmp_path, work):
    with pytest.raises(Interrupted):
        checked(tmp_path, progress=stop_at("training runs", 1))
    (kept,) = tmp_path.rglob("000000000512.npz")
    before = kept.stat().st_mtime_ns
    assert checked(tmp_path) == undisturbed
    assert work["train"] == [CARTPOLE, TWIN]
    assert kept.stat().st_mtime_ns == before


def test_half_trained_policies_in_a_given_folder_are_trained_on(undisturbed, tmp_path, work):
    """They are there to be evaluated, but it was level 4 that left them half-trained."""
    with pytest.raises(Interrupted):
        checked(tmp_path, progress=stop_at(f"training in {TWIN}", 3))
    assert len(list(tmp_path.rglob("policies/*.npz"))) == 3  # one of the twin's two stages
    assert checked(tmp_path) == undisturbed
    assert work["train"] == [CARTPOLE, TWIN, TWIN]


def test_training_goes_on_at_the_last_checkpoint(undisturbed, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Keeping", partial(jobs.Keeping, every_seconds=0.0))
    with pytest.raises(Interrupted):
        checked(tmp_path, progress=stop_at(f"training in {TWIN}", 3))
    told = []
    again = checked(tmp_path, progress=lambda *news: told.append(news))
    assert [done for what, done, _ in told if what.startswith("training in")] == [4]
    assert again == undisturbed


def test_without_a_folder_it_goes_on_below_runs(tmp_path, monkeypatch, work):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Interrupted):
        checked(None, progress=stop_at("evaluations", 5))
    checked(None)
    assert len(work["evaluate"]) == RUNS * PLACES
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("l4-python-tests-verify-transfer-poles-pole-")


SCRIPT = """
import sys, time
from pathlib import Path
from tests.verify.transfer import test_resume as t

def told(what, done, total):
    print(what, done, flush=True)
    if what.startswith(sys.argv[2]) and done == int(sys.argv[3]):
        time.sleep(600)  # until it is killed

t.checked(Path(sys.argv[1]), progress=told)
"""


@pytest.mark.parametrize(
    ("label", "moment", "evaluated"), [(f"training in {TWIN}", 3, 0), ("evaluations", 4, 4)]
)
def test_a_killed_process_leaves_nothing_that_disturbs(
    label, moment, evaluated, undisturbed, tmp_path, child_env, work
):
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), label, str(moment)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=child_env) as child:
        for line in child.stdout:
            if line.startswith(label) and line.endswith(f" {moment}\n"):
                child.send_signal(signal.SIGKILL)
                break
    assert child.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob("evaluations/*.npz"))) == evaluated
    assert checked(tmp_path) == undisturbed
    assert len(work["evaluate"]) == RUNS * PLACES - evaluated


# --- elsewhere -------------------------------------------------------------------------


@pytest.mark.usefixtures("children_compile_once")
@pytest.mark.parametrize("name", ["process:2", pytest.param("ray:2", marks=pytest.mark.slow)])
def test_the_numbers_do_not_depend_on_the_executor(name, undisturbed, tmp_path):
    if name.startswith("ray"):
        pytest.importorskip("ray")
    assert checked(tmp_path, executor=make_executor(name)) == undisturbed


def test_another_seed_plays_other_episodes_with_the_same_policies(undisturbed, tmp_path, work):
    checked(tmp_path)
    other = checked(tmp_path, seed=1)["transfer"]["policies"]
    assert work["train"] == [CARTPOLE, TWIN]
    same = [a == b for a, b in zip(undisturbed["transfer"]["policies"], other, strict=True)]
    assert not all(same)
