"""A plan of level 4 that a file asks for stays within what a machine can do."""

from __future__ import annotations

import pytest

from envwright.errors import EnvwrightError
from envwright.verify.transfer.plan import TransferPlan

WRONG = {
    "seeds": ({"seeds": 10**9}, "seeds of level 4 must be at most 4,096"),
    "reference seeds": ({"reference_seeds": 10**9}, "reference_seeds of level 4 must be at most"),
    "episodes": ({"episodes": 10**12}, "episodes of level 4 must be at most"),
    "horizon": ({"horizon": 10**12}, "the horizon of level 4 must be at most"),
    "stages": ({"stages": (0.5,) * 1000}, "the number of stages must be at most 100"),
    "alpha": ({"alpha": 2.0}, "alpha of level 4 lies between 0 and 1"),
    "no number": ({"alpha": float("nan")}, "alpha of level 4 lies between 0 and 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_sizes_of_a_plan_are_bounded(case):
    sizes, sentence = WRONG[case]
    with pytest.raises(EnvwrightError, match=sentence):
        TransferPlan(1.0, "a test", **sizes)
