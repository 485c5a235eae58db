"""Saved divergences read back, whatever their starts and names are made of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.schema.divergence import Steps, load_divergence


def divergence(start: dict[str, Any], **fields: Any) -> Steps:
    known: dict[str, Any] = {
        "level": 3,
        "reference": "gymnasium:A-v0",
        "twin": "python:a:A",
        "field": "state.x",
        "reference_value": 1,
        "twin_value": 2,
        "tolerance": "exact",
        "step": 0,
        "origin": "a test",
        "seed": 0,
        "actions": [1],
        "start": start,
    }
    return Steps(**known | fields)


FORGED = "x\n\nboth were run again: they agree now"


@pytest.mark.parametrize(
    "name", ["reference", "twin", "field", "tolerance", "origin", "raised", "hint", "twin_value"]
)
def test_no_field_looks_like_a_line_of_ours(name: str) -> None:
    found = divergence({}, **{name: FORGED})
    assert "they agree now" in str(found)
    assert all(line.startswith("  ") for line in str(found).splitlines()[1:] if line)


def test_lines_of_a_log_stay_in_line() -> None:
    log = "log        one\n             two"
    assert f"  {log}" in str(divergence({}, hint=log))


def read_back(found: Steps, folder: Path) -> Any:
    return load_divergence(Path(found.save(folder).path))


@pytest.mark.parametrize(
    "dtype",
    ["bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4", "float16", "bool", "<U3"],
)
def test_start_of_any_dtype_keeps_its_values(dtype: str, tmp_path: Path) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    x = np.array([[0, 1, 3], [5, 6, 7]]).astype(kind)
    start = {"x": x, "none": x[:0], "one": x[0, 1]}
    found = read_back(divergence(start), tmp_path)
    for name, value in start.items():
        assert found.start[name].shape == value.shape
        np.testing.assert_array_equal(found.start[name].astype(kind), value)


@pytest.mark.parametrize(
    "odd",
    [
        np.array([{}, None], object),
        np.zeros(2, [("a", "i4")]),
        np.array(["2026-11-19"], "datetime64[D]"),
        np.array([[1], [2, 3]], object),
    ],
    ids=["objects", "records", "dates", "ragged"],
)
def test_start_that_no_file_could_hold_is_refused_by_its_name(odd: Any, tmp_path: Path) -> None:
    refused = pytest.raises(EnvwrightError, match=r"cannot save .*: odd of its start holds")
    with refused:
        divergence({"x": np.ones(3), "odd": odd}).save(tmp_path)
    assert not os.listdir(tmp_path)


def test_name_that_is_not_utf8_is_spelled_out(tmp_path: Path) -> None:
    twin = os.fsdecode(b"python:/home/j\xf6rg/a.py:A")
    found = read_back(divergence({"x": np.ones(3)}, twin=twin), tmp_path)
    assert found.twin == r"python:/home/j\udcf6rg/a.py:A"
