"""Bound the observations and actions of simulators that only a file names."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from envwright.errors import EnvwrightError
from envwright.sim.simulator import Simulator

LARGEST = 1 << 17  # elements; a picture of 210 x 160 pixels has 100,800


def require_small(simulator: Simulator, most: int = LARGEST) -> None:
    """Raise if an observation or an action has more than `most` elements."""
    for name, space in (
        ("observation", simulator.observation_space),
        ("action", simulator.action_space),
    ):
        count = elements(space)
        if count > most:
            raise EnvwrightError(
                f"an {name} of {simulator.name} has {count:,} elements, and a file may name "
                f"simulators with at most {most:,}; if you trust the file, add --trust"
            )


def elements(space: Any) -> int:
    """Return the numbers in an element of a space of Gymnasium."""
    inner = getattr(space, "spaces", None)
    if inner is not None:
        parts: Iterable[Any] = inner.values() if hasattr(inner, "values") else inner
        return sum(elements(part) for part in parts)
    return prod(getattr(space, "shape", None) or ())
