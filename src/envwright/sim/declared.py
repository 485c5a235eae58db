"""Whether what an environment shows lies in the observation space that it declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

from envwright.sim.records import Fields

SLACK = 1e-5  # rounding of a float, as a share of its bound, and at least absolutely


def undeclared(space: gymnasium.Space[Any], record: Fields) -> str:
    """Return how the observation of a record leaves its space, or an empty text."""
    if odd_part(space) is not None:
        return ""  # a record does not show how its parts belong together
    declared = dict(_leaves(space, "obs", record))
    shown = [name for name in record if name == "obs" or name.startswith("obs.")]
    for name in shown:
        if name not in declared:
            return f"{name} is shown, but not declared"
    for name, (low, high, whole) in declared.items():
        if name not in record:
            return f"{name} is declared, but not shown"
        problem = _outside(record[name], low, high, whole)
        if problem:
            return f"{name}{problem}"
    return ""


def odd_part(space: gymnasium.Space[Any]) -> gymnasium.Space[Any] | None:
    """Return the first part of a space that is no array of a fixed size, such as a Sequence."""
    spaces = gymnasium.spaces
    if isinstance(space, spaces.Dict | spaces.Tuple):
        parts = space.spaces.values() if isinstance(space, spaces.Dict) else space.spaces
        return next((odd for part in parts if (odd := odd_part(part)) is not None), None)
    known = (spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary, spaces.Box)
    return None if isinstance(space, known) else space


def _leaves(
    space: gymnasium.Space[Any], where: str, record: Fields
) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray, bool]]]:
    """Yield the arrays of a space by their names in a record: bounds, and whether they are whole.

    Spaces that are not known are left out.
    """
    spaces = gymnasium.spaces
    if isinstance(space, spaces.Dict):
        for key, part in space.spaces.items():
            yield from _leaves(part, f"{where}.{key}", record)
    elif isinstance(space, spaces.Tuple) and where in record:  # several numbers are one vector
        parts = [leaf for part in space.spaces for _, leaf in _leaves(part, where, record)]
        low, high = (np.stack([part[i] for part in parts]) for i in (0, 1))
        yield where, (low, high, all(part[2] for part in parts))
    elif isinstance(space, spaces.Tuple):
        for index, part in enumerate(space.spaces):
            yield from _leaves(part, f"{where}.{index}", record)
    elif isinstance(space, spaces.Discrete):
        first = np.asarray(space.start)
        yield where, (first, first + space.n - 1, True)
    elif isinstance(space, spaces.MultiDiscrete):
        yield where, (space.start, space.start + space.nvec - 1, True)
    elif isinstance(space, spaces.MultiBinary):
        yield where, (np.zeros(space.shape), np.ones(space.shape), True)
    elif isinstance(space, spaces.Box):
        yield where, (space.low, space.high, space.dtype.kind != "f")


def _outside(value: np.ndarray, low: np.ndarray, high: np.ndarray, whole: bool) -> str:
    if value.dtype.kind not in "biuf":
        return f" is {value.ravel()[0]!r}, not a number" if value.size else " holds no numbers"
    if value.shape != low.shape:
        return f" has the shape {value.shape}, declared is {low.shape}"
    if whole and value.dtype.kind == "f":
        return f" is {value.dtype}, declared are whole numbers"
    with np.errstate(over="ignore", invalid="ignore"):
        least = low - (0 if whole else SLACK * np.maximum(1, np.abs(low)))
        most = high + (0 if whole else SLACK * np.maximum(1, np.abs(high)))
    wrong = ~((value >= least) & (value <= most))
    if not wrong.any():
        return ""
    at = tuple(np.argwhere(wrong)[0])
    place = f"[{','.join(map(str, at))}]" if at else ""
    return f"{place} is {value[at]}, declared is {low[at]} to {high[at]}"
