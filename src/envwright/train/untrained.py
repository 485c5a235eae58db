"""An episode of random legal actions, for environments without a trained run."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from envwright.core.env import Env
from envwright.core.pytree import named_leaves
from envwright.core.room import Room
from envwright.errors import EnvwrightError
from envwright.schema.names import join_options
from envwright.sim.actions import draw_action
from envwright.sim.records import is_over, state_of
from envwright.sim.resolve import open_simulator, opening
from envwright.train.pictures import Moment, draw
from envwright.train.play import MOST_FRAMES, Episode

RANDOM = "random actions"


def play_random(room: Room, options: dict[str, Any], seed: int, most_steps: int) -> Episode:
    """Play an episode of a room with random legal actions, and draw it."""
    name = join_options(f"envwright:{room.id}", options)
    backend = room.check_backend(options.get("backend"))
    with opening(name):
        env = room.make(**options) if backend == "jax" else None
    if env is not None and not isinstance(env, Env):
        raise EnvwrightError(f"{name} is a {type(env).__name__}, not an envwright Env")
    moments = (
        _of_env(env, seed, most_steps) if env is not None else _of_others(name, seed, most_steps)
    )
    stride = -(-len(moments) // MOST_FRAMES)
    frames = draw(moments[::stride], env, room, name)
    total = sum(moment.reward for moment in moments)
    return Episode(room.id, name, frames, stride, len(moments) - 1, total, RANDOM)


def _of_env(env: Env, seed: int, most_steps: int) -> list[Moment]:
    """Play in JAX."""
    advance, view = jax.jit(env.advance), jax.jit(env.view)
    rng, key = np.random.default_rng(seed), jax.random.key(seed)
    _, state = jax.jit(env.reset)(key)
    moments = [_moment(state, view(state))]
    for time in range(most_steps):
        action = _legal(env, state, rng)
        step = advance(jax.random.fold_in(key, time), state, action)
        state = step.state
        reward = float(np.ravel(np.asarray(step.reward))[0])  # of the first player
        moments.append(_moment(state, view(state), action, reward))
        if bool(step.terminated | step.truncated):
            break
    return moments


def _moment(state: Any, obs: Any, action: Any = None, reward: float = 0.0) -> Moment:
    held = jax.tree.map(np.asarray, state)
    return Moment(held, named_leaves(state), jax.tree.map(np.asarray, obs), action, reward)


def _legal(env: Env, state: Any, rng: np.random.Generator) -> Any:
    """Draw among the legal actions of whoever moves."""
    space = env.action_space().to_gymnasium()
    if not hasattr(space, "n") or np.shape(space.sample()):
        return draw_action(rng, space)
    if not env.simultaneous:
        mover = env.current_player(state) if env.num_players > 1 else 0
        return _choose(env.legal_actions(state, mover), rng)
    players = range(env.num_players)
    return np.array([_choose(env.legal_actions(state, p), rng) for p in players], np.int32)


def _choose(mask: Any, rng: np.random.Generator) -> np.int32:
    return np.int32(rng.choice(np.flatnonzero(np.asarray(mask))))


def _of_others(name: str, seed: int, most_steps: int) -> list[Moment]:
    """Play in another backend, which shows its state if it can."""
    with open_simulator(name) as simulator:
        rng, record = np.random.default_rng(seed), simulator.reset(seed)
        moments = [Moment(None, state_of(record), _obs(record))]
        for _ in range(most_steps):
            action = draw_action(rng, simulator.action_space)
            record = simulator.step(action)
            reward = float(np.ravel(record["reward"])[0])
            moments.append(Moment(None, state_of(record), _obs(record), action, reward))
            if is_over(record):
                break
    return moments


def _obs(record: dict[str, np.ndarray]) -> Any:
    named = {k: v for k, v in record.items() if k == "obs" or k.startswith("obs.")}
    return named["obs"] if [*named] == ["obs"] else named
