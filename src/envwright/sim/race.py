"""A long run of many lanes, as in training, whose last step can be checked.

The caller measures the time. The result is the last step of the run itself, with the states it
started from, so that a run that computed something else is detected. A run of one more step begins
its last step where this one ended, which checks the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from envwright.core.env import Env
from envwright.core.pytree import named_leaves
from envwright.core.wrappers import AutoReset
from envwright.sim.actions import action_bank
from envwright.sim.records import Fields, flatten


def race(env: Env, lanes: int, steps: int, seed: int) -> Fields:
    """Return the last of `steps` steps of random actions, for every lane, with restarts.

    `before.…` and `action` are what it was given; `reward`, `terminated`, `truncated`,
    `final_obs` and `after.…` what it gave. After an end, `after.…` is a fresh start.
    """
    play, bank = _compiled(env, lanes)
    before, action, step = play(jax.random.key(seed), bank, jnp.int32(steps))
    final = jax.tree.map(np.asarray, step.info["final_observation"])
    return {
        **{f"before.{k}": v for k, v in named_leaves(before).items()},
        "action": np.asarray(action),
        "reward": np.asarray(step.reward),
        "terminated": np.asarray(step.terminated),
        "truncated": np.asarray(step.truncated),
        **flatten("final_obs", final),
        **{f"after.{k}": v for k, v in named_leaves(step.state).items()},
    }


def as_trained(env: Env) -> Env:
    """Add cheap restarts, unless the environment defines its own batch functions."""
    own = type(env).step_batch is not Env.step_batch
    return env if own else AutoReset(env, "pool")


@lru_cache(maxsize=32)
def _compiled(env: Env, lanes: int) -> tuple[Any, jax.Array]:
    play, bank = played(env, lanes)
    return jax.jit(play), bank


def played(env: Env, lanes: int) -> tuple[Callable[..., Any], jax.Array]:
    """Return the run, a function of key, bank of actions and number of steps; and the bank."""
    playing = as_trained(env)
    bank = jnp.asarray(action_bank(playing.action_space(), lanes))

    def play(key: jax.Array, bank: jax.Array, steps: jax.Array) -> Any:
        k_start, k_play = jax.random.split(key)
        _, states = playing.reset_batch(jax.random.split(k_start, lanes))

        def tick(t: jax.Array, states: Any) -> Any:
            return playing.step_batch(
                jax.random.fold_in(k_play, t), states, bank[t % len(bank)]
            ).state

        before = lax.fori_loop(0, steps - 1, tick, states)
        action = bank[(steps - 1) % len(bank)]
        # The key that the loop of a longer run has for this step.
        last = playing.step_batch(jax.random.fold_in(k_play, steps - 1), before, action)
        inner = playing.inner if isinstance(playing, AutoReset) else lambda states: states
        return inner(before), action, last._replace(state=inner(last.state))

    return play, bank
