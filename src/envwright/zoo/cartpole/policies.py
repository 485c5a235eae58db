"""Scripted policies that reach states which random ones never reach."""

from __future__ import annotations

from typing import Any

import numpy as np


def balance(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> int:
    """Keep the pole up, nearly always to the time limit, with a slip now and then."""
    x, x_dot, theta, theta_dot = obs
    slip = rng.random() < 0.02
    return int((theta + 0.3 * theta_dot + 0.02 * x + 0.05 * x_dot > 0) != slip)


def lean(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> int:
    """Keep the pole up at a slant, so that the cart runs off the track on one side."""
    if not memory:
        memory["slant"] = rng.choice([-1.0, 1.0]) * rng.uniform(0.02, 0.06)
    theta, theta_dot = obs[2], obs[3]
    return int(theta - memory["slant"] + 0.3 * theta_dot > 0)
