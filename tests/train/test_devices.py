"""Environments divided among devices and processes come to the same agent."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
from tests.train.sharded import ENVS

from envwright.errors import EnvwrightError
from envwright.train.config import PPOConfig
from envwright.train.devices import check_divides, join_hosts, make_mesh
from envwright.train.run import RunSpec, open_runner, policy_files
from envwright.train.targets import open_target

ROOT = Path(__file__).parents[2]
# Sums over environments are taken in another order: measured 1.2e-7 after ten updates. A
# gradient that is counted twice, or left on its device, moves parameters by 1e-3 and more.
CLOSE = 2e-6
TWO_DEVICES = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}


def start(told, env):
    command = [sys.executable, "-m", "tests.train.sharded", json.dumps(told)]
    return subprocess.Popen(
        command, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def told_by(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def parameters(folder):
    with np.load(policy_files(folder)[-1]) as file:
        return {name: file[name] for name in file.files if file[name].dtype.kind == "f"}


def largest_gap(a, b):
    assert a.keys() == b.keys()
    return max(float(np.abs(a[name] - b[name]).max()) for name in a)


@pytest.fixture(scope="module")
def alone(tmp_path_factory, child_env):
    """A run on one device, in a process with two."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    about = told_by(start({"folder": str(folder), "devices": 1}, child_env | TWO_DEVICES))
    assert about["devices"] == 2 and about["held"] == [[ENVS, 4]]
    return folder


def test_two_devices_come_to_the_parameters_of_one(alone, tmp_path, child_env):
    about = told_by(start({"folder": str(tmp_path / "run"), "devices": 2}, child_env | TWO_DEVICES))
    assert about["held"] == [[ENVS // 2, 4]] * 2, "each device has half of the environments"
    assert largest_gap(parameters(alone), parameters(tmp_path / "run")) < CLOSE


def test_training_moves_parameters_by_far_more_than_devices_do(alone):
    trained = parameters(alone)
    spec = RunSpec("envwright:cartpole", PPOConfig(num_envs=ENVS, rollout=16))
    runner = open_runner(spec, open_target(spec.simulator))
    fresh = runner.agent(runner.init()).params["params"]["actor_body"]["Dense_1"]["kernel"]
    (name,) = [n for n in trained if "actor_body" in n and "Dense_1" in n and "kernel" in n]
    assert np.abs(trained[name] - np.asarray(fresh)).max() > 1000 * CLOSE


def test_two_processes_come_to_the_parameters_of_one_and_resume(alone, tmp_path, child_env):
    folder = tmp_path / "run"
    for updates, resume in ((10, False), (10, True)):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        common = {"folder": str(folder), "coordinator": address, "updates": updates}
        common |= {"resume": resume}
        both = [start(common | {"process": index}, child_env) for index in (0, 1)]
        told = [told_by(process) for process in both]
        assert all(about["held"] == [[ENVS // 2, 4]] for about in told)
        assert told[0]["returns"] == told[1]["returns"]
    assert largest_gap(parameters(alone), parameters(folder)) < CLOSE
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["update"] for line in lines] == list(range(1, 11))
    assert not list((folder / "checkpoints").glob(".*")), "no half-written checkpoint is left"


@pytest.mark.parametrize("devices", [0, 1000])
def test_devices_that_do_not_exist_are_refused(devices):
    with pytest.raises(EnvwrightError, match=f"there are {len(jax.devices())}"):
        make_mesh(devices)


def test_environments_must_divide_among_the_devices():
    class Three:
        size = 3

    with pytest.raises(EnvwrightError, match="multiple of 3"):
        check_divides(8, Three())  # type: ignore[arg-type]


def test_hosts_need_all_of_their_three_numbers():
    with pytest.raises(EnvwrightError, match="belong together"):
        join_hosts("127.0.0.1:1", 2, None)


def test_an_environment_on_the_host_uses_one_device():
    class Two:
        size = 2

    spec = RunSpec("gymnasium:CartPole-v1", PPOConfig(num_envs=8, rollout=8))
    with pytest.raises(EnvwrightError, match="uses one device"):
        open_runner(spec, open_target(spec.simulator), Two())  # type: ignore[arg-type]
