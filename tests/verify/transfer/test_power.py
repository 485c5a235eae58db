"""Power is a probability that simulations confirm, and planning inverts it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from envwright.errors import EnvwrightError
from envwright.verify.transfer.power import (
    MOST_UNITS,
    margin_needed,
    power,
    units_needed,
)

TRIALS = 100_000


def simulated(sd, n, margin, alpha, true_difference):
    """How often TOST, written out plainly, says equivalent."""
    rng = np.random.default_rng(7)
    gaps = rng.normal(true_difference, sd, (TRIALS, n))
    error = gaps.std(axis=1, ddof=1) / np.sqrt(n)
    upper = stats.t.cdf((gaps.mean(axis=1) - margin) / error, n - 1)
    lower = stats.t.sf((gaps.mean(axis=1) + margin) / error, n - 1)
    return np.mean(np.maximum(upper, lower) < alpha)


@pytest.mark.parametrize(
    ("sd", "n", "margin", "alpha", "true_difference"),
    [
        (1.0, 2, 1.0, 0.05, 0.0),
        (1.0, 3, 1.0, 0.05, 0.0),
        (1.0, 10, 1.0, 0.05, 0.0),
        (1.0, 10, 1.0, 0.05, -0.5),
        (30.0, 20, 20.0, 0.01, 5.0),
        (1.0, 60, 0.3, 0.05, 0.3),
    ],
)
def test_power_is_what_simulation_finds(sd, n, margin, alpha, true_difference):
    exact = power(sd, n, margin, alpha, true_difference)
    spread = np.sqrt(exact * (1 - exact) / TRIALS)
    assert abs(simulated(sd, n, margin, alpha, true_difference) - exact) < 4 * spread


@pytest.mark.parametrize("n", [2, 3, 10, 5_000])
@pytest.mark.parametrize("reach", [0.5, 2.0, 3.5])  # the margin in standard errors
def test_the_fixed_nodes_agree_with_adaptive_integration(n, reach):
    critical, nu = stats.t.isf(0.05, n - 1), n - 1

    def passes(x):
        return stats.chi.pdf(x, nu) * (2 * special.ndtr(reach - critical * x / np.sqrt(nu)) - 1)

    end = reach / critical * np.sqrt(nu)
    near = [x for x in (np.sqrt(nu) - 8, np.sqrt(nu)) if 0 < x < end] or None
    adaptive, _ = integrate.quad(passes, 0, end, points=near, epsabs=1e-12, limit=200)
    assert power(1.0, n, reach / np.sqrt(n)) == pytest.approx(adaptive, abs=1e-9)


def test_without_noise_only_the_margin_counts():
    assert power(0.0, 5, 1.0) == 1.0
    assert power(0.0, 5, 1.0, true_difference=1.0) == 0.0
    assert power(1e-9, 5, 1.0) == pytest.approx(1.0, abs=1e-12)


def test_a_single_unit_and_hopeless_noise_show_nothing():
    assert power(1.0, 1, 1.0) == 0.0
    assert power(1e6, 5, 1.0) < 1e-6


@given(
    st.floats(0.01, 100), st.integers(2, 500), st.floats(0.01, 100), st.sampled_from([0.01, 0.05])
)
def test_a_difference_of_the_margin_passes_in_at_most_alpha(sd, n, margin, alpha):
    assert power(sd, n, margin, alpha, true_difference=margin) <= alpha + 1e-9


@given(st.floats(0.01, 100), st.integers(2, 500), st.floats(0.01, 100), st.floats(-3, 3))
def test_power_is_symmetric_and_falls_with_a_true_difference(sd, n, margin, shift):
    perfect, shifted, mirrored = (power(sd, n, margin, 0.05, s) for s in (0.0, shift, -shift))
    assert shifted == pytest.approx(mirrored, abs=1e-9)
    assert 0 <= shifted <= perfect + 1e-9


@settings(max_examples=40)
@given(st.floats(0.1, 30), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([0.01, 0.05]))
def test_units_needed_is_the_first_count_that_suffices(sd, wanted, alpha):
    n = units_needed(sd, 1.0, wanted, alpha)
    assert power(sd, n, 1.0, alpha) >= wanted
    assert n == 3 or power(sd, n - 1, 1.0, alpha) < wanted


def test_units_needed_has_a_floor_and_a_ceiling():
    assert units_needed(0.0, 1.0) == 3
    assert units_needed(1e5, 1.0) == MOST_UNITS


@settings(max_examples=40)
@given(st.floats(0.01, 1e4), st.integers(3, 300), st.sampled_from([0.5, 0.8, 0.95]))
def test_margin_needed_gives_just_the_wanted_power(sd, n, wanted):
    assert power(sd, n, margin_needed(sd, n, wanted)) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: power(1, 5, 0.0), "margin must be a positive number"),
        (lambda: power(1, 5, float("nan")), "margin must be a positive number"),
        (lambda: power(-1, 5, 1.0), "standard deviation"),
        (lambda: units_needed(float("nan"), 1.0), "standard deviation"),
        (lambda: power(1, 5, 1.0, alpha=0.5), "alpha"),
        (lambda: units_needed(1, 1.0, power=1.0), "wanted power"),
        (lambda: margin_needed(1, 2), "too few"),
    ],
)
def test_senseless_numbers_are_refused_in_words(call, words):
    with pytest.raises(EnvwrightError, match=words):
        call()
