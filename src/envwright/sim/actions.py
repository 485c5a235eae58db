"""Random actions: one at a time, and banks that are drawn before a clock starts."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envwright.core.spaces import Box, Discrete, MultiBinary, MultiDiscrete, Space
from envwright.errors import EnvwrightError
from envwright.sim.action_rows import is_compound, leaves_of, row_dtype

SEED = 20
_ENOUGH = 2**18  # actions in a bank: a call of some milliseconds hides its own start


def draw_action(rng: np.random.Generator, space: gymnasium.Space[Any]) -> Any:
    """Draw a uniformly random action from `rng` rather than from the space's own generator.

    An action of several parts is one flat row.
    """
    if is_compound(space):
        row = [np.ravel(draw_action(rng, part)) for part in leaves_of(space)]
        return np.concatenate(row).astype(row_dtype(space))
    if isinstance(space, gymnasium.spaces.Discrete):
        return int(space.start + rng.integers(space.n))
    if isinstance(space, gymnasium.spaces.MultiDiscrete):
        return space.start + rng.integers(space.nvec).astype(space.dtype)
    if isinstance(space, gymnasium.spaces.Box):
        low, high = finite_bounds(space)
        if space.dtype.kind in "iu":
            return np.asarray(rng.integers(low, high, endpoint=True)).astype(space.dtype)
        return np.asarray(rng.uniform(low, high)).astype(space.dtype)
    if isinstance(space, gymnasium.spaces.MultiBinary):
        return rng.integers(2, size=space.shape).astype(space.dtype)
    raise EnvwrightError(
        f"actions of the kind {space} are not supported; wrap the environment so that it takes "
        "Discrete, MultiDiscrete, MultiBinary, Box, or a Tuple or Dict of these"
    )


def draw_extreme(rng: np.random.Generator, space: gymnasium.Space[Any]) -> Any:
    """Draw an extreme action: the first or last one, or a corner of the box."""
    if isinstance(space, gymnasium.spaces.Discrete):
        return int(space.start + rng.choice([0, space.n - 1]))
    if isinstance(space, gymnasium.spaces.Box):
        low, high = finite_bounds(space)
        return np.where(rng.random(space.shape) < 0.5, low, high).astype(space.dtype)
    if isinstance(space, gymnasium.spaces.MultiDiscrete):
        last = rng.random(space.shape) < 0.5
        return (space.start + np.where(last, space.nvec - 1, 0)).astype(space.dtype)
    if is_compound(space):
        row = [np.ravel(draw_extreme(rng, part)) for part in leaves_of(space)]
        return np.concatenate(row).astype(row_dtype(space))
    return draw_action(rng, space)


def finite_bounds(space: gymnasium.spaces.Box) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of a Box, with ±10 where it has none. Called at every step."""
    if _last.get("space") is not space:
        low = np.where(np.isfinite(space.low), space.low, -10.0)
        high = np.where(np.isfinite(space.high), space.high, 10.0)
        _last.update(space=space, bounds=(low, high))
    return _last["bounds"]


_last: dict[str, Any] = {}  # the last Box; a Box cannot be hashed


def bank_length(batch: int) -> int:
    """Return the number of ticks in a bank, after which it starts again."""
    return max(64, min(4096, _ENOUGH // batch))


def action_bank(space: Space, batch: int) -> np.ndarray:
    """Draw actions `[ticks, batch, …]` from the space, the same in every call."""
    random = np.random.default_rng(SEED)
    shape = (bank_length(batch), batch, *space.shape)
    if isinstance(space, Discrete):
        return space.start + random.integers(space.n, size=shape, dtype=space.dtype)
    if isinstance(space, MultiDiscrete):
        first, sizes = np.asarray(space.start), np.asarray(space.nvec)
        return (first + random.integers(sizes, size=shape)).astype(space.dtype)
    if isinstance(space, MultiBinary):
        return random.integers(2, size=shape, dtype=space.dtype)
    if isinstance(space, Box) and np.isfinite(space.low).all() and np.isfinite(space.high).all():
        return random.uniform(space.low, space.high, size=shape).astype(space.dtype)
    raise EnvwrightError(f"a benchmark cannot draw actions from {space}; use one array or number")
