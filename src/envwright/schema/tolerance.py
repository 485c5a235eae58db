"""How far two values may lie apart, field by field, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import msgspec
import numpy as np

from envwright.errors import EnvwrightError
from envwright.schema.json_records import located

MOST_ULP = 2**52  # of float64, from a number to its double


@dataclass(frozen=True)
class Tol:
    """A tolerance with its reason; the default is exact.

    `ulp` counts representable numbers of the coarser of the two dtypes.
    """

    atol: float = 0.0
    ulp: int = 0
    why: str = ""

    def __post_init__(self) -> None:
        if not (0 <= self.atol < np.inf and 0 <= self.ulp <= MOST_ULP):
            raise EnvwrightError("a tolerance is a number, not negative and not infinite")
        if not self.exact and not self.why:
            raise EnvwrightError("a tolerance needs its reason: Tol(atol=1e-5, why='…')")

    @property
    def exact(self) -> bool:
        """Whether only equal values pass."""
        return self.atol == 0 and self.ulp == 0

    def reach(self, value: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """How far around each element the tolerance extends, in units of `dtype` for ulps."""
        unit = np.spacing(np.abs(value).astype(dtype)).astype(np.float64)
        return np.maximum(self.atol, self.ulp * unit)

    def __str__(self) -> str:
        if self.exact:
            return "exact"
        parts = [f"{self.atol:g} absolute"] * (self.atol > 0) + [f"{self.ulp} ulp"] * (self.ulp > 0)
        return f"{' or '.join(parts)} ({self.why})"


EXACT = Tol()


@dataclass(frozen=True)
class Tolerances:
    """A tolerance for floats, and others for fields by name or pattern (`state.*`).

    Integers and booleans are always compared exactly.
    """

    default: Tol = EXACT
    fields: dict[str, Tol] = field(default_factory=dict)

    def of(self, name: str) -> Tol:
        """The tolerance of a field: its own name first, then patterns, then the default."""
        if name in self.fields:
            return self.fields[name]
        for pattern, tol in self.fields.items():
            if fnmatchcase(name, pattern):
                return tol
        return self.default

    @property
    def exact(self) -> bool:
        """Whether nothing may differ at all."""
        return self.default.exact and all(t.exact for t in self.fields.values())

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        fields = {name: asdict(tol) for name, tol in self.fields.items()}
        return {"default": asdict(self.default), "fields": fields}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Tolerances:
        """Read what `to_json` wrote; no data means exact."""
        try:
            return msgspec.convert(data, cls)
        except msgspec.ValidationError as error:
            raise EnvwrightError(f"the tolerances are malformed: {located(error)}") from error
