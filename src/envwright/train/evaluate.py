"""Evaluate policies in an environment: whole episodes, each counted once.

Every lane plays one episode to its end, so that short episodes do not count more often than
long ones, as they would in a fixed number of steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from envwright.core.env import Env
from envwright.sim.hosts import HostLanes, players_of
from envwright.sim.targets import Target
from envwright.train.jax_lanes import JaxLanes
from envwright.train.networks import as_input
from envwright.train.policy import Policies
from envwright.train.ppo import PPO, Agent, View

WATCHED = 16  # episodes of each policy whose visits are kept
MOMENTS = 512  # steps of an episode at which they are kept, at most
PLACES = 64  # numbers of a visit that are kept, at most


@dataclass(frozen=True)
class Visits:
    """Visited observations, as rows of numbers."""

    rows: np.ndarray  # float32[rows, dims]
    episode: np.ndarray  # int[rows], which episode a row belongs to


@dataclass(frozen=True)
class Evaluation:
    """The episodes of several policies; the returns are those of the first player."""

    returns: np.ndarray  # float[S, E]
    lengths: np.ndarray  # int[S, E]
    cut: int  # episodes that the horizon cut off
    visits: Visits


def evaluate(
    policies: Policies,
    target: Target,
    *,
    episodes: int = 100,
    horizon: int = 10_000,
    seed: int = 0,
    greedy: bool = False,
    compiler_options: dict[str, Any] | None = None,
) -> Evaluation:
    """Play `episodes` of each policy in an environment, at most `horizon` steps each.

    `compiler_options` are XLA's, for a JAX environment that is evaluated only once.
    """
    if isinstance(target, Env):
        return _evaluate_fused(policies, target, episodes, horizon, seed, greedy, compiler_options)
    lanes = target(episodes)
    try:
        return _evaluate_host(policies, lanes, horizon, seed, greedy)
    finally:
        lanes.close()


# --- JAX environments ----------------------------------------------------------------------


def _evaluate_fused(
    policies: Policies,
    env: Env,
    episodes: int,
    horizon: int,
    seed: int,
    greedy: bool,
    compiler_options: dict[str, Any] | None,
) -> Evaluation:
    lanes = JaxLanes(env, episodes)
    count = len(policies.seeds)
    play = partial(_play, policies.ppo, lanes, horizon, greedy)
    keys = jax.random.split(jax.random.key(seed), count)
    told = jax.jit(jax.vmap(play), compiler_options=compiler_options)(policies.agent, keys)
    total, length, over, seen, alive = jax.tree.map(np.asarray, told)
    first = slice(None, None, lanes.players)
    return Evaluation(
        total[:, first], length[:, first], int((~over[:, first]).sum()), _visits(seen, alive)
    )


def _play(
    ppo: PPO, lanes: JaxLanes, horizon: int, greedy: bool, agent: Agent, key: jax.Array
) -> tuple[jax.Array, ...]:
    k_reset, k_play = jax.random.split(key)
    states, view = lanes.reset(k_reset)
    stride, moments = _stride(horizon)
    watched = min(WATCHED * lanes.players, lanes.lanes)
    places = _seen(ppo, jax.tree.map(lambda x: x[:watched], view.obs)).shape[1]
    begin = {
        "time": jnp.int32(0),
        "states": states,
        "view": view,
        "starts": jnp.ones(lanes.lanes, bool),
        "hidden": ppo.first_hidden(lanes.lanes),
        "total": jnp.zeros(lanes.lanes),
        "length": jnp.zeros(lanes.lanes, jnp.int32),
        "over": jnp.zeros(lanes.lanes, bool),
        "seen": jnp.zeros((moments, watched, places)),
        "alive": jnp.zeros((moments, watched), bool),
    }

    def goes_on(now: dict[str, Any]) -> jax.Array:
        return (now["time"] < horizon) & ~jnp.all(now["over"])

    def step(now: dict[str, Any]) -> dict[str, Any]:
        k_act, k_step = jax.random.split(jax.random.fold_in(k_play, now["time"]))
        hidden, choice = ppo.act(
            agent, now["hidden"], now["view"], now["starts"], k_act, greedy=greedy
        )
        action = ppo.for_environment(choice.action)
        states, view, outcome = lanes.step(k_step, now["states"], action)
        going = ~now["over"]
        done = outcome.terminated | outcome.truncated
        # Moments between two strides are written to the same place; the last one stays.
        moment = now["time"] // stride
        some = jax.tree.map(lambda x: x[:watched], now["view"].obs)
        return {
            "time": now["time"] + 1,
            "states": states,
            "view": view,
            "starts": done,
            "hidden": hidden,
            "total": now["total"] + jnp.where(going, outcome.reward, 0.0),
            "length": now["length"] + going.astype(jnp.int32),
            "over": now["over"] | done,
            "seen": now["seen"].at[moment].set(_seen(ppo, some)),
            "alive": now["alive"].at[moment].set(going[:watched]),
        }

    end = lax.while_loop(goes_on, step, begin)
    return end["total"], end["length"], end["over"], end["seen"], end["alive"]


# --- environments on the host --------------------------------------------------------------


def _evaluate_host(
    policies: Policies, lanes: HostLanes, horizon: int, seed: int, greedy: bool
) -> Evaluation:
    act = jax.jit(partial(policies.ppo.act, greedy=greedy))
    told = [
        _play_host(policies.ppo, act, policies.one(index), lanes, horizon, [seed, index])
        for index in range(len(policies.seeds))
    ]
    total, length, over, seen, alive = (np.stack(part) for part in zip(*told, strict=True))
    first = slice(None, None, players_of(lanes))
    return Evaluation(
        total[:, first], length[:, first], int((~over[:, first]).sum()), _visits(seen, alive)
    )


def _play_host(
    ppo: PPO, act: Any, agent: Agent, lanes: HostLanes, horizon: int, entropy: list[int]
) -> tuple[np.ndarray, ...]:
    count = lanes.num_envs
    spread = np.random.SeedSequence(entropy).generate_state(count + 1)
    key = jax.random.key(int(spread[-1]))
    view = lanes.reset([int(word) for word in spread[:-1]])
    stride, moments = _stride(horizon)
    watched = min(WATCHED * players_of(lanes), count)
    hidden, starts = ppo.first_hidden(count), np.ones(count, bool)
    total, length = np.zeros(count), np.zeros(count, np.int64)
    over = np.zeros(count, bool)
    seen: np.ndarray | None = None
    alive = np.zeros((moments, watched), bool)
    for time in range(horizon):
        if over.all():
            break
        some = np.asarray(_seen(ppo, jax.tree.map(lambda x: np.array(x[:watched]), view.obs)))
        seen = np.zeros((moments, *some.shape), np.float32) if seen is None else seen
        seen[time // stride], alive[time // stride] = some, ~over[:watched]
        legal: Any = view.legal  # a NumPy array: `act` is compiled and takes either
        given = View(jax.tree.map(np.array, view.obs), legal)
        hidden, choice = act(agent, hidden, given, starts, jax.random.fold_in(key, time))
        step = lanes.step(np.asarray(ppo.for_environment(choice.action)), ~over)
        total += np.where(over, 0.0, step.reward)
        length += ~over
        starts = step.terminated | step.truncated
        over, view = over | starts, step.view
    assert seen is not None
    return total, length, over, seen, alive


# --- visits --------------------------------------------------------------------------------


def _stride(horizon: int) -> tuple[int, int]:
    """Return the steps between two kept moments, and the number of moments."""
    stride = -(-horizon // MOMENTS)
    return stride, -(-horizon // stride)


def _seen(ppo: PPO, obs: Any) -> Any:
    """Return an observation as float32[lanes, dims]; of a picture, evenly spread pixels."""
    seen = as_input(obs, ppo.obs_space).astype(jnp.float32)
    flat = seen.reshape(seen.shape[0], -1)
    step = -(-flat.shape[1] // PLACES) if ppo.network.pixels else 1
    return flat[:, ::step]


def _visits(seen: np.ndarray, alive: np.ndarray) -> Visits:
    """Collect visits from `[S, moments, watched, dims]` and the lanes still playing."""
    count, _, watched, _ = seen.shape
    episode = np.arange(count)[:, None, None] * watched + np.arange(watched)
    return Visits(seen[alive], np.broadcast_to(episode, alive.shape)[alive])
