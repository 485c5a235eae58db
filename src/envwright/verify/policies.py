"""Policies that search for differences: random, scripted, boundary, or the user's own.

A policy is a function `(rng, space, obs, t, memory) -> action`; `memory` is a dict that
lives for one episode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.sim.actions import draw_action, finite_bounds

Policy = Callable[[np.random.Generator, gymnasium.Space, Any, int, dict], Any]


def random(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> Any:
    """Draw every action with equal probability at every step."""
    return draw_action(rng, space)


def sticky(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> Any:
    """Hold an action for 1 to 16 steps, so that episodes leave the neighbourhood of the start."""
    return _repeated(memory, rng, space, draw_action, 16)


def alternating(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> Any:
    """Take two actions in turn, chosen once per episode."""
    if not memory:
        memory["pair"] = (draw_action(rng, space), draw_action(rng, space))
    return memory["pair"][t % 2]


def boundary(rng: np.random.Generator, space: Any, obs: Any, t: int, memory: dict) -> Any:
    """Hold an extreme action for some steps: the first or last one, or a corner of the box."""
    return _repeated(memory, rng, space, _extreme, 32)


def _repeated(memory: dict, rng: np.random.Generator, space: Any, draw: Any, longest: int) -> Any:
    """Draw an action and hold it for 1 to `longest` steps."""
    if memory.get("left", 0) == 0:
        memory["action"], memory["left"] = draw(rng, space), int(rng.integers(1, longest + 1))
    memory["left"] -= 1
    return memory["action"]


def _extreme(rng: np.random.Generator, space: gymnasium.Space) -> Any:
    if isinstance(space, gymnasium.spaces.Discrete):
        return int(space.start + rng.choice([0, space.n - 1]))
    if isinstance(space, gymnasium.spaces.Box):
        low, high = finite_bounds(space)
        return np.where(rng.random(space.shape) < 0.5, low, high).astype(space.dtype)
    return draw_action(rng, space)


KNOWN_POLICIES: dict[str, Policy] = {
    "random": random,
    "sticky": sticky,
    "alternating": alternating,
    "boundary": boundary,
}


def find_policy(name: str) -> Policy:
    """Find a policy by name, `trained:FILE`, or `python:module:attribute`."""
    if name in KNOWN_POLICIES:
        return KNOWN_POLICIES[name]
    if name.startswith("python:"):
        return load_attribute(name.removeprefix("python:"))
    if name.startswith("trained:"):
        from envwright.verify.trained_policies import trained  # it imports flax

        return trained(name.removeprefix("trained:"))
    raise EnvwrightError(
        f"unknown policy {name!r}; use {', '.join(KNOWN_POLICIES)}, trained:FILE or "
        "python:module:attribute"
    )
