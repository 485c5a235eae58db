"""The five-value API of older gymnax, which PureJaxRL and its descendants use.

Loops written for gymnax 1.x need no adapter; pass them an Env.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from envwright.adapters.episode import find_env
from envwright.core.env import Env, Obs
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError

# Import now, not when a space is first needed: that may be while a training loop is traced, and
# the constants of gymnax's modules would be tracers for the rest of the process.
try:
    from gymnax.environments import spaces
except ImportError:
    spaces = None


class LegacyGymnax:
    """`obs, state, reward, done, info = env.step(key, state, action, params)`.

    `done` is either end. `info` has `terminated`, `truncated`, `final_observation`, and a
    `discount` that is 0 only where the episode terminated. Spaces are gymnax's own if it is
    installed, because wrappers check their class.
    """

    def __init__(self, env: str | Env, **options: Any) -> None:
        self.env = find_env(env, **options)

    @property
    def name(self) -> str:
        return self.env.name

    @property
    def default_params(self) -> Any:
        return self.env.default_params

    @property
    def num_actions(self) -> int:
        """The number of discrete actions, or the length of a real-valued one."""
        space = self.env.action_space(self.default_params)
        return space.n if isinstance(space, Discrete) else space.shape[0]

    def reset(self, key: jax.Array, params: Any = None) -> tuple[Obs, Any]:
        return self.env.reset(key, params)

    def step(
        self, key: jax.Array, state: Any, action: Any, params: Any = None
    ) -> tuple[Obs, Any, jax.Array, jax.Array, dict[str, Any]]:
        obs, state, reward, terminated, truncated, info = self.env.step(key, state, action, params)
        discount = jnp.where(terminated, 0.0, 1.0).astype(jnp.float32)
        ends = {"terminated": terminated, "truncated": truncated, "discount": discount}
        return obs, state, reward, terminated | truncated, {**info, **ends}

    def observation_space(self, params: Any = None) -> Any:
        return _gymnax_space(self.env.observation_space(params))

    def action_space(self, params: Any = None) -> Any:
        return _gymnax_space(self.env.action_space(params))


def _gymnax_space(space: Any) -> Any:
    if spaces is None:
        return space
    if isinstance(space, Discrete):
        if space.start:
            raise EnvwrightError(f"{space} does not start at 0, as gymnax's do; wrap the Env")
        return spaces.Discrete(space.n)
    if isinstance(space, Box):
        low: Any = space.low  # gymnax says arrays of JAX, and takes any
        high: Any = space.high
        return spaces.Box(low, high, space.shape, jnp.dtype(space.dtype))
    return space
