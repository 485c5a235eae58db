"""Compares two records field by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.verify.records import Fields
from envwright.verify.tolerance import Tolerances, agrees


@dataclass(frozen=True)
class Mismatch:
    """A field in which two records differ, at the element that differs most."""

    field: str
    reference: Any
    twin: Any
    tolerance: str

    @property
    def size(self) -> float:
        """How far apart the values are; infinite for NaN, shapes and missing fields."""
        try:
            gap = abs(float(self.reference) - float(self.twin))
        except (TypeError, ValueError):
            return float("inf")
        return gap if gap == gap else float("inf")

    def __str__(self) -> str:
        return f"{self.field}: reference {_show(self.reference)}, twin {_show(self.twin)}"


def _show(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, float | np.floating) else str(value)


def mismatches(reference: Fields, twin: Fields, tolerances: Tolerances) -> list[Mismatch]:
    """All fields that differ, worst first. State fields count where both show them."""
    found = []
    for name, expected in reference.items():
        tol = tolerances.of(name)
        if name not in twin:
            if not name.startswith("state."):
                found.append(Mismatch(name, "present", "missing", str(tol)))
            continue
        got = twin[name]
        if expected.shape != got.shape:
            found.append(
                Mismatch(name, f"shape {expected.shape}", f"shape {got.shape}", str(tol))
            )
            continue
        bad = ~np.atleast_1d(agrees(expected, got, tol))
        if bad.any():
            found.append(_worst(name, np.atleast_1d(expected), np.atleast_1d(got), bad, str(tol)))
    return sorted(found, key=lambda m: -m.size)


def _worst(name: str, a: np.ndarray, b: np.ndarray, bad: np.ndarray, tol: str) -> Mismatch:
    with np.errstate(invalid="ignore"):
        gap = np.abs(a.astype(np.float64) - b.astype(np.float64))
    gap = np.where(bad, np.where(np.isnan(gap), np.inf, gap), -1.0)
    at = np.unravel_index(int(np.argmax(gap)), gap.shape)
    label = name if a.size == 1 else f"{name}[{','.join(map(str, at))}]"
    return Mismatch(label, a[at].item(), b[at].item(), tol)


def rows_that_differ(reference: Fields, twin: Fields, tolerances: Tolerances) -> np.ndarray:
    """Indices of the rows of two tables in which any field differs, in order."""
    count = len(next(iter(reference.values())))
    bad = np.zeros(count, bool)
    for name, expected in reference.items():
        if name not in twin:
            bad |= not name.startswith("state.")
        elif expected.shape != twin[name].shape:
            bad[:] = True
        else:
            good = agrees(expected, twin[name], tolerances.of(name))
            bad |= ~good.reshape(count, -1).all(axis=1)
    return np.flatnonzero(bad)


def largest_gaps(reference: Fields, twin: Fields) -> dict[str, float]:
    """The largest absolute difference of every float field of two tables."""
    gaps = {}
    for name, expected in reference.items():
        got = twin.get(name)
        if got is None or got.shape != expected.shape or expected.dtype.kind != "f":
            continue
        with np.errstate(invalid="ignore"):
            gap = np.abs(expected.astype(np.float64) - got.astype(np.float64))
        gaps[name] = float(np.max(np.where(expected == got, 0.0, gap), initial=0.0))
    return gaps
