"""Proximal policy optimisation: how an agent acts, and how it learns from a roll-out.

Pure functions of one agent. The loop around them is elsewhere: fused with the environment
(`fused`), or on the host for environments that are not JAX (`host`); several seeds are a
`vmap` of everything here.

Shapes: T steps of a roll-out, L lanes. A lane is one player of one environment.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete, MultiBinary, MultiDiscrete, Space
from envwright.train.advantages import advantages
from envwright.train.config import PPOConfig
from envwright.train.networks import as_input, build, dummy_obs, init_parameters
from envwright.train.running import Moments
from envwright.train.shuffle import shuffled

ADAM_EPSILON = 1e-5


@pytree_dataclass
class Agent:
    """All that is learnt, and the optimiser's state."""

    params: Any
    optimiser: Any
    obs_moments: Moments | None
    reward_moments: Moments | None


@pytree_dataclass
class View:
    """Observations and legal actions of the lanes."""

    obs: Any  # [L, …]
    legal: jax.Array | None = None  # bool[L, actions]; None: everything
    acting: jax.Array | None = None  # bool[L], whose turn it is; None: everyone's


@pytree_dataclass
class Choice:
    """The actions of the lanes, with their log probabilities and values."""

    action: jax.Array  # [L] or [L, d], unclipped
    log_prob: jax.Array  # float32[L]
    value: jax.Array  # float32[L]


@pytree_dataclass
class Rollout:
    """T steps of L lanes."""

    view: View
    choice: Choice
    starts: jax.Array  # bool[T, L], the view is the first of an episode
    reward: jax.Array  # float32[T, L]
    done: jax.Array  # bool[T, L]
    bootstrap: jax.Array  # float32[T, L], value of what a truncation cut off, else 0
    discounted: jax.Array  # float32[T, L], return so far, discounted; its size scales rewards


@pytree_dataclass
class Lesson:
    """Rows of a roll-out with their targets."""

    rows: Rollout
    advantage: jax.Array  # float32[T, L]
    target: jax.Array  # float32[T, L]


