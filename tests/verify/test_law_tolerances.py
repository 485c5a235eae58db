"""The comparison of laws takes for equal what the declared tolerances do."""

import numpy as np

from envwright.schema.tolerance import Tol, Tolerances
from envwright.verify.laws import _compare, _within_tolerance

STATE = {"state.x": np.float64(0.0)}


def p_of(theirs, ours, tolerances):
    """The smallest p of the outcomes of one transition."""
    sides = [[{"reward": np.float64(v)} for v in values] for values in (theirs, ours)]
    found = _compare(STATE, 0, *_within_tolerance(*sides, tolerances), digits=6)
    return min(difference.p for difference in found)


def test_rounding_within_a_tolerance_is_no_difference():
    theirs, ours = [0.0, 1.0] * 200, [-1.1e-16, 1.0 + 2e-16] * 200
    close = Tolerances(Tol(atol=1e-6, why="order of a sum"))
    assert p_of(theirs, ours, Tolerances()) < 1e-9
    assert p_of(theirs, ours, close) > 0.5


def test_a_tolerance_does_not_hide_another_law():
    rng = np.random.default_rng(0)
    close = Tolerances(fields={"reward": Tol(atol=1e-3, why="float32")})
    assert p_of(rng.normal(size=800), 3.0 * rng.normal(size=800), close) < 1e-6
    assert p_of(rng.normal(size=800), rng.normal(size=800), close) > 1e-4
    assert p_of([0.0] * 300 + [1.0] * 100, [0.0] * 200 + [1.0] * 200, close) < 1e-6
