"""The five-value API, in a PureJaxRL-style loop and under gymnax's own wrappers."""

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.games import SlipperyWalk, WalkParams

import envwright
from envwright.adapters.gymnax import LegacyGymnax
from envwright.core.wrappers import EpisodeStatistics

EXAMPLE = Path(__file__).parents[2] / "examples" / "purejaxrl_loop.py"


def load_example():
    spec = importlib.util.spec_from_file_location("purejaxrl_loop", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.lax("so does purejaxrl's loop")
def test_a_purejaxrl_loop_learns_cartpole():
    loop = load_example()
    env = LegacyGymnax(EpisodeStatistics(envwright.make("cartpole")))
    config = replace(loop.Config(), updates=40)
    returns = np.asarray(loop.train(env, config, jax.random.key(0)))
    assert returns[0] < 60, "a policy that knows nothing falls soon"
    assert returns[-5:].mean() > 150


def test_step_gives_five_values_and_keeps_what_done_loses():
    env, key = LegacyGymnax(SlipperyWalk()), jax.random.key(0)
    params = WalkParams(slip=0.0, max_steps=2)
    step = jax.jit(env.step)
    _, state = env.reset(key, params)
    *_, done, info = step(key, state, jnp.int32(0), params)
    assert not done and info["discount"] == 1
    *_, done, info = step(key, replace(state, time=jnp.int32(1)), jnp.int32(0), params)
    assert done and info["truncated"] and not info["terminated"] and info["discount"] == 1
    *_, done, info = step(key, replace(state, position=jnp.int32(1)), jnp.int32(0), params)
    assert done and info["terminated"] and info["discount"] == 0
    assert info["final_observation"][0] == 0


def test_it_has_the_attributes_that_loops_read():
    env = LegacyGymnax("cartpole")
    assert env.name == "cartpole-v1" and env.num_actions == 2
    assert env.action_space(env.default_params).n == 2
    assert env.observation_space(env.default_params).shape == (4,)


def test_gymnaxs_wrappers_take_spaces_of_the_adapter():
    pytest.importorskip("gymnax", reason="gymnax is not installed")
    from gymnax.environments import spaces
    from gymnax.wrappers.purerl import FlattenObservationWrapper

    env = LegacyGymnax(SlipperyWalk())
    assert isinstance(env.action_space(env.default_params), spaces.Discrete)
    assert FlattenObservationWrapper(env).observation_space(env.default_params).shape == (2,)


ASKED_IN_A_TRACE = """
import jax
from envwright.adapters.gymnax import LegacyGymnax

env = LegacyGymnax("cartpole")
jax.jit(lambda x: x * env.observation_space(env.default_params).shape[0])(1.0)
from gymnax.environments.misc import frozen_lake

held = [name for name, value in vars(frozen_lake).items() if isinstance(value, jax.core.Tracer)]
assert not held, held
"""


def test_asking_for_a_space_inside_a_trace_leaves_no_tracer_in_gymnax():
    pytest.importorskip("gymnax", reason="gymnax is not installed")
    # In a process of its own: gymnax must not have been imported before.
    done = subprocess.run([sys.executable, "-c", ASKED_IN_A_TRACE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.lax("gymnax's wrappers promote")
def test_gymnaxs_wrappers_take_an_env_as_it_is():
    pytest.importorskip("gymnax", reason="gymnax is not installed")
    from gymnax.wrappers.purerl import FlattenObservationWrapper, LogWrapper

    env = LogWrapper(FlattenObservationWrapper(SlipperyWalk()))
    keys = jax.random.split(jax.random.key(0), 64)
    _, state = env.reset(keys[0])
    ended, returns = [], []
    for key in keys:
        obs, state, _, terminated, truncated, info = env.step(key, state, jnp.int32(1))
        ended.append(bool(terminated | truncated))
        returns.append(float(info["returned_episode_returns"]))
    assert obs.shape == (2,) and sum(ended) > 3
    assert max(returns) == 1.0
