"""Where a result was read, and the numbers and texts in it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """Where a result was read, on which machine it was made, and how."""

    path: Path
    kind: str
    machine: Json = field(default_factory=dict)
    command: str = ""  # as stored; most results do not say

    @property
    def date(self) -> str:
        """When it was measured, or nothing where that was not recorded."""
        return str(self.machine.get("date") or "")


def number(value: Any) -> float | None:
    """A finite number, or None: a chart has no place for NaN."""
    if value is None:
        return None
    found = float(value)
    return found if math.isfinite(found) else None


def positive(value: Any) -> float:
    """A speed; what is none is an error."""
    found = float(value)
    if not found > 0:
        raise ValueError(f"a speed of {value}")
    return found


def whole(value: Any) -> int | None:
    """A whole number where there is one."""
    return None if value is None else int(value)


def numbers(data: Json) -> dict[str, float | None]:
    """The numbers among the values."""
    plain = {k: v for k, v in data.items() if v is None or isinstance(v, int | float | str)}
    return {str(k): number(v) for k, v in plain.items()}


def texts(values: list[Any]) -> tuple[str, ...]:
    """All as texts."""
    return tuple(str(v) for v in values)


def skipped(data: Json) -> tuple[tuple[str, str], ...]:
    """What a benchmark left out, with its reason."""
    return tuple(
        (str(s["implementation"]), str(s.get("reason", ""))) for s in data.get("skipped", [])
    )
