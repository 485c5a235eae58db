"""The engine beside MuJoCo's own arrays, stage by stage, from ordinary and extreme states."""

from __future__ import annotations

import numpy as np
import pytest

from envwright.zoo.halfcheetah.env import robot

pytest.importorskip("mujoco")
from envwright.zoo.halfcheetah.reference.inside import NAMES, OursInside, ReferenceInside

STATES = 600


def states(rng):
    """Standing, falling, on its back, deep in the ground, far away, joints beyond their limits."""
    wide = rng.choice([0.3, 1.0, 3.0], STATES)[:, None]
    position = wide * rng.normal(size=(STATES, 9)) * [100, 0.2, 1.5, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6]
    position[:, 1] -= 0.2
    velocity = wide * 5 * rng.normal(size=(STATES, 9))
    warm = 100 * rng.normal(size=(STATES, 9))
    rows = zip(position, velocity, warm, strict=True)
    return [{**dict(zip(NAMES, row, strict=True)), "time": np.asarray(0)} for row in rows]


@pytest.fixture(scope="module")
def answers():
    """What MuJoCo and ours say of the same states."""
    rng = np.random.default_rng(0)
    several, controls = states(rng), rng.uniform(-1, 1, (STATES, 6)).astype(np.float32)
    expected = ReferenceInside().step_many(several, list(controls))
    return expected, OursInside().step_many(several, list(controls))


# Largest numbers are 10^4, through a solver whose rows have weights from 10^-4 to 10^3.
BOUNDS = {
    "obs.centres": 1e-12,  # MuJoCo counts from the start, which is up to 300 m away
    "obs.mass_matrix": 1e-12,
    "obs.bias": 1e-8,
    "obs.smooth": 1e-8,
    "obs.contact_jacobian": 1e-12,
    "obs.contact_weight": 1e-9,
    "obs.limit_weight": 1e-9,
    "obs.push": 1e-6,
    "obs.acceleration": 1e-6,
    "state.position": 1e-10,
    "state.velocity": 1e-8,
    "state.acceleration": 1e-6,
}


@pytest.mark.parametrize("field", BOUNDS)
def test_every_stage_is_mujocos(answers, field):
    expected, got = (np.stack([record[field] for record in side]) for side in answers)
    assert np.abs(expected).max() > 0
    assert np.abs(got - expected).max() < BOUNDS[field]


def test_the_states_are_what_they_are_meant_to_be(answers):
    expected, _ = answers
    touching = np.array([np.count_nonzero(r["obs.contact_weight"]) for r in expected])
    limited = np.array([np.count_nonzero(r["obs.limit_weight"]) for r in expected])
    assert (touching == 0).sum() > 50 and (touching >= 8).sum() > 20 and touching.max() >= 14
    assert (limited == 0).sum() > 5 and limited.max() == 6
    assert len(robot().tips) == 16