class PPO:
    """PPO for given spaces; holds no state."""

    def __init__(self, config: PPOConfig, obs_space: Space, action_space: Space) -> None:
        self.config, self.obs_space, self.action_space = config, obs_space, action_space
        self.network = build(config, obs_space, action_space)
        self.optimiser = optax.chain(
            optax.clip_by_global_norm(config.max_grad_norm),
            optax.adam(self._learning_rate(), eps=ADAM_EPSILON),
        )

    def init(self, key: jax.Array) -> Agent:
        """Make an untrained agent."""
        params = init_parameters(self.network, key, self.obs_space)
        features = as_input(dummy_obs(self.obs_space, 1), self.obs_space).shape[1:]
        watches = self.config.normalise_obs and not self.network.pixels
        return Agent(
            params,
            self.optimiser.init(params),
            Moments.unseen(features) if watches else None,
            Moments.unseen(()) if self.config.normalise_reward else None,
        )

    def first_hidden(self, lanes: int) -> Any:
        """Return the memory before an episode; None without one."""
        return self.network.first_hidden(lanes)

    def law(self, agent: Agent, hidden: Any, view: View, starts: jax.Array) -> tuple:
        """Return hidden state, distribution over actions and value for views `[T, L, …]`."""
        seen = as_input(view.obs, self.obs_space, lead=2)
        if agent.obs_moments is not None:
            seen = agent.obs_moments.normalise(seen)
        return self.network.apply(agent.params, hidden, seen, starts, view.legal)

    def act(
        self,
        agent: Agent,
        hidden: Any,
        view: View,
        starts: jax.Array,
        key: jax.Array,
        greedy: bool = False,
    ) -> tuple[Any, Choice]:
        """Choose an action for every lane of one step."""
        hidden, law, value = self.law(agent, hidden, _one_step(view), starts[None])
        action = law.mode() if greedy else law.sample(key)
        log_prob = law.log_prob(action)
        return hidden, Choice(action[0], log_prob[0], value[0])

    def value(self, agent: Agent, hidden: Any, obs: Any, starts: jax.Array) -> jax.Array:
        """Return the value of the views, float32[L]."""
        return self.law(agent, hidden, _one_step(View(obs)), starts[None])[2][0]

    def for_environment(self, action: jax.Array) -> jax.Array:
        """Return an action as its space has it: clipped to bounds, or counted from its start.

        Learning keeps the action as it was drawn.
        """
        space = self.action_space
        if isinstance(space, Box):
            bounds = space.low, space.high
            return jnp.clip(action, *(jnp.broadcast_to(bound, action.shape) for bound in bounds))
        if isinstance(space, MultiBinary):
            return action.reshape(*action.shape[:-1], *space.shape).astype(space.dtype)
        if isinstance(space, MultiDiscrete):
            shaped = action.reshape(*action.shape[:-1], *space.shape)
            return shaped + np.broadcast_to(np.asarray(space.start, space.dtype), shaped.shape)
        return action + space.start if isinstance(space, Discrete) and space.start else action

    def learn(
        self, agent: Agent, hidden: Any, rollout: Rollout, last_value: jax.Array, key: jax.Array
    ) -> tuple[Agent, dict[str, jax.Array]]:
        """Do several epochs over a roll-out that began with `hidden`; losses are means."""
        reward, agent = self._scaled_reward(agent, rollout)
        advantage = advantages(
            reward,
            rollout.choice.value,
            last_value,
            rollout.done,
            rollout.bootstrap,
            self.config.gamma,
            self.config.gae_lambda,
        )
        lesson = Lesson(rollout, advantage, advantage + rollout.choice.value)
        explained = _explained_variance(rollout.choice.value, lesson.target)
        if not self.config.memory:
            lesson, hidden = jax.tree.map(_as_one_step, lesson), None

        def epoch(carry: Any, key: jax.Array) -> Any:
            rows = lesson.advantage.shape[1]
            order = shuffled(key, rows).reshape(self.config.minibatches, -1)
            return lax.scan(minibatch, carry, order)

        def minibatch(carry: Any, rows: jax.Array) -> Any:
            params, optimiser = carry
            some = jax.tree.map(lambda x: x[:, rows], lesson)
            first = jax.tree.map(lambda h: h[rows], hidden)
            (_, losses), gradient = jax.value_and_grad(self._loss, has_aux=True)(
                params, agent, first, some
            )
            with jax.numpy_dtype_promotion("standard"):  # optax raises a float to an int32 power
                change, optimiser = self.optimiser.update(gradient, optimiser, params)
            losses["gradient"] = optax.tree.norm(gradient)
            return (optax.apply_updates(params, change), optimiser), losses

        keys = jax.random.split(key, self.config.epochs)
        (params, optimiser), losses = lax.scan(epoch, (agent.params, agent.optimiser), keys)
        losses = jax.tree.map(jnp.mean, losses) | {"explained_variance": explained}
        # Used by the next roll-out only: this one was played with the earlier moments.
        agent = replace(agent, params=params, optimiser=optimiser)
        return self._watched(agent, rollout), losses

    def _loss(self, params: Any, agent: Agent, hidden: Any, lesson: Lesson) -> tuple:
        rows, config = lesson.rows, self.config
        _, law, value = self.law(replace(agent, params=params), hidden, rows.view, rows.starts)
        acting = rows.view.acting
        weight = jnp.ones_like(value) if acting is None else acting.astype(value.dtype)
        log_ratio = law.log_prob(rows.choice.action) - rows.choice.log_prob
        ratio = jnp.exp(log_ratio)
        advantage = _normalised(lesson.advantage, weight)
        clipped = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
        policy = -_mean(jnp.minimum(ratio * advantage, clipped * advantage), weight)
        value_loss = 0.5 * jnp.mean(jnp.square(value - lesson.target))
        entropy = _mean(law.entropy(), weight)
        loss = policy + config.value * value_loss - config.entropy * entropy
        return loss, {
            "policy_loss": policy,
            "value_loss": value_loss,
            "entropy": entropy,
            "approx_kl": _mean(ratio - 1 - log_ratio, weight),
            "clip_fraction": _mean(jnp.abs(ratio - 1) > config.clip, weight),
        }

    def _scaled_reward(self, agent: Agent, rollout: Rollout) -> tuple[jax.Array, Agent]:
        """Scale rewards by the size of discounted returns, those of this roll-out included."""
        if agent.reward_moments is None:
            return rollout.reward, agent
        moments = agent.reward_moments.seen(rollout.discounted.reshape(-1))
        return moments.scale(rollout.reward), replace(agent, reward_moments=moments)

    def _watched(self, agent: Agent, rollout: Rollout) -> Agent:
        if agent.obs_moments is None:
            return agent
        seen = as_input(rollout.view.obs, self.obs_space, lead=2)
        moments = agent.obs_moments.seen(seen.reshape(-1, seen.shape[-1]))
        return replace(agent, obs_moments=moments)

    def _learning_rate(self) -> Any:
        if not self.config.anneal:
            return self.config.learning_rate
        return optax.linear_schedule(self.config.learning_rate, 0.0, self.config.gradient_steps)


def _one_step(view: View) -> View:
    """Reshape `[L, …]` to a sequence of one, `[1, L, …]`."""
    return jax.tree.map(lambda x: x[None], view)


def _as_one_step(x: jax.Array) -> jax.Array:
    """Reshape `[T, L, …]` to `[1, T * L, …]`: without memory the order of steps does not matter."""
    return x.reshape(1, -1, *x.shape[2:])


def _mean(x: jax.Array, weight: jax.Array) -> jax.Array:
    return jnp.sum(x.astype(weight.dtype) * weight) / jnp.maximum(jnp.sum(weight), 1.0)


def _normalised(advantage: jax.Array, weight: jax.Array) -> jax.Array:
    mean = _mean(advantage, weight)
    spread = jnp.sqrt(_mean(jnp.square(advantage - mean), weight))
    return (advantage - mean) / (spread + 1e-8)


def _explained_variance(value: jax.Array, target: jax.Array) -> jax.Array:
    return 1.0 - jnp.var(target - value) / jnp.maximum(jnp.var(target), 1e-8)
