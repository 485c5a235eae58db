"""Bounds from clean trials, and tests whether two samples have one law."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy


def clean_bound(trials: int, confidence: float = 0.95) -> float:
    """Return the failure rate that `trials` without a failure do not exclude (95 %).

    The exact form of the rule of three: 100 clean episodes leave 2.95 %, 1,000 leave 0.3 %.
    """
    return 1.0 if trials == 0 else 1.0 - (1.0 - confidence) ** (1.0 / trials)


def share_interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Clopper and Pearson's exact interval of a share: 88.7 % to 98.4 % for 95 of 100."""
    if trials == 0:
        return 0.0, 1.0
    found = scipy.stats.binomtest(successes, trials).proportion_ci(confidence, method="exact")
    return float(found.low), float(found.high)


def same_law(a: np.ndarray, b: np.ndarray) -> float:
    """Return p of a two-sample test that `a` and `b` come from one law.

    Kolmogorov-Smirnov for floats, chi-square on the values for integers. A constant
    sample agrees only with the same constant.
    """
    a, b = np.ravel(a), np.ravel(b)
    if np.ptp(a.astype(np.float64)) == 0 and np.ptp(b.astype(np.float64)) == 0:
        return float(a[0] == b[0])
    if a.dtype.kind == "f":
        smirnov: Any = scipy.stats.ks_2samp(a, b, method="asymp")
        return float(smirnov.pvalue)
    values, where = np.unique(np.concatenate([a, b]), return_inverse=True)
    sides = np.split(where, [len(a)])
    table = np.stack([np.bincount(side, minlength=len(values)) for side in sides])
    chi_square: Any = scipy.stats.chi2_contingency(table)
    return float(chi_square.pvalue)
