"""Snapshots go on to the same end; damaged ones are refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.core.native.counter import (
    N,
    random_actions,
    wrapped,
)

from envwright._native import CounterVecEnv
from envwright.core.native import NativeVectorEnv


def test_snapshot_continues_to_the_same_end_on_other_threads():
    env, twin = wrapped(300, threads=1), wrapped(300, threads=2)
    actions = random_actions(60, 300)
    env.reset(seed=1)
    for row in actions[:30]:
        env.step(row)
    np.testing.assert_array_equal(twin.restore(env.snapshot()), env.obs)
    for row in actions[30:]:
        expected, actual = env.step(row), twin.step(row)
        ended = expected.terminated | expected.truncated
        for a, b in zip(expected[:4], actual[:4], strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(expected.final_obs[ended], actual.final_obs[ended])
    assert env.snapshot() == twin.snapshot()


def test_damaged_or_foreign_snapshot_is_refused_and_nothing_changes():
    env = wrapped()
    env.reset(seed=0)
    good = env.snapshot()

    def refused(snapshot: bytes, message: str):
        with pytest.raises(ValueError, match=message):
            env.restore(snapshot)
        assert env.snapshot() == good

    refused(b"", "no snapshot; pass what snapshot")
    refused(b"PK\x03\x04 something else", "no snapshot")
    refused(good[:-1], "damaged or cut short; take it anew")
    refused(good + b"\0", "damaged or cut short")
    refused(good[:30] + bytes([good[30] ^ 1]) + good[31:], "damaged or cut short")
    refused(good[:6] + b"\x09" + good[7:], "format 9 and this version reads format 1")

    larger = wrapped(N + 1)
    larger.reset(seed=0)
    refused(larger.snapshot(), "holds 6 environments and this one has 5; make one with 6")
    other = NativeVectorEnv(CounterVecEnv(N, bound=7))
    other.reset(seed=0)
    refused(other.snapshot(), "is of 'counter v1, bound 7, .* and this is 'counter v1, bound 4")
    with pytest.raises(TypeError):
        env.restore("text")
