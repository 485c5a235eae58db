"""Print spaces."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envwright.agents.compiler.trouble import Unsupported

SMALL = 64  # elements of bounds that are written out


def space(given: gymnasium.Space) -> tuple[str, set[str]]:
    """Return a space's expression and the classes that it needs."""
    spaces = gymnasium.spaces
    if isinstance(given, spaces.Discrete) and given.start == 0:
        return f"Discrete({int(given.n)})", {"Discrete"}
    if isinstance(given, spaces.MultiDiscrete) and given.nvec.ndim == 1 and not given.start.any():
        return f"MultiDiscrete({tuple(map(int, given.nvec))})", {"MultiDiscrete"}
    if isinstance(given, spaces.Box):
        low, high = _bound(given.low), _bound(given.high)
        return f"Box({low}, {high}, {given.shape}, np.{given.dtype})", {"Box"}
    if isinstance(given, spaces.Tuple):
        parts = [p for p in given.spaces if isinstance(p, spaces.Discrete) and p.start == 0]
        if len(parts) == len(given.spaces):
            return f"DiscreteTuple({tuple(int(p.n) for p in parts)})", {"DiscreteTuple"}
    if isinstance(given, spaces.Dict):
        parts, needed = [], {"Dict"}
        for name, inner in given.spaces.items():
            text, more = space(inner)
            parts.append(f"{name!r}: {text}")
            needed |= more
        return f"Dict({{{', '.join(parts)}}})", needed
    raise Unsupported(
        f"the space {' '.join(str(given).split())[:80]}", "envwright.core.spaces does not have it"
    )


def _bound(values: np.ndarray) -> str:
    flat = values.ravel()
    if flat.size and (flat == flat[0]).all():
        return _number(flat[0])
    if flat.size > SMALL:
        raise Unsupported("a space with many different bounds")
    return f"np.array({_nested(values.tolist())}, np.{values.dtype})"


def _nested(values: Any) -> str:
    if isinstance(values, list):
        return f"[{', '.join(map(_nested, values))}]"
    return _number(values)


def _number(value: Any) -> str:
    number = np.asarray(value).item()
    if isinstance(number, float) and not np.isfinite(number):
        return "np.inf" if number > 0 else "-np.inf"
    return repr(number)
