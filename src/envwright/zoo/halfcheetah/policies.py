"""Scripted policies that reach states which random ones never reach."""

from __future__ import annotations

from typing import Any

import numpy as np


def gallop(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> np.ndarray:
    """Swing both legs in turn, at each episode's own pace, fast enough to jump."""
    if not memory:
        memory["pace"] = rng.uniform(0.2, 0.9)
        memory["phase"] = rng.uniform(-np.pi, np.pi, 6)
        memory["strength"] = rng.uniform(0.4, 1.2)
    wave = np.sin(memory["pace"] * t + memory["phase"])
    return (memory["strength"] * wave).clip(space.low, space.high).astype(np.float32)


def slam(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> np.ndarray:
    """Hold full torques for a while, then others: joints hit their limits, the trunk falls over."""
    if t % 12 == 0:
        memory["torques"] = rng.choice([-1.0, 1.0], size=space.shape).astype(np.float32)
    return memory["torques"]


def rest(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> np.ndarray:
    """Do nothing: the cheetah falls, comes to rest on its feet, and stays in contact."""
    return np.zeros(space.shape, np.float32)
