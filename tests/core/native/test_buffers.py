"""Buffers: written in place, and refused by name where they do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from tests.core.native.counter import (
    MAX_STEPS,
    N,
    buffers,
    counter,
    ready,
    wrapped,
)


def test_step_writes_into_the_callers_memory():
    env, b = counter(), buffers()
    addresses = {name: array.ctypes.data for name, array in b.items()}
    env.reset(np.arange(N, dtype=np.uint64), b["obs"])
    assert (np.abs(b["obs"][:, 0]) <= 0.5).all() and (b["obs"][:, 1] == 0).all()
    env.step(**b)
    assert (b["obs"][:, 1] == np.float32(1 / MAX_STEPS)).all()
    assert (b["reward"] == 0).all()
    assert not b["terminated"].any() and not b["truncated"].any()
    assert (b["final_obs"] == -9).all(), "no episode ended"
    assert {name: array.ctypes.data for name, array in b.items()} == addresses


def test_flags_of_uninitialised_memory_are_no_problem():
    env, b = ready(), buffers()
    b["terminated"] = np.frombuffer(bytearray([0, 7, 255, 1, 2]), np.bool_)
    env.step(**b)
    assert b["terminated"].view(np.uint8).tolist() == [0] * N


def test_wrapper_returns_the_same_buffers_each_time():
    env = wrapped()
    obs = env.reset(seed=3)
    first, second = env.step(np.ones(N, np.int64)), env.step([1] * N)
    assert obs is first.obs is second.obs
    assert first.reward is second.reward and first.final_obs is second.final_obs


WRONG = {
    "list": (lambda a: a.tolist(), "is of type list; pass a NumPy array"),
    "dtype": (lambda a: a.astype(np.complex128), "has dtype complex128; pass an array of"),
    "byte order": (lambda a: a.astype(a.dtype.newbyteorder(">")), "has dtype >"),
    "shape": (
        lambda a: np.concatenate([a, a]),
        r"has shape \(10,.*\); pass an array of shape \(5,",
    ),
    "rank": (lambda a: a[..., None], "has shape"),
    "strides": (lambda a: np.repeat(a, 2, axis=0)[::2], "is not contiguous"),
    "misaligned": (lambda a: misaligned(a), "is not contiguous"),
}


def misaligned(array: np.ndarray) -> np.ndarray:
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    return np.frombuffer(memory, array.dtype).reshape(array.shape)


# A flag is one byte: it has neither a byte order nor an alignment.
UNFIT = [
    (name, wrong)
    for name, array in buffers().items()
    for wrong in WRONG
    if array.itemsize > 1 or wrong not in ("byte order", "misaligned")
]


@pytest.mark.parametrize(("name", "wrong"), UNFIT)
def test_unfit_buffer_is_refused_by_name_and_nothing_changes(name, wrong):
    env, b = ready(), buffers()
    spoil, message = WRONG[wrong]
    before = env.snapshot()
    contents = {other: array.copy() for other, array in b.items()}
    b[name] = spoil(b[name])
    with pytest.raises(ValueError, match=message) as error:
        env.step(**b)
    assert str(error.value).startswith(name)
    assert env.snapshot() == before
    for other in b.keys() - {name}:
        np.testing.assert_array_equal(b[other], contents[other])


@pytest.mark.parametrize("name", [name for name in buffers() if name != "actions"])
def test_read_only_buffer_is_refused(name):
    env, b = ready(), buffers()
    b[name].flags.writeable = False
    with pytest.raises(ValueError, match=f"^{name} is read-only; pass a writeable array$"):
        env.step(**b)


def test_read_only_actions_are_fine():
    env, b = ready(), buffers()
    b["actions"].flags.writeable = False
    env.step(**b)


def test_fortran_order_is_refused():
    env, b = ready(), buffers()
    b["obs"] = np.asfortranarray(b["obs"])
    with pytest.raises(ValueError, match="obs is not contiguous in memory; pass a C-contig"):
        env.step(**b)


def test_overlapping_buffers_are_refused():
    env, b = ready(), buffers()
    with pytest.raises(ValueError, match="final_obs shares memory with obs; give each buffer"):
        env.step(**b | {"final_obs": b["obs"]})
    with pytest.raises(ValueError, match="truncated shares memory with terminated"):
        env.step(**b | {"truncated": b["terminated"]})
    shared = np.zeros(2 * N + 2, np.float32)
    with pytest.raises(ValueError, match="reward shares memory with obs"):
        env.step(**b | {"obs": shared[: 2 * N].reshape(N, 2), "reward": shared[-N:]})
    memory = bytearray(4 * N)
    views = {
        "actions": np.frombuffer(memory, np.int32),
        "reward": np.frombuffer(memory, np.float32),
    }
    with pytest.raises(ValueError, match="reward shares memory with actions"):
        env.step(**b | views)


def test_neighbouring_buffers_in_one_block_are_fine():
    env, b = ready(), buffers()
    block = np.zeros(3 * N, np.float32)
    env.step(**b | {"obs": block[: 2 * N].reshape(N, 2), "reward": block[2 * N :]})
    assert block.any()


def test_reset_and_observe_check_their_buffers_too():
    env, obs = ready(), buffers()["obs"]
    with pytest.raises(ValueError, match="seeds has dtype int64; pass an array of uint64"):
        env.reset(np.arange(N), obs)
    with pytest.raises(ValueError, match="obs has shape"):
        env.reset(np.arange(N, dtype=np.uint64), obs[1:])
    with pytest.raises(ValueError, match="obs has dtype float64; pass an array of float32"):
        env.observe(obs.astype(np.float64))
