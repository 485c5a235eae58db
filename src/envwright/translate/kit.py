"""Building blocks of the tests in a workspace. They run wherever the agent runs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.room import load_attribute
from envwright.schema.regression import RegressionTest
from envwright.schema.tolerance import Tolerances
from envwright.sim.records import Fields
from envwright.sim.resolve import as_simulator
from envwright.verify.compare import mismatches
from envwright.verify.golden import function_agrees


def golden_agrees(file: str, function: str, outputs: list[str], tolerances: dict[str, Any]) -> None:
    """Compare every recorded call of the reference with the translated function."""
    found = function_agrees(Path(file), function, outputs, Tolerances.from_json(tolerances))
    assert not found, found


def regression_agrees(file: str, entry: str) -> None:
    """Replay an earlier divergence against the reference's recorded answers."""
    test = RegressionTest.parse(Path(file).read_bytes())
    if test.start is None:
        return  # the harness alone can run it: it needs the reference
    twin = as_simulator(load_attribute(entry), entry, **test.options)
    twin.reset(0)
    twin.load({k: np.asarray(v) for k, v in test.start.items()})
    for step, wanted in enumerate(test.records()):
        record = twin.step(np.asarray(test.divergence["actions"][step]))
        got = {k: record[k] for k in wanted if k in record}
        differ = mismatches(_alike(wanted, got), got, test.closeness)
        assert not differ, f"step {step} of {file}: {differ[0]}"


def _alike(wanted: Fields, got: Fields) -> Fields:
    """Restore the dtypes of floats, which JSON loses, from the twin's values."""
    return {k: v.astype(got[k].dtype) if k in got else v for k, v in wanted.items()}
