"""Scripted policies that reach what random ones never do: rallies, and points won."""

from __future__ import annotations

from typing import Any

import numpy as np

HALF_BALL = 16 / 640  # as a share of the height
AWAKE = 0.7  # share of the balls that are played; without misses a game would hardly end


def follow(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> Any:
    """Keep the paddle at the ball: rallies at all heights and speeds."""
    if not _plays(rng, obs, memory):
        return _sent(space, rng.uniform(-1, 1))
    return _sent(space, 40 * _aim(obs) + rng.uniform(-0.3, 0.3))


def cut(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> Any:
    """Meet the ball with a moving paddle, which makes it too fast for the other side."""
    return win(rng, space, obs, t, memory) if _plays(rng, obs, memory) else _sent(space, 0.0)


def win(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> Any:
    """Cut every ball: the only policy that wins games."""
    if obs[2] > 0.85 and abs(_aim(obs)) < 0.06:
        return _sent(space, 1.0 if obs[5] >= 0.5 else -1.0)
    return _sent(space, 40 * _aim(obs))


def _plays(rng: np.random.Generator, obs: Any, memory: dict) -> bool:
    """Return whether this ball is played: decided when it begins to come."""
    coming = bool(obs[4] > 0.5)
    if coming != memory.get("coming"):
        memory.update(coming=coming, awake=rng.random() < AWAKE)
    return memory["awake"]


def _aim(obs: Any) -> float:
    """Return how far the ball's middle is above the paddle's."""
    # A paddle is observed at its middle, the ball at its lower side.
    return float(obs[3] + HALF_BALL - obs[1])


def _sent(space: Any, direction: float) -> Any:
    """Return a direction as an action, possibly out of bounds: both sides must clip it."""
    if hasattr(space, "n"):
        return 0 if abs(direction) < 0.3 else (1 if direction > 0 else 2)
    return np.array([direction], np.float32)
