"""PPO on CartPole in the style of PureJaxRL: environment, agent and updates in one program.

    python examples/purejaxrl_loop.py

The loop is written for the five-value `step` of older gymnax, as PureJaxRL's is; the
adapter makes any environment fit. It needs nothing but JAX.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp

import envwright
from envwright.adapters import LegacyGymnax
from envwright.core import EpisodeStatistics


@dataclass(frozen=True)
class Config:
    lanes: int = 32
    steps: int = 64  # per lane and update
    updates: int = 120
    epochs: int = 4
    minibatches: int = 4
    width: int = 64
    learning_rate: float = 1e-3
    discount: float = 0.99
    trace: float = 0.95  # lambda of the advantage estimate
    clip: float = 0.2
    entropy: float = 0.01


class Seen(NamedTuple):
    """One step of all lanes, as the learner needs it."""

    obs: jax.Array
    action: jax.Array
    logp: jax.Array
    value: jax.Array
    reward: jax.Array
    done: jax.Array


def init_network(key, inputs, outputs, width, last):
    def layer(key, n_in, n_out, scale):
        weights = jax.random.orthogonal(key, max(n_in, n_out))[:n_in, :n_out]
        return scale * weights, jnp.zeros(n_out)

    k1, k2, k3 = jax.random.split(key, 3)
    return [
        layer(k1, inputs, width, 1.4),
        layer(k2, width, width, 1.4),
        layer(k3, width, outputs, last),
    ]


def apply_network(layers, x):
    *hidden, (weights, bias) = layers
    for w, b in hidden:
        x = jnp.tanh(x @ w + b)
    return x @ weights + bias


def judge(net, obs):
    """Log-probabilities of the actions, and the value."""
    actor, critic = net
    return jax.nn.log_softmax(apply_network(actor, obs)), apply_network(critic, obs)[..., 0]


def adam(net, grads, moments, count, rate):
    first, second = moments
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, grads)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, grads)
    scale = rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    net = jax.tree.map(lambda p, m, v: p - scale * m / (jnp.sqrt(v) + 1e-5), net, first, second)
    return net, (first, second)


def advantages(seen, last_value, config):
    def backwards(carry, step):
        advantage, following = carry
        alive = 1.0 - step.done
        error = step.reward + config.discount * alive * following - step.value
        advantage = error + config.discount * config.trace * alive * advantage
        return (advantage, step.value), advantage

    start = (jnp.zeros_like(last_value), last_value)
    return jax.lax.scan(backwards, start, seen, reverse=True)[1]


def ppo_loss(net, batch, config):
    seen, advantage, target = batch
    logits, value = judge(net, seen.obs)
    logp = jnp.take_along_axis(logits, seen.action[:, None], axis=1)[:, 0]
    ratio = jnp.exp(logp - seen.logp)
    scaled = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    clipped = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
    policy = -jnp.minimum(ratio * scaled, clipped * scaled).mean()
    entropy = -(jnp.exp(logits) * logits).sum(-1).mean()
    return policy + 0.5 * jnp.square(value - target).mean() - config.entropy * entropy


@partial(jax.jit, static_argnums=(0, 1))
def train(env: LegacyGymnax, config: Config, key: jax.Array) -> jax.Array:
    """float[updates]: the mean return of the last completed episodes after each update."""
    k_net, k_reset, key = jax.random.split(key, 3)
    inputs = env.observation_space(env.default_params).shape[0]
    k_actor, k_critic = jax.random.split(k_net)
    actor = init_network(k_actor, inputs, env.num_actions, config.width, last=0.01)
    net = actor, init_network(k_critic, inputs, 1, config.width, last=1.0)
    nothing = jax.tree.map(jnp.zeros_like, net)
    obs, states = jax.vmap(env.reset)(jax.random.split(k_reset, config.lanes))

    def act(carry, key):
        net, obs, states = carry
        k_act, k_step = jax.random.split(key)
        logits, value = judge(net, obs)
        action = jax.random.categorical(k_act, logits)
        logp = jnp.take_along_axis(logits, action[:, None], axis=1)[:, 0]
        keys = jax.random.split(k_step, config.lanes)
        after, states, reward, done, info = jax.vmap(env.step)(keys, states, action)
        return (net, after, states), (Seen(obs, action, logp, value, reward, done), info)

    def learn(carry, batch):
        net, moments, count = carry
        grads = jax.grad(ppo_loss)(net, batch, config)
        net, moments = adam(net, grads, moments, count, config.learning_rate)
        return (net, moments, count + 1), None

    def update(carry, key):
        net, moments, count, obs, states = carry
        k_act, *k_epochs = jax.random.split(key, 1 + config.epochs)
        keys = jax.random.split(k_act, config.steps)
        (_, obs, states), (seen, info) = jax.lax.scan(act, (net, obs, states), keys)
        advantage = advantages(seen, judge(net, obs)[1], config)
        flat = jax.tree.map(
            lambda x: x.reshape(-1, *x.shape[2:]), (seen, advantage, advantage + seen.value)
        )
        size = config.lanes * config.steps
        order = jnp.concatenate([jax.random.permutation(k, size) for k in k_epochs])
        batches = order.reshape(config.epochs * config.minibatches, -1)
        learner = (net, moments, count)
        learner, _ = jax.lax.scan(
            lambda c, rows: learn(c, jax.tree.map(lambda x: x[rows], flat)), learner, batches
        )
        returns = info["returned_episode_returns"][-1].mean()
        return (*learner, obs, states), returns

    carry = (net, (nothing, nothing), jnp.ones(()), obs, states)
    return jax.lax.scan(update, carry, jax.random.split(key, config.updates))[1]


def main() -> None:
    env = LegacyGymnax(EpisodeStatistics(envwright.make("cartpole")))
    config = Config()
    began = time.perf_counter()
    returns = train(env, config, jax.random.key(0)).block_until_ready()
    seconds = time.perf_counter() - began
    for update in range(0, config.updates, 10):
        print(
            f"after {(update + 1) * config.lanes * config.steps:7,} steps: {returns[update]:5.1f}"
        )
    steps = config.updates * config.lanes * config.steps
    print(f"last {returns[-1]:.1f}; {steps:,} steps in {seconds:.1f} s, compilation included")


if __name__ == "__main__":
    main()
