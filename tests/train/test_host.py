"""The host loop is the fused loop, around environments that are not JAX."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.train.loops import fused_loop, fused_start, host_loop, leaves
from tests.train.twins import MaskedRing, RandomRing, RingTwin, TrackingTwin
from tests.train.worlds import Ring

from envwright.train import PPOConfig
from envwright.train.ppo import PPO
from envwright.train.runners import HostRunner

LANES = 4
# With one minibatch the order of rows, which the loops draw apart, is of no account.
CONFIG = PPOConfig(
    num_envs=LANES,
    rollout=9,
    minibatches=1,
    learning_rate=1e-3,
    network="8",
    normalise_obs=True,
    normalise_reward=True,
)


class Greedy(PPO):
    """Acts without chance, so that two loops with keys of their own play the same."""

    def act(self, *args, greedy=False):
        return super().act(*args, greedy=True)


@pytest.mark.slow
@pytest.mark.parametrize("memory", [0, 6])
def test_both_loops_learn_the_same_from_the_same_world(memory):
    config = replace(CONFIG, memory=memory)
    fused, host = fused_loop(Ring(), config, Greedy), host_loop(RingTwin, config, Greedy)
    start = fused_start(fused)
    held = host.init(jax.random.key(0), 0)
    # Lanes in different places; all of them restart in the same one.
    places = jnp.array([0, 1, 2, 6], jnp.int32)
    pool = start.play.states
    states = replace(pool, states=replace(pool.states, at=places))
    obs = jax.vmap(Ring().observe)(states.states)
    play = replace(start.play, states=states, view=replace(start.play.view, obs=obs))
    for env, place in zip(host.lanes.envs, places, strict=True):
        env.at = int(place)
    host.lanes.obs[:] = obs
    fast = replace(start, play=play)
    slow = replace(held, agent=jax.tree.map(jnp.copy, start.agent))
    iterate, episodes, ends = jax.jit(fused.iterate), 0, set()
    for _ in range(4):
        fast, (expected, told) = iterate(fast)
        slow, (finished, told_too) = host.iterate(slow)
        episodes += int(finished.episodes)
        ends.add(float(finished.length) / max(1, int(finished.episodes)))
        jax.tree.map(np.testing.assert_array_equal, finished, expected)
        # Two programs and two orders of rows: rounding, which Adam's division enlarges.
        close = partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-5)
        jax.tree.map(close, told_too, told)
        jax.tree.map(close, slow.agent, fast.agent)
        assert np.array_equal(slow.starts, fast.play.starts)
        jax.tree.map(close, (slow.hidden, slow.running), (fast.play.hidden, fast.play.running))
    assert episodes > 10
    assert float(max(jnp.max(jnp.abs(a - b)) for a, b in moved(start, slow))) > 1e-3


def moved(before, after):
    return zip(*map(jax.tree.leaves, (before.agent.params, after.agent.params)), strict=True)


def test_losses_of_a_chunk_are_means_and_episodes_are_summed():
    config = replace(CONFIG, minibatches=3)
    runs = []
    for updates in (1, 3):
        loop = host_loop(RandomRing, config)
        state = loop.init(jax.random.key(0), 0)
        told = []
        for _ in range(3 // updates):
            state, metrics = loop.chunk(state, updates)
            told.append(metrics)
        runs.append((leaves(state), told))
    (one_by_one, single), (at_once, [(finished, losses)]) = runs
    assert all(map(np.array_equal, one_by_one, at_once))
    assert int(finished.episodes) == sum(int(f.episodes) for f, _ in single) > 0
    for name, value in losses.items():
        expected = np.mean([float(loss[name]) for _, loss in single])
        np.testing.assert_allclose(float(value), expected, rtol=1e-5, atol=1e-7)


def test_masks_of_the_environment_are_obeyed():
    loop = host_loop(MaskedRing, replace(CONFIG, minibatches=3))
    state = loop.init(jax.random.key(0), 0)
    _, (finished, _) = loop.chunk(state, 4)  # the environment asserts that its masks are kept
    assert int(finished.episodes) > 10


def test_real_actions_reach_the_environment_within_bounds():
    loop = host_loop(TrackingTwin, replace(CONFIG, minibatches=3))
    state = loop.init(jax.random.key(0), 0)
    loop.chunk(state, 2)  # the environment asserts its bounds
    given = np.abs([env.given for env in loop.lanes.envs])
    assert (given > 0).all()


def runner(seeds, make=RandomRing):
    def lanes(count):
        from envwright.sim.hosts import GymnasiumLanes

        return GymnasiumLanes(make, count)

    return HostRunner(lanes, replace(CONFIG, minibatches=3), seeds)


@pytest.mark.slow
def test_an_agent_of_a_population_is_that_seed_alone():
    together, alone = runner((3, 5)), runner((5,))
    state, told = together.chunk(together.init(), 2, 0)
    single, said = alone.chunk(alone.init(), 2, 0)
    assert told.episodes.shape == (2,) and told.losses["entropy"].shape == (2,)
    assert told.episodes[1] == said.episodes[0] and told.returns[1] == said.returns[0]
    # vmap makes one matrix product of two, with another order of sums.
    for many, one in zip(leaves(together.agent(state)), leaves(alone.agent(single)), strict=True):
        np.testing.assert_allclose(many[1], one[0], rtol=1e-4, atol=1e-5)
    assert any((leaf[0] != leaf[1]).any() for leaf in leaves(together.agent(state)))
