"""Arrays of the observations of many lanes, in the structure of their space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envwright.core.spaces import Dict, Space, Tuple
from envwright.errors import EnvwrightError
from envwright.sim.records import Fields


def buffers(space: Space, lanes: int) -> Any:
    """Return zeros `[lanes, …]` for every part of an observation."""
    if isinstance(space, Dict):
        return {name: buffers(part, lanes) for name, part in space.spaces.items()}
    if isinstance(space, Tuple):
        return tuple(buffers(part, lanes) for part in space.spaces)
    return np.zeros((lanes, *space.shape), space.dtype)


def put(buffer: Any, lane: int, obs: Any) -> None:
    """Write the observation of a lane."""
    if isinstance(buffer, dict):
        for name, part in buffer.items():
            put(part, lane, obs[name])
    elif isinstance(buffer, tuple):
        for part, seen in zip(buffer, obs, strict=True):
            put(part, lane, seen)
    else:
        buffer[lane] = obs


def stacked(space: Space, records: Sequence[Fields], where: str = "obs") -> Any:
    """Return the observations of records, `[lanes, …]` for every part."""
    if isinstance(space, Dict):
        parts = space.spaces.items()
        return {name: stacked(part, records, f"{where}.{name}") for name, part in parts}
    if isinstance(space, Tuple) and where not in records[0]:
        parts = enumerate(space.spaces)
        return tuple(stacked(part, records, f"{where}.{k}") for k, part in parts)
    column = np.stack([record[where] for record in records])
    if isinstance(space, Tuple):  # records hold a tuple of numbers as one vector
        return tuple(np.moveaxis(column, -1, 0))
    return column


def one_reward(reward: Any) -> float:
    """Return the reward of a step as a number. Raises if there are several."""
    if np.size(reward) != 1:
        raise EnvwrightError(
            f"a step pays {np.size(reward)} rewards, and training needs one; wrap the environment "
            "so that step returns their weighted sum"
        )
    return float(np.reshape(reward, ()))
