"""Level 4 takes long: it goes on after an interruption, wherever it runs, to the same end."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from functools import partial

import pytest
from tests.verify.transfer.plans import CARTPOLE, TINY
from tests.verify.transfer.poles import HERE

from envwright.core.executor import make_executor
from envwright.schema.results import as_json
from envwright.verify.l4_transfer import check_transfer, default_folder
from envwright.verify.transfer import jobs
from envwright.verify.transfer.fingerprint import fingerprint

pytestmark = pytest.mark.usefixtures("compile_quickly")
TWIN = f"{HERE}:pole"
RUNS, PLACES = 2, 3


class Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


def checked(folder, **options):
    """As data, so that two results can be compared whole."""
    result = check_transfer(CARTPOLE, TWIN, TINY, policies=folder, **options)
    return json.loads(json.dumps(as_json(result.record())))


@pytest.fixture(scope="module")
def whole(compile_quickly, tmp_path_factory):
    """A folder in which level 4 came to its end."""
    folder = tmp_path_factory.mktemp("whole")
    checked(folder)
    return folder


@pytest.fixture(scope="module")
def undisturbed(whole):
    """What level 4 comes to if nobody interrupts it."""
    return checked(whole)


@pytest.fixture
def trained_only(whole, tmp_path):
    """A folder in which nothing is evaluated yet."""
    return shutil.copytree(whole, tmp_path / "l4", ignore=lambda *_: ["evaluations"])


@pytest.fixture
def one_side_only(trained_only):
    """A folder in which the twin's policies are not trained yet."""
    shutil.rmtree(trained_only / "twin")
    return trained_only


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


@pytest.mark.slow
def test_what_was_evaluated_before_an_interruption_is_not_evaluated_again(
    undisturbed, trained_only, work
):
    with pytest.raises(Interrupted):
        checked(trained_only, progress=stop_at("evaluations", 2))
    assert work["evaluate"] == [6, 6]
    assert checked(trained_only) == undisturbed
    assert len(work["evaluate"]) == RUNS * PLACES
    assert work["train"] == []


@pytest.mark.slow
def test_half_trained_policies_in_a_given_folder_are_trained_on(undisturbed, tmp_path, work):
    """They could be evaluated as they are, but it was level 4 that left them half-trained."""
    with pytest.raises(Interrupted):
        checked(tmp_path, progress=stop_at(f"training in {TWIN}", 3))
    (finished,) = tmp_path.rglob("policies/000000000512.npz")
    before = finished.stat().st_mtime_ns
    assert len(list(tmp_path.rglob("policies/*.npz"))) == 3  # one of the twin's two stages
    assert checked(tmp_path) == undisturbed
    assert work["train"] == [CARTPOLE, TWIN, TWIN]
    assert finished.stat().st_mtime_ns == before


@pytest.mark.slow
def test_training_goes_on_at_the_last_checkpoint(undisturbed, one_side_only, monkeypatch):
    monkeypatch.setattr(jobs, "Keeping", partial(jobs.Keeping, every_seconds=0.0))
    with pytest.raises(Interrupted):
        checked(one_side_only, progress=stop_at(f"training in {TWIN}", 3))
    told = []
    again = checked(one_side_only, progress=lambda *news: told.append(news))
    assert [done for what, done, _ in told if what.startswith("training in")] == [4]
    assert again == undisturbed


@pytest.mark.slow
def test_without_a_folder_it_goes_on_below_runs(
    undisturbed, trained_only, tmp_path, monkeypatch, work
):
    monkeypatch.chdir(tmp_path)
    folder = default_folder(CARTPOLE, TWIN, TINY, [fingerprint(CARTPOLE), fingerprint(TWIN)])
    assert str(folder).startswith("runs/l4-python-tests-verify-transfer-poles-pole-")
    shutil.copytree(trained_only, folder)
    with pytest.raises(Interrupted):
        checked(None, progress=stop_at("evaluations", 5))
    assert checked(None) == undisturbed
    assert (work["train"], len(work["evaluate"])) == ([], RUNS * PLACES)


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "moment", "evaluated"),
    [
        (f"training in {TWIN}", 3, 0),
        ("evaluations", 4, 4),
    ],
    ids=["training", "evaluating"],
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
@pytest.mark.slow
@pytest.mark.parametrize("name", ["process:2", "ray:2"])
def test_the_numbers_do_not_depend_on_the_executor(name, undisturbed, tmp_path):
    if name.startswith("ray"):
        pytest.importorskip("ray")
    assert checked(tmp_path, executor=make_executor(name)) == undisturbed


@pytest.mark.slow
def test_another_seed_plays_other_episodes_with_the_same_policies(undisturbed, whole, work):
    other = checked(whole, seed=1)["transfer"]["policies"]
    assert (work["train"], len(work["evaluate"])) == ([], RUNS * PLACES)
    same = [a == b for a, b in zip(undisturbed["transfer"]["policies"], other, strict=True)]
    assert not all(same)
