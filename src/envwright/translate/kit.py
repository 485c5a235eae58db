"""Building blocks of the tests in a workspace. They run wherever the agent runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.registry import load_attribute
from envwright.sim.records import Fields
from envwright.sim.resolve import as_simulator
from envwright.sim.serve import call
from envwright.verify.compare import mismatches
from envwright.verify.golden import compare_golden, load_golden
from envwright.verify.tolerance import Tolerances


def golden_agrees(file: str, function: str, outputs: list[str], tolerances: dict[str, Any]) -> None:
    """Compare every recorded call of the reference with the translated function."""
    inputs, expected = load_golden(Path(file))
    expected = {k: expected[k] for k in outputs or expected}

    def ours(table: Fields) -> Fields:
        got = call(function, table)
        missing = [name for name in expected if name not in got]
        assert not missing, f"{function} does not return {missing[0]!r}"
        return {name: got[name] for name in expected}

    found = compare_golden((inputs, expected), ours, Tolerances.from_json(tolerances))
    if found is not None:
        row, given, mismatch = found
        shown = ", ".join(f"{k} = {v}" for k, v in given.items())
        raise AssertionError(f"row {row} of {file}: {mismatch}\n  inputs {shown}")


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
