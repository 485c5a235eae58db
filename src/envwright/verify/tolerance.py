"""Compare arrays within a tolerance."""

from __future__ import annotations

import numpy as np

from envwright.schema.tolerance import Tol


def coarser(a: np.dtype, b: np.dtype) -> np.dtype:
    """Return the coarser float dtype of the two."""
    return min(a, b, key=lambda d: d.itemsize)


def ulp_distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Count the representable numbers between `a` and `b`, in the coarser of their dtypes."""
    coarse = coarser(a.dtype, b.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        a, b = a.astype(coarse), b.astype(coarse)
        gap = np.abs(a.astype(np.float64) - b.astype(np.float64))
        unit = np.spacing(np.maximum(np.abs(a), np.abs(b))).astype(np.float64)
        return np.where(a == b, 0.0, gap / unit)


def agrees(reference: np.ndarray, twin: np.ndarray, tol: Tol) -> np.ndarray:
    """Return elementwise whether the twin's value is within the tolerance of the reference's.

    Infinities must be equal; a NaN agrees only with a NaN.
    """
    if reference.dtype.kind == "f" and twin.dtype.kind == "f":
        both_nan = np.isnan(reference) & np.isnan(twin)
        with np.errstate(invalid="ignore"):
            close = np.abs(reference.astype(np.float64) - twin.astype(np.float64)) <= tol.atol
        if tol.ulp:
            close |= ulp_distance(reference, twin) <= tol.ulp
        close &= np.isfinite(reference) & np.isfinite(twin)
        return (reference == twin) | close | both_nan
    if "f" in (reference.dtype.kind, twin.dtype.kind):  # an integer reward against a float one
        return agrees(reference.astype(np.float64), twin.astype(np.float64), tol)
    return np.asarray(reference == twin)
