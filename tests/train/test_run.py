"""A run: its log, its folder, and going on with it to the same end."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.games import SlipperyWalk, StoneDuel
from tests.train.loops import leaves
from tests.train.runs import assert_same_end, manifest_of, resumed, stopped, timeless
from tests.train.twins import HeldRing, RandomRing

from envwright.core.files import alone
from envwright.errors import EnvwrightError, Exit
from envwright.schema.results import as_json
from envwright.sim.hosts import GymnasiumLanes
from envwright.train import Keeping, PPOConfig, RunSpec, load_policies, run, train
from envwright.train.log import read_log
from envwright.train.run import open_runner, policy_files, read_spec

CONFIG = PPOConfig(steps=600, num_envs=8, rollout=8, epochs=2, network="8", learning_rate=1e-3)
SPEC = RunSpec("python:tests.games:SlipperyWalk", CONFIG, (1, 2))


def in_python(make):
    return lambda lanes: GymnasiumLanes(make, lanes)


TARGETS = {
    "fused": (SlipperyWalk(), CONFIG),
    "fused with memory and moments": (
        StoneDuel(),
        replace(CONFIG, memory=4, normalise_obs=True, normalise_reward=True),
    ),
    "host": (in_python(RandomRing), replace(CONFIG, memory=4)),
    "host that cannot be saved": (in_python(HeldRing), CONFIG),
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run with everything kept."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    return folder, train(SPEC, Keeping(folder, every_seconds=0, stages=(0.5, 1.0)))


# --- what a run leaves ---------------------------------------------------------------------


def test_the_log_has_a_line_for_each_chunk_and_ends_with_the_run(finished):
    folder, result = finished
    lines = read_log(folder)
    assert lines == result.curve
    assert [line["update"] for line in lines] == list(range(1, 11))
    assert [line["steps"] for line in lines] == [64 * update for update in range(1, 11)]
    assert all(len(line["return"]) == len(line["entropy"]) == 2 for line in lines)
    seconds = [line["seconds"] for line in lines]
    assert seconds == sorted(seconds) and seconds[0] > 0


def test_policies_are_kept_at_their_stages(finished):
    folder, result = finished
    assert [path.name for path in policy_files(folder)] == ["000000000320.npz", "000000000640.npz"]
    ppo = result.policies.ppo
    loaded = load_policies(policy_files(folder)[-1], ppo.obs_space, ppo.action_space)
    assert all(
        map(np.array_equal, leaves(loaded.agent.params), leaves(result.policies.agent.params))
    )
    assert loaded.seeds == (1, 2) and loaded.steps == 640
    early = load_policies(policy_files(folder)[0], ppo.obs_space, ppo.action_space)
    assert not all(map(np.array_equal, leaves(early.agent), leaves(loaded.agent)))


def test_the_result_says_what_the_log_says(finished):
    _, result = finished
    told = json.loads(json.dumps(as_json(result.record("cartpole", "jax"))))
    assert told["kind"] == "training" and told["seeds"] == [1, 2]
    assert told["config"]["num_envs"] == 8 and told["simulator"] == SPEC.simulator
    assert len(told["returns"]) == 2 and len(told["returns"][0]) == len(told["steps"]) == 10
    last = result.curve[-1]["return"]
    assert told["final_return"]["per_seed"] == last == result.returns
    assert told["final_return"]["mean"] == pytest.approx(sum(last) / 2)
    assert told["parameters"] == sum(x[0].size for x in leaves(result.policies.agent.params))
    assert told["steps_per_second"] > 0


def test_a_run_that_keeps_nothing_comes_to_the_same(finished):
    _, result = finished
    again = train(SPEC)
    assert timeless(again.curve) == timeless(result.curve)
    pairs = zip(leaves(again.policies.agent), leaves(result.policies.agent), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)


def test_the_last_chunk_may_be_shorter(monkeypatch):
    monkeypatch.setattr("envwright.train.run.POINTS", 4)
    spec = RunSpec("ring", CONFIG)
    assert (spec.chunk, spec.chunks) == (3, 4)
    result = train(spec, target=in_python(RandomRing))
    assert [line["update"] for line in result.curve] == [3, 6, 9, 10]
    assert [line["steps"] for line in result.curve] == [192, 384, 576, 640]


# --- going on ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if "cannot" in n else pytest.mark.slow) for n in TARGETS],
)
def test_a_stopped_run_goes_on_to_the_same_end(name, tmp_path):
    target, config = TARGETS[name]
    spec = RunSpec(name, config, (5,))
    whole = train(spec, Keeping(tmp_path / "whole"), target=target)
    broken = tmp_path / "broken"
    # Stopped right after a checkpoint, and once more with no checkpoint since.
    stopped(spec, Keeping(broken, every_seconds=0), at=4, target=target)
    stopped(spec, Keeping(broken, resume=True, every_seconds=999), at=7, target=target)
    result = resumed(spec, broken, target=target)
    assert_same_end(broken, tmp_path / "whole")
    assert timeless(result.curve) == timeless(whole.curve)
    assert result.notes == []


def test_environments_that_cannot_be_saved_begin_anew_at_every_chunk():
    resets = []

    class Noted(HeldRing):
        def reset(self, *, seed=None, options=None):
            resets.append(seed)
            return super().reset(seed=seed, options=options)

    train(RunSpec("noted", CONFIG), target=in_python(Noted))
    seeds = [seed for seed in resets if seed is not None]
    assert len(seeds) == len(set(seeds)) == 10 * CONFIG.num_envs


def test_a_finished_run_is_not_trained_again(finished):
    folder, result = finished

    def watch(line, updates):
        raise AssertionError("nothing is left to do")

    again = train(SPEC, Keeping(folder, resume=True), watch=watch)
    assert again.curve == result.curve
    assert all(map(np.array_equal, leaves(again.policies.agent), leaves(result.policies.agent)))


# --- damage --------------------------------------------------------------------------------


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def newest(folder, back=0):
    return sorted((folder / "checkpoints").glob("[0-9]*"))[-1 - back]


@pytest.fixture
def half(tmp_path):
    """A run that was stopped at update 6, and one that was not."""
    spec = RunSpec("walk", CONFIG)
    train(spec, Keeping(tmp_path / "whole"), target=SlipperyWalk())
    stopped(spec, Keeping(tmp_path / "half", every_seconds=0), at=6, target=SlipperyWalk())
    return spec, tmp_path / "half", tmp_path / "whole"


@pytest.mark.slow
def test_corrupt_checkpoints_are_named_and_the_end_is_the_same(half):
    spec, folder, whole = half
    broken = [newest(folder), newest(folder, 1)]
    flip(broken[0] / "progress.json")
    (broken[1] / "arrays" / "manifest.ocdbt").unlink()
    warnings = []
    result = resumed(spec, folder, target=SlipperyWalk(), warn=warnings.append)
    assert result.notes == warnings and len(warnings) == 2
    for path, what, sentence in zip(broken, ("changed", "missing"), warnings, strict=True):
        assert str(path) in sentence and what in sentence
    assert_same_end(folder, whole)


def test_if_every_checkpoint_is_corrupt_the_run_does_not_begin_anew(half):
    spec, folder, _ = half
    for back in range(3):
        flip(newest(folder, back) / "manifest.json")
    for _ in range(2):
        with pytest.raises(EnvwrightError, match=r"no checkpoint in .* is whole"):
            resumed(spec, folder, target=SlipperyWalk())


# --- folders -------------------------------------------------------------------------------


def test_a_folder_with_a_run_is_not_written_into(finished):
    folder, _ = finished
    before = read_log(folder)
    with pytest.raises(EnvwrightError, match="holds a run already; add --resume, or choose"):
        train(SPEC, Keeping(folder))
    assert read_log(folder) == before


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (replace(SPEC, seeds=(1, 3)), r"its seeds is \[1, 2\], not \[1, 3\]"),
        (replace(SPEC, simulator="envwright:cartpole"), "its simulator is .*SlipperyWalk, not env"),
        (replace(SPEC, config=replace(CONFIG, gamma=0.5)), "its gamma is 0.99, not 0.5"),
    ],
)
def test_another_run_is_not_gone_on_with(finished, other, difference):
    folder, _ = finished
    with pytest.raises(EnvwrightError, match=f"holds another run: {difference}"):
        train(other, Keeping(folder, resume=True))


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_two_processes_do_not_train_one_run(tmp_path):
    stopped(SPEC, Keeping(tmp_path, every_seconds=0), at=2)
    before = contents(tmp_path)
    refused = pytest.raises(EnvwrightError, match=r"another process uses .*; wait for it, or stop")
    with alone(tmp_path), refused as error:
        resumed(SPEC, tmp_path)
    assert error.value.exit_code == Exit.BAD_INPUT
    assert contents(tmp_path) == before


def test_pipe_in_the_place_of_policies_is_not_waited_for(tmp_path):
    (tmp_path / "policies").mkdir()
    os.mkfifo(tmp_path / "policies" / "0000000001.npz")
    assert policy_files(tmp_path) == []


def test_run_that_another_process_began_meanwhile_is_not_overwritten(tmp_path, monkeypatch):
    @contextmanager
    def late(folder):
        with alone(folder):
            SPEC.stored.save(folder)
            yield

    monkeypatch.setattr(run, "alone", late)
    with pytest.raises(EnvwrightError, match="holds a run already"):
        train(SPEC, Keeping(tmp_path))
    assert not read_log(tmp_path)


@pytest.mark.slow
def test_of_two_commands_at_once_one_trains_and_the_other_says_why_not(tmp_path, child_env):
    command = [sys.executable, "-m", "envwright", "train", "cartpole", "--steps", "20000"]
    both = [
        subprocess.Popen(
            [*command, "--checkpoint", str(tmp_path / "both")],
            env=child_env,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = {child.communicate(timeout=600)[1]: child.returncode for child in both}
    assert sorted(said.values()) == [0, 2]
    (sentence,) = (text for text, code in said.items() if code == 2)
    assert sentence.count("\n") == 1 and sentence.startswith("envwright: ")
    alone_at_it = [*command, "--checkpoint", str(tmp_path / "one")]
    subprocess.run(alone_at_it, env=child_env, check=True, capture_output=True)
    assert_same_end(tmp_path / "both", tmp_path / "one")


def test_to_resume_takes_a_folder():
    with pytest.raises(EnvwrightError, match="--resume needs the folder of the run"):
        train(SPEC, Keeping(resume=True))


def test_to_resume_what_never_began_begins_it(finished, tmp_path):
    spec = RunSpec(SPEC.simulator, CONFIG, (1, 2))
    result = train(spec, Keeping(tmp_path / "new", resume=True))
    assert timeless(result.curve) == timeless(finished[1].curve)
    assert read_spec(tmp_path / "new") == spec and manifest_of(tmp_path / "new")["seeds"] == [1, 2]


def test_a_run_that_cannot_begin_leaves_its_folder_free(tmp_path):
    wrong = replace(SPEC, simulator="envwright:cartpoll")
    with pytest.raises(EnvwrightError, match="did you mean 'cartpole'"):
        train(wrong, Keeping(tmp_path / "run"))
    stopped(SPEC, Keeping(tmp_path / "run"), at=1)


def test_the_host_loop_has_one_device():
    with pytest.raises(EnvwrightError, match="steps on the host; it uses one device"):
        open_runner(SPEC, in_python(RandomRing), SimpleNamespace(size=2))


def test_a_folder_without_a_run_is_said(tmp_path):
    with pytest.raises(EnvwrightError, match=r"there is no run in .*; train into it first"):
        read_spec(tmp_path)
    (tmp_path / "run.json").write_text('{"simulator": 3')
    with pytest.raises(EnvwrightError, match="cannot be read; train into another folder"):
        read_spec(tmp_path)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvwrightError, match="is not a folder"):
        train(SPEC, Keeping(tmp_path / "file"))
