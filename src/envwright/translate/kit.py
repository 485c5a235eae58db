"""Building blocks of the tests in a workspace. They run wherever the agent runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.registry import load_attribute
from envwright.sim.records import Fields
from envwright.sim.resolve import as_simulator
from envwright.verify.compare import mismatches
from envwright.verify.golden import function_agrees
from envwright.verify.tolerance import Tolerances


def golden_agrees(file: str, function: str, outputs: list[str], tolerances: dict[str, Any]) -> None:
    """Compare every recorded call of the reference with the translated function."""
    found = function_agrees(Path(file), function, outputs, Tolerances.from_json(tolerances))
    assert not found, found


def regression_agrees(file: str, entry: str) -> None:
    """Replay an earlier divergence against the reference's recorded answers."""
    data = json.loads(Path(file).read_text())
    if data["start"] is None:
        return  # the harness alone can run it: it needs the reference
    twin = as_simulator(load_attribute(entry), entry, **data["options"])
    twin.reset(0)
    twin.load({k: np.asarray(v) for k, v in data["start"].items()})
    tolerances = Tolerances.from_json(data["tolerances"])
    for step, expected in enumerate(data["expected"]):
        record = twin.step(np.asarray(data["divergence"]["actions"][step]))
        state = {f"state.{k}": v for k, v in expected.pop("state").items()}
        wanted = {k: np.asarray(v) for k, v in {**expected, **state}.items()}
        got = {k: record[k] for k in wanted if k in record}
        differ = mismatches(_alike(wanted, got), got, tolerances)
        assert not differ, f"step {step} of {file}: {differ[0]}"


def _alike(wanted: Fields, got: Fields) -> Fields:
    """Restore the dtypes of floats, which JSON loses, from the twin's values."""
    return {k: v.astype(got[k].dtype) if k in got else v for k, v in wanted.items()}
