"""An evaluation is used again if it is of the same policies, code and settings, else never."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.verify.transfer.plans import CARTPOLE, TINY, some_seeds

from envwright.core.registry import rooms
from envwright.errors import EnvwrightError
from envwright.schema.results import as_json
from envwright.train.evaluate import Evaluation, Visits
from envwright.verify.l4_transfer import check_transfer, default_folder
from envwright.verify.transfer import jobs
from envwright.verify.transfer.fingerprint import _pinned, fingerprint
from envwright.verify.transfer.jobs import policies_digest, runs_below

POLE = "from envwright.zoo.cartpole.env import CartPole as Pole\n"


@pytest.fixture
def evaluated(monkeypatch):
    """Seeds of the evaluations that were made; they are quick and arbitrary."""
    seeds = []

    def evaluate(policies, target, *, episodes, horizon, seed):
        seeds.append(seed)
        rng = np.random.default_rng(seed)
        shape = (len(policies.seeds), episodes)
        visits = Visits(rng.normal(size=(20, 4)).astype(np.float32), np.repeat(np.arange(4), 5))
        return Evaluation(rng.normal(50, 5, shape), np.full(shape, 9), 0, visits)

    monkeypatch.setattr(jobs, "evaluate", evaluate)
    return seeds


@pytest.fixture
def port(tmp_path, monkeypatch):
    """A module with a twin, to be changed."""
    folder = tmp_path / "port"
    folder.mkdir()
    file = folder / "l4_port.py"
    file.write_text(POLE)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(folder)
    yield file
    sys.modules.pop("l4_port", None)


@pytest.fixture
def policies(beginners, tmp_path):
    return some_seeds(beginners, tmp_path / "kept" / "run", (0, 1, 2)).parent


def checked(policies, plan=TINY, **options):
    result = check_transfer(CARTPOLE, "python:l4_port:Pole", plan, policies=policies, **options)
    return as_json(result.record())


# --- evaluations -----------------------------------------------------------------------


def test_a_second_call_evaluates_nothing_and_says_the_same(policies, port, evaluated):
    first = checked(policies)
    assert len(evaluated) == 3
    assert checked(policies) == first
    assert len(evaluated) == 3


def test_no_two_places_play_the_same_episodes(policies, port, evaluated):
    checked(policies)
    assert len(set(evaluated)) == 3


@pytest.mark.parametrize(
    "change", [{"plan": replace(TINY, episodes=4)}, {"plan": replace(TINY, horizon=61)},
               {"seed": 1}]
)  # fmt: skip
def test_other_episodes_are_evaluated_anew(change, policies, port, evaluated):
    checked(policies)
    checked(policies, **change)
    assert len(evaluated) == 6


def test_another_margin_needs_no_new_evaluation(policies, port, evaluated):
    before = checked(policies)["transfer"]["directions"][0]
    after = checked(policies, replace(TINY, margin=1000.0))["transfer"]["directions"][0]
    assert len(evaluated) == 3
    assert (before["difference"], after["verdict"]) == (after["difference"], "equivalent")


def test_a_changed_twin_is_evaluated_anew_and_the_reference_is_not(policies, port, evaluated):
    checked(policies)
    port.write_text(POLE + "Pole.gravity = 10\n")
    checked(policies)
    assert len(evaluated) == 5
    port.write_text(POLE)
    checked(policies)
    assert len(evaluated) == 5  # what the old code did is still known


DAMAGE = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "other bytes inside": lambda data: data[:200] + bytes(400) + data[600:],
    "no archive": lambda data: b"nothing of ours",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_evaluation_is_made_again(damage, policies, port, evaluated):
    first = checked(policies)
    (file,) = (policies / "evaluations").glob("*-twin-*.npz")
    file.write_bytes(damage(file.read_bytes()))
    assert checked(policies) == first
    assert len(evaluated) == 4
    assert checked(policies) == first
    assert len(evaluated) == 4


def test_policies_that_were_trained_again_are_evaluated_anew(policies, port, evaluated):
    checked(policies)
    file = min((policies / "run" / "policies").glob("*.npz"))
    with np.load(file) as archive:
        leaves = {name: archive[name] for name in archive.files}
    weights = next(name for name, leaf in leaves.items() if leaf.ndim == 3)
    leaves[weights] = leaves[weights] + 1
    np.savez(file, **leaves)
    checked(policies)
    assert len(evaluated) == 6


def test_runs_of_one_name_in_different_folders_are_not_mixed_up(
    beginners, tmp_path, port, evaluated
):
    for place, seeds in (("a", (0, 1)), ("b", (2,))):
        some_seeds(beginners, tmp_path / "all" / place / "x" / "run", seeds)
    result = check_transfer(CARTPOLE, "python:l4_port:Pole", TINY, policies=tmp_path / "all")
    assert len(evaluated) == len(list((tmp_path / "all" / "evaluations").iterdir())) == 6
    assert [p.seed for p in result.policies] == [0, 0, 1, 1, 2, 2]


def test_a_twin_whose_code_is_out_of_reach_is_always_evaluated(policies, evaluated):
    for _ in range(2):
        check_transfer(CARTPOLE, "gymnax:CartPole-v1", TINY, policies=policies)
    assert len(evaluated) == 1 + 2 + 2


# --- policies --------------------------------------------------------------------------


def test_a_digest_is_of_the_policies_and_not_of_their_place(policies, tmp_path):
    (run,) = runs_below(policies)
    moved = shutil.copytree(run, tmp_path / "elsewhere")
    assert policies_digest(moved) == policies_digest(run)
    min((moved / "policies").iterdir()).unlink()
    assert policies_digest(moved) != policies_digest(run)


def test_a_folder_without_policies_holds_no_run(policies):
    shutil.rmtree(policies / "run" / "policies")
    assert runs_below(policies) == []


def test_damaged_policies_are_told_in_a_sentence(policies, port):
    file = min((policies / "run" / "policies").iterdir())
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(EnvwrightError, match="is not a file of policies, or is damaged"):
        checked(policies)


def test_policies_of_other_observations_are_told_in_a_sentence(policies, evaluated):
    with pytest.raises(EnvwrightError, match="do not fit these observations and actions"):
        check_transfer(
            CARTPOLE, "python:tests.verify.transfer.poles:Taller", TINY, policies=policies
        )


def test_a_place_that_cannot_be_written_is_told_before_the_work(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(EnvwrightError, match="is not a folder"):
        check_transfer(CARTPOLE, CARTPOLE, TINY, policies=tmp_path / "taken" / "here")


# --- fingerprints ----------------------------------------------------------------------


def test_a_fingerprint_follows_the_code_and_the_files_beside_it(port):
    name = "python:l4_port:Pole"
    before = fingerprint(name)
    assert before == fingerprint(name) and len(before) == 8
    port.with_name("beside.py").write_text("")
    beside = fingerprint(name)
    port.write_text(POLE + "#\n")
    assert len({before, beside, fingerprint(name)}) == 3


def test_options_are_part_of_a_fingerprint():
    names = [CARTPOLE, f"{CARTPOLE}?dtype=float64", "gymnasium:CartPole-v1"]
    assert len({fingerprint(name) for name in names}) == 3


@pytest.mark.parametrize(
    "name",
    ["gymnax:CartPole-v1", "command:./sim", "python:nowhere:Env", "python:nowhere.at.all:Env"],
)
def test_code_that_is_out_of_reach_has_no_fingerprint(name):
    assert fingerprint(name) is None


def test_other_simulators_and_plans_have_other_folders():
    """Also where no fingerprint tells them apart."""
    unknown = [None, None]
    folders = {
        default_folder("command:./a", "command:./t", TINY, unknown),
        default_folder("command:./b", "command:./t", TINY, unknown),
        default_folder("command:./a", "command:./t", replace(TINY, seeds=4), unknown),
        default_folder("command:./a", "command:./t", TINY, ["0", None]),
        default_folder("command:./a", "command:./u", TINY, unknown),
    }
    assert len(folders) == 5


def test_the_package_of_a_reference_is_part_of_its_fingerprint():
    pinned = {room.reference: _pinned(room.reference) for room in rooms() if room.reference}
    assert all(len(packages) == 1 for packages in pinned.values()), pinned
    assert _pinned("python:elsewhere:Reference") == []
