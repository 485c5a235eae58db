"""The Brax adapter under Brax's own wrappers."""

import subprocess
import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.games import SlipperyWalk, TicTacToe, WalkParams

import envwright
from envwright.errors import EnvwrightError

pytest.importorskip("brax", reason="brax is not installed")

from brax.envs.base import State
from brax.envs.wrappers import training

from envwright.adapters.brax import BraxEnv

LANES = 4
SURE = partial(WalkParams, slip=0.0)


def raw_keys(seed=0):
    return jax.random.split(jax.random.PRNGKey(seed), LANES)  # Brax reads their shape


def test_a_state_is_braxs_and_keeps_its_structure():
    env = BraxEnv(SlipperyWalk())
    state = env.reset(jax.random.PRNGKey(0))
    assert isinstance(state, State)
    following = jax.jit(env.step)(state, jnp.int32(1))
    describe = partial(jax.tree.map, lambda x: (x.shape, x.dtype))
    assert describe(state) == describe(following)
    assert following.obs[0] in (state.obs[0] - 1, state.obs[0] + 1)


def test_sizes_are_those_of_the_spaces():
    env = BraxEnv("cartpole")
    assert (env.observation_size, env.action_size, env.backend) == (4, 2, "envwright")
    assert env.unwrapped is env


def test_alone_it_tells_truncation_from_termination():
    env = BraxEnv(SlipperyWalk(), SURE(max_steps=1))
    state = env.reset(jax.random.PRNGKey(0))
    truncated = env.step(state, jnp.int32(1))
    assert truncated.done == 1 and truncated.info["truncation"] == 1
    edge = state.pipeline_state.__class__(jnp.int32(1), jnp.float32(0), jnp.int32(0))
    fallen = env.step(state.replace(pipeline_state=edge), jnp.int32(0))
    assert fallen.done == 1 and fallen.info["truncation"] == 0 and fallen.reward == -1


@pytest.mark.lax("brax's wrappers promote")
def test_braxs_wrappers_batch_count_and_restart_it():
    env = training.wrap(BraxEnv(SlipperyWalk()), episode_length=5)
    state, step = jax.jit(env.reset)(raw_keys()), jax.jit(env.step)
    first = np.asarray(state.obs)
    rng, seen = np.random.default_rng(0), []
    for _ in range(30):
        state = step(state, rng.integers(0, 2, LANES).astype(np.int32))
        steps, done = np.asarray(state.info["steps"]), np.asarray(state.done) == 1
        truncated = np.asarray(state.info["truncation"]) == 1
        assert (steps <= 5).all()
        assert np.array_equal(truncated, (steps == 5) & (np.asarray(state.reward) == 0))
        assert np.array_equal(np.asarray(state.obs)[done], first[done]), "Brax's way to restart"
        seen += [*zip(done, truncated, strict=True)]
    assert {(True, True), (True, False), (False, False)} == {(bool(d), bool(t)) for d, t in seen}


@pytest.mark.lax("brax's wrappers promote")
def test_under_braxs_episode_wrapper_the_limit_is_the_wrappers():
    env = training.EpisodeWrapper(BraxEnv(SlipperyWalk(), SURE(max_steps=2)), 4, 1)
    state, done = env.reset(jax.random.PRNGKey(1)), []
    for action in (1, 0, 1, 0):
        state = env.step(state, jnp.int32(action))
        done.append((float(state.done), float(state.info["truncation"])))
    assert done == [(0, 0), (0, 0), (0, 0), (1, 1)]


def test_each_step_draws_anew():
    env = BraxEnv(SlipperyWalk(), WalkParams(slip=0.5, max_steps=1000))
    state, step, slipped = env.reset(jax.random.PRNGKey(0)), jax.jit(env.step), []
    for t in range(40):
        state = step(state, jnp.int32(t % 2))
        slipped.append(bool(state.info["slipped"]))
    assert 5 < sum(slipped) < 35


def test_scores_of_a_brax_policy_choose_the_largest():
    env = BraxEnv(SlipperyWalk(), SURE())
    state = env.reset(jax.random.PRNGKey(0))
    right = env.step(state, jnp.array([-0.3, 0.2]))
    assert right.obs[0] == state.obs[0] + 1


def test_games_for_several_players_are_refused():
    with pytest.raises(EnvwrightError, match="several players"):
        BraxEnv(TicTacToe())


def test_without_brax_the_error_says_what_to_install():
    code = """
import sys
sys.modules["brax"] = None
from envwright.errors import MissingPackage
try:
    import envwright.adapters.brax
except MissingPackage as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "needs brax; pip install" in run.stdout
    assert envwright.__name__ == "envwright"
