"""Use an Env with Brax's own wrappers and trainers."""

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

    It does not auto-reset; Brax's AutoResetWrapper does, always to a lane's first state. `done`
    is either end, and `info["truncation"]` distinguishes them. Under Brax's EpisodeWrapper, which
    counts the time and writes both, `done` is the game's own end and the limit is the wrapper's.

    A discrete action is an integer, or a vector of scores as Brax's trainers send it; the largest
    score wins.
    """

    def __init__(self, env: str | Env, params: Any = None, **options: Any) -> None:
        self.env = find_env(env, **options)
        if self.env.num_players > 1:
            raise EnvwrightError(f"Brax supports one player; {self.env.name} has several players")
        self.params = self.env.default_params if params is None else params
        self._actions = self.env.action_space(self.params)

    def reset(self, rng: jax.Array) -> State:
        k_start, k_steps = jax.random.split(rng)
        obs, state = self.env.reset(k_start, self.params)
        action = jax.eval_shape(self._actions.sample, k_steps)
        shapes = jax.eval_shape(self.env.advance, k_steps, state, action, self.params)
        nothing = jax.tree.map(lambda a: jnp.zeros(a.shape, a.dtype), self._step_info(shapes))
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
        info = {**state.info, **self._step_info(after), "truncation": truncation, "rng": rng}
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
            chosen = jnp.argmax(action).astype(self._actions.dtype)
            return chosen + self._actions.start
        return action

    @staticmethod
    def _step_info(step: Step) -> dict[str, Any]:
        """Return the info without the final observation, which is the observation here."""
        return {name: x for name, x in step.info.items() if name != "final_observation"}
