"""A test made from a divergence is a file that reads back as it was written."""

import json

import numpy as np
import pytest

from envwright.schema.divergence import Steps
from envwright.schema.regression import RegressionTest

FOUND = {
    "level": 3,
    "reference": "python:lamp:LampEnv",
    "twin": "python:fast_lamp.env:Lamp",
    "field": "truncated",
    "reference_value": True,
    "twin_value": False,
    "tolerance": "exact",
    "step": 0,
    "seed": 3,
    "actions": [1],
    "start": None,
    "origin": "an episode of the random policy",
}
WHOLE = RegressionTest(
    check="plain",
    options={"dtype": "float64"},
    divergence=FOUND,
    tolerances={},
    start={"heat": np.float64(0.5)},
    expected=[{"reward": np.array([1.0, np.inf]), "state": {"heat": np.float32(0.25)}}],
)


def test_a_written_test_is_read_again():
    written = WHOLE.encode()
    again = RegressionTest.parse(written)
    assert again.encode() == written
    assert (again.check, again.options, again.start) == ("plain", WHOLE.options, {"heat": 0.5})
    assert isinstance(again.steps, Steps) and again.steps.actions == [1]
    assert again.closeness.exact


def test_the_expected_state_is_part_of_the_record():
    (record,) = RegressionTest.parse(WHOLE.encode()).records()
    assert set(record) == {"reward", "state.heat"} and record["state.heat"] == 0.25


def test_a_test_of_an_older_run_needs_only_its_divergence():
    old = RegressionTest.parse(json.dumps({"check": "plain", "divergence": FOUND}).encode())
    assert old.start is None and list(old.records()) == [] and old.steps.step == 0


@pytest.mark.parametrize("text", [b"{}", b"[]", b"{"])
def test_a_malformed_test_is_a_value_error(text):
    with pytest.raises(ValueError, match=r"missing|Expected|Expecting"):
        RegressionTest.parse(text)
