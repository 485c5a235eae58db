"""How far rounding reaches in a step, measured by starting from slightly different states.

Computing with fewer digits has the same effect: how far the outcome moves measures how far two
programs that round differently may be apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from envwright.sim.records import Fields
from envwright.sim.simulator import Simulator
from envwright.verify.sampling import Case

SHAKES = (2.0**-18, 2.0**-28)  # visible in float32, and small even where errors grow
WIDER = 8
STEADY = 3


def reach_of(simulator: Simulator, cases: Sequence[Case], what: str) -> dict[str, float]:
    """Return how far fields of a step move per relative error of the state or the action.

    For the state, this counts only what exceeds a relative tolerance: sums that nearly cancel, and
    errors that grow. Actions have fewer digits than the state and need not be of its size.
    """
    rng = np.random.default_rng(0)
    reach: dict[str, float] = {}
    for case in cases:
        floats = _floats(case, what)
        signs = {k: rng.choice([-1.0, 1.0], v.shape) for k, v in floats.items()}
        for shake in SHAKES if floats else ():
            near = _moves(simulator, case, what, signs, shake)
            far = _moves(simulator, case, what, signs, WIDER * shake)
            for name, moved in near.items():
                # Over an edge a value jumps, however small the change.
                steady = far.get(name, 0.0) / STEADY <= moved <= far.get(name, 0.0) * STEADY
                reach[name] = max(reach.get(name, 0.0), moved if steady else 0.0)
    return reach


def _floats(case: Case, what: str) -> Fields:
    fields = case.state if what == "state" else {"action": np.asarray(case.action)}
    return {k: v for k, v in fields.items() if v.dtype.kind == "f"}


def _moves(
    simulator: Simulator, case: Case, what: str, signs: Fields, size: float
) -> dict[str, float]:
    """Return how far each float moved per relative error, or nothing if flags differ."""
    moved = {k: (v * (1 + size * signs[k])).astype(v.dtype) for k, v in _floats(case, what).items()}
    try:
        simulator.load(case.state | (moved if what == "state" else {}))
        outcome = simulator.step(moved.get("action", case.action))
    except Exception:
        return {}  # it rejects slightly changed states
    floats = {k: v for k, v in case.outcome.items() if v.dtype.kind == "f"}
    if any(not np.array_equal(v, outcome[k]) for k, v in case.outcome.items() if k not in floats):
        return {}
    allowed = size if what == "state" else 0.0
    finite = {k: v for k, v in floats.items() if np.isfinite(v).all()}
    return {k: _gap(v, outcome[k], allowed) / size for k, v in finite.items()}


def _gap(a: np.ndarray, b: np.ndarray, allowed: float) -> float:
    """Return the largest visible movement of an element that exceeds a share of it."""
    gaps, own = np.abs(b.astype(np.float64) - a), np.abs(a)
    counts = (gaps > allowed * own) & (gaps > 4 * np.spacing(own))
    return float(np.where(counts, gaps, 0.0).max(initial=0.0))
