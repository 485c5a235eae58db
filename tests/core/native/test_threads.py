"""Seeds and threads: the same results on any number of them, none raced."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from tests.core.native.counter import (
    random_actions,
    wrapped,
)

from envwright.core.native import NativeVectorEnv, available_cores


def test_seeds_decide_the_start():
    one, each = wrapped(), wrapped()
    np.testing.assert_array_equal(one.reset(seed=40), each.reset(seed=[40, 41, 42, 43, 44]))
    start = one.state()
    later = one.reset().copy()
    one.reset(seed=40)
    np.testing.assert_array_equal(one.state()["random"], start["random"])
    np.testing.assert_array_equal(one.reset(), later)
    assert (one.state()["random"] != start["random"]).all()
    mixed = wrapped()
    mixed.reset(seed=[40, None, 42, None, 44])
    same = mixed.state()["random"] == start["random"]
    assert same.tolist() == [True, False, True, False, True]


def run(env: NativeVectorEnv, actions: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    env.reset(seed=11)
    return [tuple(array.copy() for array in env.step(row)) for row in actions]


@pytest.mark.parametrize("num_envs", [1, 3, 64, 1000])
def test_results_do_not_depend_on_threads(num_envs):
    actions = random_actions(40, num_envs)
    alone = run(wrapped(num_envs, threads=1), actions)
    for threads in (2, 3, 7):
        together = run(wrapped(num_envs, threads), actions)
        for expected, actual in zip(alone, together, strict=True):
            for a, b in zip(expected, actual, strict=True):
                np.testing.assert_array_equal(a, b)


def test_other_threads_run_during_a_step():
    """With a switch interval of minutes, a second thread runs only if `step` gives way."""
    env = wrapped(2_000_000)
    env.reset(seed=0)
    actions = np.ones(env.num_envs, np.int32)
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(600)
    try:
        thread.start()
        progress, end = 0, time.monotonic() + 120
        while progress < 5 and time.monotonic() < end:
            before = ticks[0]
            env._native.step(
                actions, env.obs, env.reward, env.terminated, env.truncated, env.final_obs
            )
            progress += ticks[0] - before
        assert progress >= 5
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        thread.join()


def test_two_threads_on_one_environment_are_refused_not_raced():
    env = wrapped(500_000)
    env.reset(seed=0)
    actions = np.ones(env.num_envs, np.int32)
    stop = threading.Event()

    def step():
        while not stop.is_set():
            env._native.step(
                actions, env.obs, env.reward, env.terminated, env.truncated, env.final_obs
            )

    thread = threading.Thread(target=step)
    thread.start()
    try:
        deadline = time.monotonic() + 120
        message = ""
        while "in use by another thread" not in message and time.monotonic() < deadline:
            repr(env)  # what never changes stays readable
            try:
                env.snapshot()
            except RuntimeError as error:
                message = str(error)
        assert message == "this environment is in use by another thread; give each thread its own"
    finally:
        stop.set()
        thread.join()


FORKS = """
import os, numpy as np
from envwright._native import CounterVecEnv
from envwright.core.native import NativeVectorEnv
env = NativeVectorEnv(CounterVecEnv(1000, 2))
env.reset(seed=0)
env.step(np.ones(1000, np.int32))
child = os.fork()
if child == 0:
    try:
        env.step(np.ones(1000, np.int32))
    except RuntimeError as error:
        print(error, flush=True)
    del env
    os._exit(0)
os.waitpid(child, 0)
env.step(np.ones(1000, np.int32))
print("parent goes on")
"""


def test_a_forked_child_is_told_instead_of_hanging():
    done = subprocess.run(
        [sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=300, check=True
    )
    child, parent = done.stdout.splitlines()
    assert child.endswith("make the environment after the fork")
    assert parent == "parent goes on"


def test_available_cores_is_a_usable_thread_count():
    assert wrapped(8, available_cores()).threads >= 1
