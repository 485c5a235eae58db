"""Scripted policies that take games where random ones never go: rallies, and points won."""

from __future__ import annotations

from typing import Any

import numpy as np

HALF_BALL = 16 / 640  # as a share of the height
AWAKE = 0.7  # share of the balls that are played; a game without a miss would hardly end


def follow(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> Any:
    """Keeps the paddle at the ball: rallies, at all heights and speeds."""
    if not _plays(rng, obs, memory):
        return _sent(space, rng.uniform(-1, 1))
    return _sent(space, 40 * _aim(obs) + rng.uniform(-0.3, 0.3))


def cut(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> Any:
    """Meets the ball with a moving paddle, which makes it too fast for the other side."""
    return win(rng, space, obs, t, memory) if _plays(rng, obs, memory) else _sent(space, 0.0)


def win(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> Any:
    """Cuts every ball: the only one whose games are won."""
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
    """How far above the paddle's middle the ball's is."""
    # What is shown of a paddle is where its middle is; of the ball, where its lower side is.
    return float(obs[3] + HALF_BALL - obs[1])


def _sent(space: Any, direction: float) -> Any:
    """A direction as an action of the space, or beyond it: the reference clips, so must we."""
    if hasattr(space, "n"):
        return 0 if abs(direction) < 0.3 else (1 if direction > 0 else 2)
    return np.array([direction], np.float32)
