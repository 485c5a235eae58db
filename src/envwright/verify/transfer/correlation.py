"""Correlate the returns of policies in the reference and in the twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from envwright.schema.results import Correlation
from envwright.verify.transfer.units import FEWEST, is_constant, paired_units


def correlate(reference: np.ndarray, twin: np.ndarray) -> Correlation:
    """Return Pearson's and Spearman's correlation of paired returns.

    Both are None for fewer than three pairs (two points always lie on a line) and when one side is
    constant. A high correlation does not prove equivalence: a twin that pays twice the reward
    correlates perfectly.
    """
    reference, twin = paired_units(reference, twin)
    if len(reference) < FEWEST or is_constant(reference) or is_constant(twin):
        return Correlation()
    pearson: Any = scipy.stats.pearsonr(reference, twin)  # scipy's stubs know neither result
    spearman: Any = scipy.stats.spearmanr(reference, twin)
    return Correlation(pearson=float(pearson.statistic), spearman=float(spearman.statistic))
