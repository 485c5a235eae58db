"""Count the decisions of the fast engine: every `where` of its rules, and both outcomes.

Rules are written once for NumPy and JAX, and both sides of a `where` always run. So the engine
plays on NumPy, where a `where` can be watched: its condition is counted, lane by lane, for each
place in the source.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

Place = tuple[str, int, int]  # file, line, instruction: several may stand in a line


@dataclass
class Decisions:
    """Counts of no and yes by place."""

    folder: str
    counts: dict[Place, list[int]] = field(default_factory=dict)

    def see(self, place: Place, condition: Any) -> None:
        """Count one `where` of a batch."""
        yes = int(np.count_nonzero(condition))
        count = self.counts.setdefault(place, [0, 0])
        count[0] += np.size(condition) - yes
        count[1] += yes

    @property
    def share(self) -> float:
        """The share of decisions that went both ways."""
        both = sum(no > 0 and yes > 0 for no, yes in self.counts.values())
        return both / len(self.counts) if self.counts else 1.0

    @property
    def one_sided(self) -> list[str]:
        """Describe decisions that went only one way."""
        return [
            f"{Path(file).name}:{line} was never {'true' if no else 'false'}"
            for (file, line, _), (no, yes) in sorted(self.counts.items())
            if not (no and yes)
        ]

    def to_json(self) -> dict[str, Any]:
        """Return plain data for the report."""
        return {"decisions": len(self.counts), "share": self.share, "one_sided": self.one_sided}


@contextmanager
def watched(folder: Path) -> Iterator[Decisions]:
    """Count every `np.where` that files of a folder call."""
    seen, where = Decisions(str(folder)), np.where

    def counting(condition: Any, *sides: Any) -> Any:
        caller = sys._getframe(1)
        file = caller.f_code.co_filename
        if sides and file.startswith(seen.folder):
            seen.see((file, caller.f_lineno, caller.f_lasti), condition)
        return where(condition, *sides)

    with mock.patch.object(np, "where", counting):
        yield seen
