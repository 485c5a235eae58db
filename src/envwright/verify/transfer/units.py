"""Check paired returns: one number per training seed."""

from __future__ import annotations

import numpy as np

from envwright.errors import EnvwrightError

FEWEST = 3  # two differences give a deviation with one degree of freedom: no evidence
ROUNDING = 1e-12  # relative: what the order of a float64 sum may change


def finite_returns(values: np.ndarray, whose: str) -> np.ndarray:
    """Return `values` as float64. Raises for NaN and infinity."""
    values = np.asarray(values, np.float64)
    if not np.isfinite(values).all():
        raise EnvwrightError(
            f"the {whose} returns hold NaN or infinity; look for an episode that blew up"
        )
    return values


def paired_units(reference: np.ndarray, twin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both sides as float64[units], paired by training seed."""
    sides = finite_returns(reference, "reference's"), finite_returns(twin, "twin's")
    if any(side.ndim != 1 for side in sides):
        raise EnvwrightError("returns are one number per training seed; average over the rest")
    if len(sides[0]) != len(sides[1]):
        raise EnvwrightError(
            f"paired returns need one twin per reference, not {len(sides[0])} and {len(sides[1])}"
        )
    return sides


def is_constant(values: np.ndarray, scale: float | None = None) -> bool:
    """Return whether all are one number, up to the rounding of sums of the size of `scale`."""
    if scale is None:
        scale = float(np.abs(values).max(initial=0.0))
    return bool(len(values) == 0 or np.ptp(values) <= ROUNDING * scale)
