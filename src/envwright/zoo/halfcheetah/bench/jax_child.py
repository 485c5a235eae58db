"""A process that steps a peer's JAX environment: a number of ticks in, processor time out.

It is a separate process, since MJX and Brax hang on machines with few cores unless XLA is told,
before it starts, that there are more.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from envwright.core.spaces import Box
from envwright.sim.actions import SEED, action_bank

Step = Callable[[Any, jax.Array], Any]  # states, actions[B] -> states


def mjx(batch: int) -> tuple[Step, Any]:
    """Return MuJoCo's own JAX implementation, on the model of Gymnasium's HalfCheetah."""
    import gymnasium

    mujoco: Any = importlib.import_module("mujoco")  # its stubs lack names
    from mujoco import mjx as physics

    mujoco.set_mju_user_warning(lambda message: None)
    env: Any = gymnasium.make("HalfCheetah-v5").unwrapped
    model = physics.put_model(env.model)
    random = np.random.default_rng(SEED)
    position = random.uniform(-0.1, 0.1, (batch, env.model.nq)).astype(np.float32)
    velocity = 0.1 * random.standard_normal((batch, env.model.nv)).astype(np.float32)
    one = physics.make_data(env.model)
    states = jax.vmap(lambda q, v: one.replace(qpos=q, qvel=v))(position, velocity)

    def step(state: Any, action: jax.Array) -> Any:
        state = state.replace(ctrl=action)
        return jax.lax.fori_loop(0, env.frame_skip, lambda _, s: physics.step(model, s), state)

    return jax.vmap(step), states


def brax(batch: int) -> tuple[Step, Any]:
    """Return Brax's HalfCheetah, whose generalised backend has MuJoCo's kind of dynamics."""
    from brax.envs import get_environment

    env = get_environment("halfcheetah", backend="generalized")
    keys = jax.random.split(jax.random.key(SEED), batch)
    states = jax.jit(jax.vmap(env.reset))(jax.random.key_data(keys))
    return jax.vmap(env.step), states


def main() -> None:
    """Compile, report how long that took, and serve until the other end closes."""
    name, batch = sys.argv[1], int(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what these packages print is not an answer
    step, states = {"mjx": mjx, "brax": brax}[name](batch)
    bank = action_bank(Box(-1.0, 1.0, (6,)), batch)
    began = time.perf_counter()
    compiled = jax.jit(step).lower(states, jax.numpy.asarray(bank[0])).compile()
    print(time.perf_counter() - began, file=answers, flush=True)
    tick = 0
    for line in sys.stdin:
        busy = time.process_time()
        for _ in range(int(line)):
            states = compiled(states, jax.numpy.asarray(bank[tick % len(bank)]))
            tick += 1
        jax.block_until_ready(states)
        print(time.process_time() - busy, file=answers, flush=True)


if __name__ == "__main__":
    main()
