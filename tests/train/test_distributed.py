"""Two processes train together what one would train alone."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from tests.train.runs import arrays_of, timeless
from tests.train.test_devices import ULPS

from envwright.train import Keeping, PPOConfig, RunSpec, train
from envwright.train.log import read_log

ROOT = Path(__file__).parents[2]
ULP = 2.0**-23
SIMULATOR = "envwright:cartpole"
CONFIG = dict(
    steps=500, num_envs=8, rollout=8, epochs=2, minibatches=2, network="16", learning_rate=1e-3
)


def free_port():
    """Below the range from which the system serves others until the children listen."""
    for port in range(20_000 + os.getpid() % 10_000, 32_000):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port")


@contextmanager
def together(folder, child_env, die=None):
    """Two processes of one device each; neither outlives the test."""
    address = f"127.0.0.1:{free_port()}"
    children = []
    for process in range(2):
        told = {"simulator": SIMULATOR, "config": CONFIG, "folder": str(folder), "devices": 2}
        told |= {"join": [address, 2, process]} | ({"die": die} if die and process == 0 else {})
        command = [sys.executable, "-m", "tests.train.child", json.dumps(told)]
        output = open(folder.parent / f"process{process}.txt", "w+")  # noqa: SIM115
        children.append(
            subprocess.Popen(command, cwd=ROOT, env=child_env, stdout=output, stderr=output)
        )
    try:
        yield children
    finally:
        for child in children:
            child.kill()
            child.wait()


def said(folder):
    return "\n".join(path.read_text() for path in sorted(folder.parent.glob("process*.txt")))


@pytest.mark.slow
def test_two_processes_train_as_one_and_go_on_after_a_death(tmp_path, child_env):
    folder, alone = tmp_path / "together" / "run", tmp_path / "alone"
    folder.parent.mkdir()
    child_env = child_env | {"JAX_NUM_CPU_DEVICES": "1", "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}
    with together(folder, child_env, die=["named", 3]) as (first, second):
        assert first.wait(timeout=600) == -signal.SIGKILL, said(folder)
        assert second.poll() is None or second.returncode != 0, "it cannot go on alone"
    assert [line["update"] for line in read_log(folder)] == [1, 2, 3]
    with together(folder, child_env) as children:
        assert [child.wait(timeout=600) for child in children] == [0, 0], said(folder)

    train(RunSpec(SIMULATOR, PPOConfig(**CONFIG)), Keeping(alone))
    ours, theirs = arrays_of(folder), arrays_of(alone)
    assert ours.keys() == theirs.keys()
    policies = [name for name in theirs if ".npz" in name and theirs[name].dtype.kind == "f"]
    off = max(float(np.abs(ours[name] - theirs[name]).max()) for name in policies)
    # The same two halves of every sum as on two devices of one process; we saw 0.5 ulps.
    assert policies and off <= ULPS * ULP
    lines = read_log(folder)
    assert len(lines) == 8, "one process writes the log"
    for one, two in zip(timeless(lines), timeless(read_log(alone)), strict=True):
        assert (one["update"], one["episodes"]) == (two["update"], two["episodes"])
        assert np.isclose(one["gradient"], two["gradient"], rtol=1e-4).all()
    assert len(list((folder / "tensorboard").iterdir())) == 2, "one file for each start"
    written = os.listdir(folder / "checkpoints" / "0000000008" / "arrays")
    assert {"ocdbt.process_0", "ocdbt.process_1"} <= set(written), "each writes its own lanes"
