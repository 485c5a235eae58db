"""A JAX environment as lanes of agents: one lane for each player of each environment.

This is self-play: one network plays all lanes. Players who move in turn are all shown the state at
every step, and only the mover's choice is played and learnt from.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from envwright.core.env import Env
from envwright.core.wrappers import AutoReset, Strategy, Wrapper
from envwright.errors import EnvwrightError
from envwright.train.ppo import View


class Outcome(NamedTuple):
    """The outcome of a step for every lane."""

    reward: jax.Array  # float32[L]
    terminated: jax.Array  # bool[L]
    truncated: jax.Array  # bool[L]
    final_obs: Any  # [L, …], before any restart


class EverySeat(Wrapper):
    """A wrapper that shows every player's view at every step, also in games in turn."""

    # All of these show a view, so they follow from this class's own as they do in Env.
    advance, reset, step = Env.advance, Env.reset, Env.step
    reset_env, step_env = Env.reset_env, Env.step_env
    reset_batch, step_batch = Env.reset_batch, Env.step_batch

    def view(self, state: Any) -> Any:
        views = [self.env.observe(state, player) for player in range(self.num_players)]
        return jax.tree.map(lambda *v: jnp.stack(v), *views)


class JaxLanes:
    """`num_envs` environments in one array program, restarted by a strategy."""

    def __init__(
        self, env: Env, num_envs: int, params: Any = None, strategy: Strategy = "pool"
    ) -> None:
        self.bare, self.num_envs, self.params = env, num_envs, params
        self.players = env.num_players
        seated = env if self.players == 1 or env.simultaneous else EverySeat(env)
        self.env = AutoReset(seated, strategy)
        self.obs_space = env.observation_space(params)
        self.action_space = env.action_space(params)
        unwrapped = env.unwrapped if isinstance(env, Wrapper) else env
        self.has_masks = type(unwrapped).legal_actions is not Env.legal_actions

    @property
    def lanes(self) -> int:
        """The number of agents, L."""
        return self.num_envs * self.players

    def reset(self, key: jax.Array) -> tuple[Any, View]:
        """Start all environments."""
        obs, states = self.env.reset_batch(jax.random.split(key, self.num_envs), self.params)
        return states, self._view(states, obs)

    def step(self, key: jax.Array, states: Any, actions: jax.Array) -> tuple[Any, View, Outcome]:
        """Step every environment, with the actions of all lanes."""
        played = self._played(states, actions)
        step = self.env.step_batch(key, states, played, self.params)
        outcome = Outcome(
            self._by_lane(self._one_each(step.reward)).astype(jnp.float32),
            self._spread(step.terminated),
            self._spread(step.truncated),
            self._flat(step.info["final_observation"]),
        )
        return step.state, self._view(step.state, step.obs), outcome

    def _played(self, states: Any, actions: jax.Array) -> jax.Array:
        """Return the actions to play: the mover's, or everyone's."""
        if self.players == 1:
            return actions
        seats = actions.reshape(self.num_envs, self.players, *actions.shape[1:])
        if self.bare.simultaneous:
            return seats
        mover = self._movers(states)
        return jax.vmap(lambda row, who: row[who])(seats, mover)

    def _movers(self, states: Any) -> jax.Array:
        return jax.vmap(self.env.current_player)(self.env.inner(states))

    def _view(self, states: Any, obs: Any) -> View:
        legal = acting = None
        if self.has_masks:
            inner = self.env.inner(states)
            players = jnp.arange(self.players)
            seat = jax.vmap(self.bare.legal_actions, (None, 0))
            legal = jax.vmap(seat, (0, None))(inner, players).reshape(self.lanes, -1)
        if self.players > 1 and not self.bare.simultaneous:
            mover = self._movers(states)[:, None]
            acting = (mover == jnp.arange(self.players)[None]).reshape(self.lanes)
            # A player who waits may be shown no legal action at all; the choice is not played.
            legal = None if legal is None else legal | ~acting[:, None]
        return View(self._flat(obs), legal, acting)

    def _flat(self, tree: Any) -> Any:
        """Reshape `[N, players, …]` to `[L, …]`."""
        if self.players == 1:
            return tree
        return jax.tree.map(lambda x: x.reshape(self.lanes, *x.shape[2:]), tree)

    def _one_each(self, reward: jax.Array) -> jax.Array:
        """Raise unless every lane is paid one reward."""
        if reward.size != self.lanes:
            raise EnvwrightError(
                f"a step pays {reward.size // self.lanes} rewards, and training needs one; wrap "
                "the environment so that it pays their weighted sum"
            )
        return reward

    def _by_lane(self, reward: jax.Array) -> jax.Array:
        return reward.reshape(self.lanes)

    def _spread(self, of_env: jax.Array) -> jax.Array:
        """Repeat one flag for each environment for each of its lanes."""
        return jnp.repeat(of_env, self.players)
