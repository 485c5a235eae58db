"""The line search, which states seldom need: by itself, and as the only way to the solution."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from envwright.zoo.planar import solver
from envwright.zoo.planar.line_search import Edge, length_of_step

ROWS, STEPS = 12, 400


def costs_along(lengths, inertial, weight, before, after):
    """Half the squares of what each row is violated by, and of inertia, along Newton steps.

    Of inertia the slope at the start is what a Newton step has there: all that it will gain.
    """
    change = after - before
    gain = inertial + np.sum(np.where(before < 0, weight * change**2, 0), 0)
    springs = np.sum(np.where(before < 0, weight * before * change, 0), 0)
    at = before[..., None] + lengths * change[..., None]
    rows = 0.5 * np.sum(weight[..., None] * np.minimum(at, 0) ** 2, 0)
    straight = -gain - springs
    return 0.5 * inertial[:, None] * lengths**2 + straight[:, None] * lengths + rows


def test_a_step_lowers_the_cost_and_is_whole_where_its_end_still_leads_down():
    rng = np.random.default_rng(0)
    weight = rng.uniform(0, 10, (ROWS, STEPS))
    before, after = rng.normal(size=(2, ROWS, STEPS))
    inertial = rng.uniform(0.5, 20, STEPS)
    edges = [Edge(*map(jnp.asarray, row)) for row in zip(weight, before, after, strict=True)]
    found = np.asarray(length_of_step(edges, jnp.asarray(inertial)), np.float64)
    places = np.stack([np.zeros(STEPS), found, np.full(STEPS, 1 - 1e-6), np.ones(STEPS)], 1)
    start, taken, near, end = costs_along(places, inertial, weight, before, after).T
    assert np.all(taken < start)
    np.testing.assert_array_equal(found == 1, end < near)
    assert 100 < (found == 1).sum() < STEPS - 100


def test_with_nothing_but_the_line_search_the_solution_is_mujocos(monkeypatch):
    pytest.importorskip("mujoco")
    from tests.zoo.planar.test_engine import BOUNDS, STATES, states

    from envwright.zoo.halfcheetah.reference.inside import OursInside, ReferenceInside

    called = []
    search = solver.length_of_step
    monkeypatch.setattr(solver, "QUICK_ITERATIONS", 0)
    monkeypatch.setattr(solver, "length_of_step", lambda *a: called.append(1) or search(*a))
    rng = np.random.default_rng(0)
    several, controls = states(rng), list(rng.uniform(-1, 1, (STATES, 6)).astype(np.float32))
    sides = [side().step_many(several, controls) for side in (ReferenceInside, OursInside)]
    assert len(called) > 2
    for field in ("obs.push", "obs.acceleration", "state.velocity"):
        expected, got = (np.stack([record[field] for record in side]) for side in sides)
        assert np.abs(got - expected).max() < BOUNDS[field], field
