"""Print spaces."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envwright.agents.compiler.emit.constants import nested, written
from envwright.agents.compiler.trouble import Unsupported
from envwright.core.spaces import Box, Dict, Space, Tuple, from_gymnasium
from envwright.errors import EnvwrightError

SMALL = 64  # elements of bounds that are written out


def space(given: gymnasium.Space[Any]) -> str:
    """Return a space's expression."""
    try:
        return _written(from_gymnasium(given))
    except EnvwrightError as error:
        raise Unsupported(
            f"the space {' '.join(str(given).split())[:80]}",
            "envwright.core.spaces does not have it",
        ) from error


def _written(ours: Space) -> str:
    if isinstance(ours, Box):
        return f"Box({_bound(ours.low)}, {_bound(ours.high)}, {ours.shape}, np.{ours.dtype})"
    if isinstance(ours, Dict):
        texts = [f"{name!r}: {_written(inner)}" for name, inner in ours.spaces.items()]
        return f"Dict({{{', '.join(texts)}}})"
    if isinstance(ours, Tuple):
        return f"Tuple([{', '.join(map(_written, ours.spaces))}])"
    return repr(ours).replace("Discrete(n=", "Discrete(")


def _bound(values: np.ndarray) -> str:
    flat = values.ravel()
    if flat.size and (flat == flat[0]).all():
        return written(flat[0]).replace("jnp.", "np.")
    if flat.size > SMALL:
        raise Unsupported("a space with many different bounds")
    return f"np.array({nested(values)}, np.{values.dtype})"
