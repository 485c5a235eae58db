"""Describe spaces for an agent."""

from __future__ import annotations

import gymnasium
import numpy as np

SMALL = 12  # elements of bounds that are written out


def described_space(space: gymnasium.Space) -> str:
    """Describe a space in terms of `envwright.core.spaces`, or how to do without."""
    word = _word(space)
    if word is not None:
        return f"`{word}`"
    inside = space.spaces if isinstance(space, gymnasium.spaces.Tuple) else ()
    parts = [p for p in inside if isinstance(p, gymnasium.spaces.Discrete) and p.start == 0]
    if parts and len(parts) == len(inside):
        sizes = ", ".join(str(int(p.n)) for p in parts)
        inner = ", ".join(f"Discrete({int(p.n)})" for p in parts)
        return (
            f"one int32 array of {len(parts)} numbers, `MultiDiscrete(({sizes}))`, in a subclass "
            f"whose `to_gymnasium` returns Gymnasium's `Tuple(({inner}))`, as the reference has it"
        )
    return (
        f"Gymnasium's `{' '.join(str(space).split())}`, for which there is no word: use the "
        "nearest space in a subclass whose `to_gymnasium` returns this one"
    )


def _word(space: gymnasium.Space) -> str | None:
    spaces = gymnasium.spaces
    if isinstance(space, spaces.Discrete) and space.start == 0:
        return f"Discrete({int(space.n)})"
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1 and not space.start.any():
        return f"MultiDiscrete(({', '.join(str(int(n)) for n in space.nvec)},))"
    if isinstance(space, spaces.Box):
        dtype = f"np.{space.dtype}"
        return f"Box({_bound(space.low)}, {_bound(space.high)}, {space.shape}, {dtype})"
    if isinstance(space, spaces.Dict):
        parts = {name: _word(part) for name, part in space.spaces.items()}
        if all(parts.values()):
            return f"Dict({{{', '.join(f'{name!r}: {word}' for name, word in parts.items())}}})"
    return None


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
