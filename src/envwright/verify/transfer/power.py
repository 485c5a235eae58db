"""The power of the equivalence test, before or after it is run."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Any

import numpy as np
import scipy

from envwright.errors import EnvwrightError
from envwright.verify.transfer.units import FEWEST

MOST_UNITS = 1_000_000
NEGLIGIBLE = 1e-14  # probability left out at either end of the integral
NODES = 128  # the integrand is smooth: this is exact to about 12 digits


def power(
    sd: float, n: int, margin: float, alpha: float = 0.05, true_difference: float = 0.0
) -> float:
    """Return the exact probability that paired TOST on `n` units shows equivalence.

    `sd` is the true standard deviation of the paired differences, `true_difference` their
    true mean. TOST passes when |mean| < margin - t * s / sqrt(n); the mean is normal and the
    sample deviation s follows a chi law independent of it, so this integrates the normal
    probability over that law. At `true_difference = margin` it is at most `alpha`.
    """
    check_numbers(alpha=alpha, margin=margin, sd=sd)
    return _chance(sd, n, margin, alpha, true_difference)


def units_needed(sd: float, margin: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return the fewest units (training seeds) that show a perfect twin equivalent with this power.

    The result is at least 3 and at most a million.
    """
    check_numbers(alpha=alpha, margin=margin, sd=sd, power=power)
    return FEWEST + bisect_left(
        range(FEWEST, MOST_UNITS), power, key=lambda n: _chance(sd, n, margin, alpha, 0.0)
    )


def margin_needed(sd: float, n: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest margin within which `n` units show a perfect twin with this power."""
    check_numbers(alpha=alpha, sd=sd, power=power)
    if n < FEWEST:
        raise EnvwrightError(f"{n} units are too few for any margin; use {FEWEST} or more")

    def excess(log_margin: float) -> float:
        return _chance(1.0, n, math.exp(log_margin), alpha, 0.0) - power

    root: Any = scipy.optimize.brentq(excess, math.log(1e-9), math.log(1e9), xtol=1e-10)
    return sd * math.exp(root)


def check_numbers(
    *, alpha: float, margin: float = 1.0, sd: float = 0.0, power: float = 0.5
) -> None:
    """Reject numbers that no test can have."""
    if not 0 < alpha < 0.5:
        raise EnvwrightError(f"alpha must lie between 0 and 0.5, not {alpha:g}")
    if not 0 < margin < math.inf:
        raise EnvwrightError(f"the margin must be a positive number, not {margin:g}")
    if not 0 <= sd < math.inf:
        raise EnvwrightError("a standard deviation is a number, not negative and not infinite")
    if not 0 < power < 1:
        raise EnvwrightError(f"the wanted power must lie between 0 and 1, not {power:g}")


def _chance(sd: float, n: int, margin: float, alpha: float, true_difference: float) -> float:
    if n < 2:
        return 0.0
    if sd == 0:
        return float(abs(true_difference) < margin)
    critical = float(scipy.stats.t.isf(alpha, n - 1))
    per_error = math.sqrt(n) / sd  # turns a difference into standard errors of the mean
    reach, shift = margin * per_error, true_difference * per_error
    law: Any = scipy.stats.chi(n - 1, scale=1 / math.sqrt(n - 1))  # the distribution of s / sd

    def passes(ratio: np.ndarray) -> np.ndarray:
        room = reach - critical * ratio
        inside = scipy.special.ndtr(room - shift) - scipy.special.ndtr(-room - shift)
        return law.pdf(ratio) * inside

    low, high = law.ppf(NEGLIGIBLE), min(law.isf(NEGLIGIBLE), reach / critical)
    if high <= low:
        return 0.0
    return float(np.clip(scipy.integrate.fixed_quad(passes, low, high, n=NODES)[0], 0.0, 1.0))
