"""TOST keeps its error rates, and every degenerate sample has a verdict of its own."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from envwright.errors import EnvwrightError
from envwright.schema.results import as_json
from envwright.verify.transfer.power import power
from envwright.verify.transfer.result import direction
from envwright.verify.transfer.tost import paired_tost

RETURNS = np.array([10.0, 14.0, 9.0, 17.0, 12.0, 15.0])
TRIALS = 500


def verdicts(true_difference, margin, n=12, sd=1.0, seed=3):
    """Of simulated pairs: seeds vary much, the pairs little."""
    rng = np.random.default_rng(seed)
    for _ in range(TRIALS):
        reference = rng.normal(100, 20, n)
        yield paired_tost(reference, reference + rng.normal(true_difference, sd, n), margin).verdict


def plausible(hits, rate):
    """Whether so many of TRIALS are compatible with `rate`, but for 1 in 1,000."""
    return stats.binomtest(hits, TRIALS, rate).pvalue > 0.001


@pytest.mark.slow
def test_a_difference_of_the_margin_is_called_equivalent_in_alpha_of_cases():
    assert plausible(list(verdicts(1.0, 1.0)).count("equivalent"), 0.05)
    assert plausible(list(verdicts(-1.0, 1.0)).count("equivalent"), 0.05)


@pytest.mark.parametrize("margin", [0.6, 0.9])
def test_a_perfect_twin_is_called_equivalent_with_the_promised_power(margin):
    found = list(verdicts(0.0, margin))
    assert plausible(found.count("equivalent"), power(1.0, 12, margin))
    assert found.count("different") < stats.binom.isf(0.001, TRIALS, 0.05)


def test_a_gross_difference_is_found():
    assert set(verdicts(5.0, 1.0)) == {"different"}


def test_the_numbers_are_those_of_two_one_sided_t_tests():
    rng = np.random.default_rng(0)
    reference, twin = rng.normal(50, 9, 8), rng.normal(51, 9, 8)
    found, gaps = paired_tost(reference, twin, 10.0), twin - reference
    upper = stats.ttest_1samp(gaps, 10.0, alternative="less").pvalue
    lower = stats.ttest_1samp(gaps, -10.0, alternative="greater").pvalue
    interval = stats.ttest_1samp(gaps, 0.0).confidence_interval(0.90)
    assert found.p == pytest.approx(max(upper, lower))
    assert found.p_difference == pytest.approx(stats.ttest_rel(twin, reference).pvalue)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.difference == pytest.approx(twin.mean() - reference.mean())
    assert found.power == power(gaps.std(ddof=1), 8, 10.0)


@given(
    arrays(np.float64, 6, elements=st.floats(-100, 100)),
    arrays(np.float64, 6, elements=st.floats(-100, 100)),
    st.floats(0.01, 100),
)
def test_equivalent_means_that_the_interval_lies_within_the_margin(reference, twin, margin):
    found = paired_tost(reference, twin, margin)
    if found.case == "ordinary" and abs(found.p - found.alpha) > 1e-9:
        inside = -margin < found.low and found.high < margin
        assert (found.verdict == "equivalent") == inside
    json.loads(json.dumps(as_json(direction("here", 1, found)), allow_nan=False))


@given(
    arrays(np.float64, 5, elements=st.integers(-50, 50)),
    arrays(np.float64, 5, elements=st.integers(-50, 50)),
)
def test_swapping_the_sides_changes_only_the_sign(reference, twin):
    there, back = paired_tost(reference, twin, 7.0), paired_tost(twin, reference, 7.0)
    assert (there.verdict, there.p, there.case) == (back.verdict, back.p, back.case)
    assert there.difference == -back.difference


def test_equal_returns_that_vary_among_seeds_are_identical():
    found = paired_tost(RETURNS, RETURNS.copy(), 0.1)
    assert (found.case, found.verdict, found.p, found.power) == ("identical", "equivalent", 0.0, 1)


def test_a_maximum_that_everybody_reaches_is_inconclusive():
    found = paired_tost(np.full(10, 500.0), np.full(10, 500.0), 10.0)
    assert (found.case, found.verdict, found.p) == ("saturated", "inconclusive", None)
    assert "middle of training" in found.reason


def test_saturation_is_seen_through_the_rounding_of_a_mean():
    reference = np.full(5, 0.1)
    twin = np.array([0.1, np.nextafter(0.1, 1), 0.1, np.nextafter(0.1, 0), 0.1])
    assert paired_tost(reference, twin, 0.01).case == "saturated"


def test_two_constants_further_apart_than_the_margin_are_different():
    found = paired_tost(np.full(10, 500.0), np.full(10, 480.0), 10.0)
    assert (found.case, found.verdict) == ("constant difference", "different")


def test_one_policy_that_varies_ends_saturation():
    reference = np.array([500.0, 500.0, 500.0, 320.0])
    assert paired_tost(reference, reference, 10.0).verdict == "equivalent"


@pytest.mark.parametrize(
    ("gap", "verdict"),
    [(0.3, "equivalent"), (-0.3, "equivalent"), (1.0, "different"), (-1.25, "different")],
)
def test_a_constant_difference_is_judged_by_the_margin(gap, verdict):
    found = paired_tost(RETURNS, RETURNS + gap, 1.0)
    assert (found.case, found.verdict) == ("constant difference", verdict)
    assert f"{gap:+g}" in found.reason


def test_a_constant_difference_is_seen_through_the_rounding_of_large_returns():
    reference = 1e6 * RETURNS
    assert np.ptp((reference + 0.1) - reference) > 0
    assert paired_tost(reference, reference + 0.1, 1.0).case == "constant difference"


def test_small_variation_is_variation():
    reference = 500 + 1e-6 * RETURNS
    assert paired_tost(reference, reference, 1.0).case == "identical"
    assert paired_tost(reference, 500 + 1e-6 * RETURNS[::-1], 1.0).case == "ordinary"


@pytest.mark.parametrize("n", [0, 1, 2])
def test_fewer_than_three_seeds_are_inconclusive(n):
    found = paired_tost(RETURNS[:n], RETURNS[:n] + [0.0, 0.1][:n], 100.0)
    assert (found.case, found.verdict, found.n) == ("too few", "inconclusive", n)
    json.loads(json.dumps(as_json(direction("here", 1, found)), allow_nan=False))


def test_a_real_but_small_difference_is_equivalent():
    gaps = np.array([0.5, 0.4, 0.6, 0.5, 0.4, 0.6])
    found = paired_tost(RETURNS, RETURNS + gaps, 1.0)
    assert found.p_difference < 0.05
    assert found.verdict == "equivalent"


def test_an_inconclusive_reason_says_how_many_seeds_would_do():
    rng = np.random.default_rng(1)
    found = paired_tost(RETURNS, RETURNS + rng.normal(0, 3, 6), 1.0)
    assert found.verdict == "inconclusive"
    assert "seeds would show a perfect twin" in found.reason


def test_means_further_apart_than_the_margin_are_never_equivalent():
    """As 1133 and 1026 with a margin of 100, however quiet or loud the pairs are."""
    wave = np.sin(np.arange(0, 2 * np.pi, np.pi / 5))  # 10 seeds, sum 0
    for loud, verdict in ((30, "different"), (600, "inconclusive")):
        found = paired_tost(1133 + 500 * wave, 1026 + (500 + loud) * wave, 100.0)
        assert found.p > 0.5
        assert found.verdict == verdict


@pytest.mark.parametrize(
    ("reference", "twin", "margin", "words"),
    [
        ([1, 2, np.nan], [1, 2, 3], 1, "reference's returns hold NaN"),
        ([1, 2, 3], [1, 2, np.inf], 1, "twin's returns hold NaN"),
        ([1, 2, 3], [1, 2], 1, "not 3 and 2"),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]], 1, "one number per training seed"),
        ([1, 2, 3], [1, 2, 4], 0, "margin"),
        ([1, 2, 3], [1, 2, 4], -1, "margin"),
    ],
)
def test_senseless_returns_are_refused_in_words(reference, twin, margin, words):
    with pytest.raises(EnvwrightError, match=words):
        paired_tost(np.array(reference), np.array(twin), margin)
