"""Processes of a benchmark."""

from __future__ import annotations

import pytest

from envwright.bench.children import Child, prepared, shares
from envwright.errors import EnvwrightError


def test_a_batch_is_divided_as_evenly_as_can_be() -> None:
    assert shares(10, 4) == [3, 3, 2, 2] and shares(2, 2) == [1, 1]


def test_a_child_that_cannot_do_its_work_is_told_in_its_own_last_words() -> None:
    child = Child("envwright.bench.no_such_module")
    with pytest.raises(EnvwrightError, match="No module named"):
        prepared([child], 1, compiles=True)
    assert child.process.returncode is not None
