"""Describe spaces for an agent."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envwright.core.spaces import Box, Dict, DiscreteTuple, Space, Tuple, from_gymnasium
from envwright.errors import EnvwrightError

SMALL = 12  # elements of bounds that are written out


def described_space(space: gymnasium.Space[Any]) -> str:
    """Describe a space in terms of `envwright.core.spaces`, or how to do without."""
    try:
        ours = from_gymnasium(space)
    except EnvwrightError:
        return (
            f"Gymnasium's `{' '.join(str(space).split())}`, for which there is no word: use the "
            "nearest space in a subclass whose `to_gymnasium` returns this one"
        )
    if isinstance(ours, DiscreteTuple):
        return f"one int32 array of {len(ours.nvec)} numbers, `{_word(ours)}`"
    return f"`{_word(ours)}`"


def _word(space: Space) -> str:
    if isinstance(space, Box):
        dtype = f"np.{space.dtype}"
        return f"Box({_bound(space.low)}, {_bound(space.high)}, {space.shape}, {dtype})"
    if isinstance(space, Dict):
        parts = ", ".join(f"{name!r}: {_word(part)}" for name, part in space.spaces.items())
        return f"Dict({{{parts}}})"
    if isinstance(space, Tuple):
        return f"Tuple([{', '.join(map(_word, space.spaces))}])"
    return repr(space).replace("Discrete(n=", "Discrete(")


def _bound(values: np.ndarray) -> str:
    """Format as one number if all are equal, or as a short list."""
    flat = values.ravel()
    if flat.size and (flat == flat[0]).all():
        return _number(flat[0])
    if flat.size > SMALL:
        return "..."
    return f"[{', '.join(_number(v) for v in flat)}]"


def _number(value: np.generic) -> str:
    number = value.item()
    if isinstance(number, float) and not np.isfinite(number):
        return "np.inf" if number > 0 else "-np.inf"
    return repr(number)
