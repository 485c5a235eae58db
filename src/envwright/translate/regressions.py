"""Turn a divergence into a test before it is repaired.

The test contains the reference's answer at every step, so that the agent can run it alone. The
harness runs the reference again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.schema.divergence import Steps
from envwright.schema.regression import RegressionTest
from envwright.schema.translation import Check
from envwright.sim.records import Fields, is_over, state_of, without_state
from envwright.verify.pair import Pair

STEPS = 200  # longest test for the agent; only the harness has longer ones


def regression(check: Check, pair: Pair, found: Steps) -> bytes:
    """Return the test as a file."""
    test = RegressionTest(
        check=check.label,
        options=check.options,
        divergence=found.to_json(),
        tolerances=check.tolerances.to_json(),
        **_answers(pair, found),
    )
    return test.encode()


def divergence_of(test: bytes) -> tuple[str, Steps]:
    """Return a test's check and the divergence behind it."""
    parsed = RegressionTest.parse(test)
    return parsed.check, parsed.steps


def _answers(pair: Pair, found: Steps) -> dict[str, Any]:
    """Return start and expected steps in the twin's terms, if the start is a state."""
    if found.start is None or pair.bridge is None or not 0 < len(found.actions) <= STEPS:
        return {"start": None, "expected": []}
    pair.reference.load(found.start)
    expected: list[dict[str, Any]] = []
    for action in found.actions:
        record = pair.reference.step(action)
        expected.append({**without_state(record), "state": _ours(pair, record)})
        if is_over(record):
            break
    start = {k: np.asarray(v) for k, v in pair.bridge.to_twin(found.start).items()}
    return {"start": start, "expected": expected}


def _ours(pair: Pair, record: Fields) -> Fields:
    assert pair.bridge is not None
    return {k: np.asarray(v) for k, v in pair.bridge.to_twin(state_of(record)).items()}
