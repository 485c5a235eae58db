"""Paired TOST: whether the twin's returns are shown to equal the reference's, within a margin."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import scipy

from envwright.schema.results.verification import PairedTest
from envwright.verify.transfer.power import check_numbers, power, units_needed
from envwright.verify.transfer.units import FEWEST, ROUNDING, is_constant, paired_units

Case = Literal["ordinary", "identical", "constant difference", "saturated", "too few"]
Verdict = Literal["equivalent", "different", "inconclusive"]


class Equivalence(PairedTest):
    """The result of a test of paired returns, with the numbers behind it."""

    @property
    def verdict(self) -> Verdict:
        """The verdict: equivalent if p < alpha, else different if p_difference < alpha."""
        if self.p is None or self.p_difference is None:
            return "inconclusive"
        if self.p < self.alpha:
            return "equivalent"
        return "different" if self.p_difference < self.alpha else "inconclusive"

    @property
    def reason(self) -> str:
        """The verdict and its reason in one sentence."""
        if self.case == "ordinary":
            return _ordinary_reason(self)
        return {
            "too few": f"{self.n} training seeds are too few; train {FEWEST} or more",
            "saturated": "in each environment every policy gets one and the same return, so a "
            "change might not show; add policies from the middle of training",
            "identical": f"all {self.n} paired returns are equal, and they vary among seeds",
            "constant difference": f"every return differs by {self.difference or 0:+.4g}, "
            f"{'within' if self.verdict == 'equivalent' else 'not within'} "
            f"the margin of {self.margin:.4g}",
        }[self.case]


def paired_tost(
    reference: np.ndarray, twin: np.ndarray, margin: float, alpha: float = 0.05
) -> Equivalence:
    """Test that the mean return changes by less than `margin`, one number per training seed.

    Episodes and checkpoints of one seed are not independent: average over them first. The
    margin must be fixed before the twin's returns are seen (`propose_margin`).

    Cases without a meaningful t-test are handled separately: returns equal pair by pair
    ("identical", equivalent), differences without variance ("constant difference", judged by the
    margin alone), fewer than three units ("too few", inconclusive), and both sides constant within
    the margin ("saturated", inconclusive: nothing could have shown a change).
    """
    margin = float(margin)
    check_numbers(alpha=alpha, margin=margin)
    reference, twin = paired_units(reference, twin)
    n, gaps = len(reference), twin - reference
    if n < FEWEST:
        means = (float(reference.mean()), float(twin.mean())) if n else (None, None)
        nothing = (None, None, None, None, None, None)
        return Equivalence(n, *means, *nothing, 0.0, margin, alpha, "too few")
    case = _case(reference, twin, margin)
    d, sd = float(gaps.mean()), float(gaps.std(ddof=1)) if case == "ordinary" else 0.0
    half = float(scipy.stats.t.isf(alpha, n - 1)) * sd / math.sqrt(n)
    return Equivalence(
        n=n,
        mean_reference=float(reference.mean()),
        mean_twin=float(twin.mean()),
        difference=d,
        sd=sd,
        low=d - half,
        high=d + half,
        p=None if case == "saturated" else _p_tost(d, sd, n, margin),
        p_difference=None if case == "saturated" else _p_difference(d, sd, n),
        power=0.0 if case == "saturated" else power(sd, n, margin, alpha),
        margin=margin,
        alpha=alpha,
        case=case,
    )


def _case(reference: np.ndarray, twin: np.ndarray, margin: float) -> Case:
    gaps = twin - reference
    scale = float(max(np.abs(reference).max(), np.abs(twin).max()))
    within = abs(gaps.mean()) < max(margin, ROUNDING * scale)
    if within and is_constant(reference, scale) and is_constant(twin, scale):
        return "saturated"
    if not gaps.any():
        return "identical"
    return "constant difference" if is_constant(gaps, scale) else "ordinary"


def _p_tost(d: float, sd: float, n: int, margin: float) -> float:
    if sd == 0:
        return float(abs(d) >= margin)
    error = sd / math.sqrt(n)
    nearer_end = (abs(d) - margin) / error  # its p is the larger one
    return float(scipy.stats.t.cdf(nearer_end, n - 1))


def _p_difference(d: float, sd: float, n: int) -> float:
    if sd == 0:
        return float(d == 0)
    return float(2 * scipy.stats.t.sf(abs(d) * math.sqrt(n) / sd, n - 1))


def _ordinary_reason(e: Equivalence) -> str:
    seen = (
        f"the return changes by {e.difference:+.4g} "
        f"({1 - 2 * e.alpha:.0%} interval {e.low:+.4g} to {e.high:+.4g})"
    )
    if e.verdict == "equivalent":
        return f"{seen}, within the margin of {e.margin:.4g} (p = {e.p:.2g})"
    if e.verdict == "different":
        return (
            f"{seen}: more than chance explains (p = {e.p_difference:.2g}) "
            f"and not shown to be within the margin of {e.margin:.4g}"
        )
    assert e.sd is not None  # an ordinary case has one
    needed = units_needed(e.sd, e.margin, alpha=e.alpha)
    advice = (
        f"about {needed} seeds would show a perfect twin, these {e.n} do so with "
        f"probability {e.power:.2f}"
        if needed > e.n
        else f"{e.n} seeds show a perfect twin with probability {e.power:.2f}: train more"
    )
    return (
        f"{seen}, shown neither to differ nor to lie within the margin of {e.margin:.4g}; {advice}"
    )
