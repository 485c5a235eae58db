"""Compare two records field by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.schema.tolerance import EXACT, Tolerances
from envwright.sim.records import STATE, Fields
from envwright.verify.differences import Differences
from envwright.verify.tolerance import agrees


@dataclass(frozen=True)
class Mismatch:
    """A field in which two records differ, at the element that differs most."""

    field: str
    reference: Any
    twin: Any
    tolerance: str = "exact"
    more: int = 0  # further values of the field that differ too

    @property
    def size(self) -> float:
        """The distance of the values; infinite for NaN, shapes and missing fields."""
        try:
            gap = abs(float(self.reference) - float(self.twin))
        except (TypeError, ValueError):
            return float("inf")
        return gap if gap == gap else float("inf")

    def __str__(self) -> str:
        return f"{self.field}: reference {self.reference}, twin {self.twin}"


def _unmatched(reference: Fields, twin: Fields) -> list[str]:
    """Return the fields that only one side has; neither has to show the other's whole state."""
    return [name for name in reference.keys() ^ twin.keys() if not name.startswith(STATE)]


def mismatches(reference: Fields, twin: Fields, tolerances: Tolerances) -> list[Mismatch]:
    """Return all fields that differ, worst first. State fields count if both show them."""
    found = []
    for name in sorted(_unmatched(reference, twin)):
        theirs, ours = ("present" if name in side else "missing" for side in (reference, twin))
        found.append(Mismatch(name, theirs, ours, str(tolerances.of(name))))
    for name, expected in reference.items():
        if name not in twin:
            continue
        got, tol = twin[name], tolerances.of(name)
        if expected.shape != got.shape:
            found.append(Mismatch(name, f"shape {expected.shape}", f"shape {got.shape}", str(tol)))
            continue
        bad = ~np.atleast_1d(agrees(expected, got, tol))
        if bad.any():
            found.append(_worst(name, np.atleast_1d(expected), np.atleast_1d(got), bad, str(tol)))
    return sorted(found, key=lambda m: -m.size)


def _worst(name: str, a: np.ndarray, b: np.ndarray, bad: np.ndarray, tol: str) -> Mismatch:
    gap = np.where(bad, _distance(a, b), -1.0)
    at = np.unravel_index(int(np.argmax(gap)), gap.shape)
    label = name if a.size == 1 else f"{name}[{','.join(map(str, at))}]"
    return Mismatch(label, a[at].item(), b[at].item(), tol)


def rows_that_differ(reference: Fields, twin: Fields, tolerances: Tolerances) -> np.ndarray:
    """Return the indices of rows of two tables in which any field differs, in order."""
    count = len(next(iter(reference.values())))
    bad = np.full(count, bool(_unmatched(reference, twin)))
    for name, expected in reference.items():
        if name not in twin:
            continue
        if expected.shape != twin[name].shape:
            bad[:] = True
        else:
            good = agrees(expected, twin[name], tolerances.of(name))
            bad |= ~good.reshape(count, -1).all(axis=1)
    return np.flatnonzero(bad)


def differences(reference: Fields, twin: Fields) -> dict[str, Differences]:
    """Return how far every float field of two tables differs."""
    found = {}
    for name, expected in reference.items():
        got = twin.get(name)
        if got is None or got.shape != expected.shape or expected.dtype.kind != "f":
            continue
        same = agrees(expected, got, EXACT)
        gaps = np.where(same, 0.0, _distance(expected, got))
        found[name] = Differences.of(gaps, np.maximum(np.abs(expected), np.abs(got)))
    return found


def _distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the distance of two arrays, elementwise; infinite for NaN and for texts."""
    if not all(x.dtype.kind in "biuf" for x in (a, b)):
        return np.full(a.shape, np.inf)
    with np.errstate(invalid="ignore"):
        gap = np.abs(a.astype(np.float64) - b.astype(np.float64))
    return np.where(np.isnan(gap), np.inf, gap)
