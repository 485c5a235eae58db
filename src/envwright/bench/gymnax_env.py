"""An Env around gymnax's environments, so that one training loop drives theirs and ours."""

from __future__ import annotations

from typing import Any

import gymnax
import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.env import Env, Obs, Step
from envwright.core.spaces import Box, Discrete, Space
from envwright.errors import EnvwrightError


class GymnaxEnv(Env):
    """Steps and restarts are gymnax's own, `vmap`ped over lanes as its documentation shows."""

    version = 0

    def __init__(self, id: str) -> None:
        self.id = id
        self.env, self.default_params = gymnax.make(id)

    def observation_space(self, params: Any = None) -> Space:
        return _our_space(self.env.observation_space(self.default_params))

    def action_space(self, params: Any = None) -> Space:
        return _our_space(self.env.action_space(self.default_params))

    def reset_batch(self, keys: jax.Array, params: Any = None) -> tuple[Obs, Any]:
        obs, states = jax.vmap(self.env.reset, (0, None))(keys, self.default_params)
        return obs, jax.tree.map(jnp.asarray, states)

    def step_batch(self, keys: jax.Array, states: Any, actions: Any, params: Any = None) -> Step:
        each = jax.random.split(keys, actions.shape[0])
        step = jax.vmap(self.env.step, (0, 0, 0, None))
        return Step(*step(each, states, actions, self.default_params))


def _our_space(space: Any) -> Space:
    if hasattr(space, "n"):
        return Discrete(int(space.n))
    if hasattr(space, "low"):
        low, high = (np.broadcast_to(np.asarray(x), space.shape) for x in (space.low, space.high))
        return Box(low, high, dtype=np.dtype(space.dtype))
    raise EnvwrightError(f"a benchmark trains on Discrete and Box spaces, not {space}")
