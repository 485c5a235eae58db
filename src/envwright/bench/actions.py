"""Random actions, drawn before the clock starts and the same for every implementation."""

from __future__ import annotations

import numpy as np

from envwright.core.spaces import Box, Discrete, Space
from envwright.errors import EnvwrightError

SEED = 20
_ENOUGH = 2**18  # actions in a bank: a call of some milliseconds hides its own start


def bank_length(batch: int) -> int:
    """Ticks in a bank, after which it starts again."""
    return max(64, min(4096, _ENOUGH // batch))


def action_bank(space: Space, batch: int) -> np.ndarray:
    """Actions `[ticks, batch, …]` of the space, the same at every call."""
    random = np.random.default_rng(SEED)
    shape = (bank_length(batch), batch, *space.shape)
    if isinstance(space, Discrete):
        return random.integers(space.n, size=shape, dtype=space.dtype)
    if isinstance(space, Box) and np.isfinite(space.low).all() and np.isfinite(space.high).all():
        return random.uniform(space.low, space.high, size=shape).astype(space.dtype)
    raise EnvwrightError(f"a benchmark cannot draw actions from {space}; use Discrete or Box")
