"""Brax: an Env under Brax's own wrappers and trainers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from envwright.adapters.episode import find_env
from envwright.core.env import Env, Step
from envwright.core.spaces import Discrete
from envwright.errors import EnvwrightError, MissingPackage

try:
    from brax.envs.base import Env as BraxBase
    from brax.envs.base import State
except ImportError as error:
    raise MissingPackage("the Brax adapter needs brax; pip install 'envwright[peers]'") from error


class BraxEnv(BraxBase):
    """`state = env.step(state, action)`, with our state in `state.pipeline_state`.

    There is no auto-reset inside; Brax's AutoResetWrapper does that, and always starts a
    lane from its first state again. `done` is either end and `info["truncation"]` tells
    them apart, except under Brax's EpisodeWrapper: it counts the time and writes both, so
    there `done` is the game's own end, and the limit is the wrapper's.

    A discrete action is an integer, or a vector with a score for each choice, of which
    the largest is taken: that is what Brax's trainers send.
    """

    def __init__(self, env: str | Env, params: Any = None, **options: Any) -> None:
        self.env = find_env(env, **options)
        if self.env.num_players > 1:
            raise EnvwrightError(f"{self.env.name} has several players and Brax knows one")
        self.params = self.env.default_params if params is None else params
        self._actions = self.env.action_space(self.params)

    def reset(self, rng: jax.Array) -> State:
        k_start, k_steps = jax.random.split(rng)
        obs, state = self.env.reset(k_start, self.params)
        action = jax.eval_shape(self._actions.sample, k_steps)
        shapes = jax.eval_shape(self.env.advance, k_steps, state, action, self.params)
        nothing = jax.tree.map(lambda a: jnp.zeros(a.shape, a.dtype), self._told(shapes))
        zero = jnp.zeros((), jnp.float32)
        info = {**nothing, "truncation": zero, "rng": k_steps}
        return State(state, obs, jnp.zeros((), shapes.reward.dtype), zero, {}, info)

    def step(self, state: Any, action: jax.Array) -> State:
        rng, key = jax.random.split(state.info["rng"])
        action = self._chosen(action)
        after = self.env.advance(key, state.pipeline_state, action, self.params)
        wrapper_keeps_time = "steps" in state.info
        done = after.terminated if wrapper_keeps_time else after.done
        truncation = after.truncated.astype(jnp.float32)
        info = {**state.info, **self._told(after), "truncation": truncation, "rng": rng}
        return state.replace(
            pipeline_state=after.state,
            obs=after.obs,
            reward=after.reward,
            done=done.astype(jnp.float32),
            info=info,
        )

    @property
    def observation_size(self) -> Any:
        obs, _ = jax.eval_shape(self.env.reset, jax.random.key(0), self.params)
        return obs.shape[-1] if hasattr(obs, "shape") else jax.tree.map(lambda x: x.shape, obs)

    @property
    def action_size(self) -> int:
        return self._actions.n if isinstance(self._actions, Discrete) else self._actions.shape[-1]

    @property
    def backend(self) -> str:
        return "envwright"

    def _chosen(self, action: jax.Array) -> jax.Array:
        if isinstance(self._actions, Discrete) and jnp.ndim(action) == 1:
            return jnp.argmax(action).astype(self._actions.dtype)
        return action

    @staticmethod
    def _told(step: Step) -> dict[str, Any]:
        """Nothing restarts in here, so the final observation is the observation."""
        return {name: x for name, x in step.info.items() if name != "final_observation"}
