"""Correlation of paired returns, where it is defined."""

from __future__ import annotations

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.schema.results import Correlation
from envwright.verify.transfer.correlation import correlate

RETURNS = np.array([1.0, 2.0, 3.0, 5.0, 8.0])


def test_a_line_correlates_fully_in_both():
    found = correlate(RETURNS, 2 * RETURNS + 1)
    assert (found.pearson, found.spearman) == pytest.approx((1.0, 1.0))


def test_order_alone_is_spearmans():
    found = correlate(RETURNS, np.exp(RETURNS))
    assert found.spearman == pytest.approx(1.0)
    assert found.pearson < 0.95


def test_a_reversed_order_is_negative():
    assert correlate(RETURNS, -RETURNS).pearson == pytest.approx(-1.0)


@pytest.mark.parametrize(
    "constant", [np.full(5, 7.0), np.nextafter(np.full(5, 7.0), [0, 9] * 2 + [9])]
)
def test_a_constant_side_has_no_correlation(constant):
    assert correlate(RETURNS, constant) == Correlation()
    assert correlate(constant, RETURNS) == Correlation()


def test_two_pairs_have_no_correlation():
    assert correlate(RETURNS[:2], RETURNS[:2]) == Correlation()


def test_nan_is_refused():
    with pytest.raises(EnvwrightError, match="NaN"):
        correlate(RETURNS, RETURNS * np.nan)
