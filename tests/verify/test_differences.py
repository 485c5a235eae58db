"""Distributions of differences: quantiles bound what they say, and parts add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envwright.verify.compare import differences
from envwright.verify.differences import PER_DECADE, SHARES, Differences, Spread, merged

SIZES = st.lists(st.floats(0, 1e15, allow_nan=False), min_size=1, max_size=60)
COARSE = 10 ** (1 / PER_DECADE)


@given(SIZES, st.sampled_from([0.5, 0.9, 0.99, 0.999, 1.0]))
def test_a_quantile_is_never_too_small_and_at_most_a_bin_too_large(sizes, share):
    spread, exact = Spread.of(np.array(sizes)), sorted(sizes)
    true = exact[int(np.ceil(share * len(sizes) - 1e-9)) - 1]
    told = spread.quantile(share)
    assert told >= min(true, spread.largest)
    within = 1e-20 < true < 1e12  # beyond the bins only the largest is known
    assert not within or told <= true * COARSE * (1 + 1e-9)


@given(SIZES, SIZES)
def test_parts_add_up_to_the_whole(one, two):
    parts = Spread.of(np.array(one))
    parts.add(Spread.of(np.array(two)))
    whole = Spread.of(np.array(one + two))
    assert parts.quantiles() == whole.quantiles() and parts.total == len(one + two)


def test_what_is_no_number_is_infinitely_far():
    spread = Spread.of(np.array([0.0, 1e-3, np.nan]))
    assert spread.largest == np.inf == spread.quantile(1.0)
    assert spread.quantile(1 / 3) == 0 and spread.quantile(0.6) == pytest.approx(1e-3, rel=0.13)


def test_nothing_at_all_has_no_differences():
    assert Spread().quantiles() == dict.fromkeys([*SHARES, "largest"], 0.0)


def test_relative_differences_are_of_the_larger_number():
    found = differences({"x": np.array([1.0, 0.0, 4.0])}, {"x": np.array([1.0, 1e-9, 2.0])})["x"]
    assert found.absolute.largest == 2.0 and found.relative.largest == 1.0
    assert found.relative.quantile(0.5) == pytest.approx(0.5, rel=0.13)


def test_differences_are_merged_by_check_and_field():
    a = {"one": {"x": Differences.of(np.array([1.0]), np.array([2.0]))}}
    b = {
        "one": {"x": Differences.of(np.array([3.0, 0.0]), np.array([6.0, 1.0]))},
        "two": {"y": Differences()},
    }
    whole = merged([a, b])
    assert whole["one"]["x"].absolute.total == 3 and whole["one"]["x"].absolute.largest == 3.0
    assert whole["two"]["y"].exact and a["one"]["x"].absolute.total == 1
