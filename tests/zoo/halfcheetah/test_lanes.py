"""The reference for the host loop: what was kept goes on as if it had never stopped."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("mujoco")
from envwright.zoo.halfcheetah.reference import CheetahReference


def test_lanes_go_on_where_they_were_kept_bit_for_bit():
    actions = np.random.default_rng(0).uniform(-1, 1, (1020, 2, 6)).astype(np.float32)
    lanes, other = (CheetahReference().lanes(2) for _ in range(2))
    lanes.reset([1, 2])
    for action in actions[:400]:
        lanes.step(action)
    np.testing.assert_array_equal(other.restore(lanes.snapshot()).obs, lanes.obs)
    ends = 0
    for action in actions[400:]:  # past the end of the episode, into starts that are drawn
        expected, got = lanes.step(action), other.step(action)
        np.testing.assert_array_equal(got.view.obs, expected.view.obs)
        np.testing.assert_array_equal(got.truncated, expected.truncated)
        ends += expected.truncated.sum()
    assert ends == 2
