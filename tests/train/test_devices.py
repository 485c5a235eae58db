"""Environments divided among devices: the parameters of one are those of two."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.train.divided import CASES

from envwright.errors import EnvwrightError
from envwright.train.devices import agreed, is_first, join_hosts, make_mesh, meet

ROOT = Path(__file__).parents[2]
# Sums over rows are made of two halves, so the last bit of a gradient may differ, and Adam
# divides by its size. After six updates of four gradient steps we saw differences of at most
# 1.0 units in the last place of numbers from one to two (1.2e-7).
ULPS = 8


def told_by_two_devices(child_env, *names):
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    quick = {"JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}
    command = [sys.executable, "-m", "tests.train.divided", *names]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=child_env | flags | quick,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def check(found):
    assert found["undivided is one device"]
    assert found["moved"] > 1e-3, "something was learnt"
    assert found["ulps"] <= ULPS
    one, two = map(np.array, found["gradients"])
    np.testing.assert_allclose(two, one, rtol=1e-4)  # not doubled, not halved
    assert found["first episodes equal"], "the same actions, bit for bit, before any update"
    assert found["shards"] and all(parts == [size // 2] * 2 for size, parts in found["shards"])
    assert found["copies"], "agents are everywhere"
    assert found["compiled later"] == 0


@pytest.mark.slow
def test_two_devices_learn_what_one_learns(child_env):
    told = told_by_two_devices(child_env, "perceptron")
    assert told["devices"] == 2
    check(told["found"]["perceptron"])
    assert told["odd"] == (
        "9 environments do not divide among 2 devices; choose num_envs as a multiple of 2"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CASES if name != "perceptron"])
def test_so_do_populations_with_memory_and_self_play(child_env, name):
    check(told_by_two_devices(child_env, name)["found"][name])


def test_more_devices_than_there_are_is_refused():
    with pytest.raises(EnvwrightError, match="99 devices were asked for; there are"):
        make_mesh(99)
    with pytest.raises(EnvwrightError, match="0 devices were asked for"):
        make_mesh(0)


def test_one_process_is_first_and_waits_for_nobody():
    assert is_first() and agreed(True) and not agreed(False)
    meet("here")


@pytest.mark.parametrize("given", [("127.0.0.1:1", None, None), (None, 2, 0), ("a:1", 2, None)])
def test_half_a_description_of_hosts_is_refused(given):
    with pytest.raises(EnvwrightError, match="belong together; give all three, or none"):
        join_hosts(*given)
