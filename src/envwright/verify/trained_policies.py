"""Trained policies as drivers of level 3: `trained:runs/a/policies/000000200704.npz`.

They go where random play never does. A file may hold several agents; every episode takes one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import gymnasium
import jax
import numpy as np

from envwright.core.spaces import from_gymnasium
from envwright.errors import EnvwrightError
from envwright.sim.action_rows import row_dtype
from envwright.train.policy import Policies, load_policies
from envwright.train.ppo import View


@lru_cache(maxsize=16)
def trained(path: str) -> Callable[..., Any]:
    """Return the policies of a file as one policy; they are read when the spaces are known."""
    loaded: dict[str, tuple[Policies, Any]] = {}

    def policy(
        rng: np.random.Generator, space: gymnasium.Space, obs: Any, t: int, memory: dict
    ) -> Any:
        if "file" not in loaded:
            loaded["file"] = _read(path, space, obs)
        policies, act = loaded["file"]
        if not memory:
            memory["agent"] = policies.one(int(rng.integers(len(policies.seeds))))
            memory["hidden"] = policies.ppo.first_hidden(1)
        key = jax.random.key(int(rng.integers(2**31)))
        first = np.asarray([t == 0])
        memory["hidden"], action = act(memory["agent"], memory["hidden"], obs[None], first, key)
        chosen = np.asarray(action)[0]
        return int(chosen) if chosen.ndim == 0 else chosen.astype(row_dtype(space))

    return policy


def _read(path: str, space: gymnasium.Space, obs: np.ndarray) -> tuple[Policies, Any]:
    if obs is None:
        raise EnvwrightError(f"trained:{path} sees one array, and observations have several parts")
    # A network needs only shape and dtype of observations, which an episode has.
    seen = gymnasium.spaces.Box(-np.inf, np.inf, obs.shape, obs.dtype.type)
    policies = load_policies(Path(path), from_gymnasium(seen), from_gymnasium(space))
    ppo = policies.ppo

    def act(agent: Any, hidden: Any, obs: Any, first: Any, key: Any) -> Any:
        hidden, choice = ppo.act(agent, hidden, View(obs), first, key)
        return hidden, ppo.for_environment(choice.action)

    return policies, jax.jit(act)
