"""Print spaces."""

from __future__ import annotations

import gymnasium
import numpy as np

from envwright.agents.compiler.emit.constants import nested, written
from envwright.agents.compiler.trouble import Unsupported

SMALL = 64  # elements of bounds that are written out


def space(given: gymnasium.Space) -> str:
    """Return a space's expression."""
    spaces = gymnasium.spaces
    if isinstance(given, spaces.Discrete) and given.start == 0:
        return f"Discrete({int(given.n)})"
    if isinstance(given, spaces.MultiDiscrete) and given.nvec.ndim == 1 and not given.start.any():
        return f"MultiDiscrete({tuple(map(int, given.nvec))})"
    if isinstance(given, spaces.Box):
        return f"Box({_bound(given.low)}, {_bound(given.high)}, {given.shape}, np.{given.dtype})"
    if isinstance(given, spaces.Tuple):
        parts = [p for p in given.spaces if isinstance(p, spaces.Discrete) and p.start == 0]
        if len(parts) == len(given.spaces):
            return f"DiscreteTuple({tuple(int(p.n) for p in parts)})"
    if isinstance(given, spaces.Dict):
        texts = [f"{name!r}: {space(inner)}" for name, inner in given.spaces.items()]
        return f"Dict({{{', '.join(texts)}}})"
    raise Unsupported(
        f"the space {' '.join(str(given).split())[:80]}", "envwright.core.spaces does not have it"
    )


def _bound(values: np.ndarray) -> str:
    flat = values.ravel()
    if flat.size and (flat == flat[0]).all():
        return written(flat[0]).replace("jnp.", "np.")
    if flat.size > SMALL:
        raise Unsupported("a space with many different bounds")
    return f"np.array({nested(values)}, np.{values.dtype})"
