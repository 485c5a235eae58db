"""The fused loop: what a roll-out holds, and what a chunk costs."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.games import SlipperyWalk
from tests.train.loops import fused_loop, fused_start, leaves
from tests.train.worlds import Pay, Recall

from envwright.train import PPOConfig
from envwright.train.jax_lanes import JaxLanes
from envwright.train.runners import FusedRunner

CONFIG = PPOConfig(num_envs=8, rollout=10, network="8", learning_rate=1e-3, normalise_obs=True)


def played(env, config=CONFIG, rollouts=2):
    """The last of some roll-outs, with the agent and the play before and after it."""
    loop = fused_loop(env, config)
    state = fused_start(loop)
    collect = jax.jit(loop.collect)
    after, rollout = state.play, None
    for number in range(rollouts):
        before = after
        after, rollout, finished = collect(state.agent, before, jax.random.key(number))
    return loop, state.agent, before, after, rollout, finished


# --- a roll-out ----------------------------------------------------------------------------


def test_an_episode_starts_where_the_last_one_ended():
    _, _, before, after, rollout, finished = played(SlipperyWalk())
    starts, done = np.asarray(rollout.starts), np.asarray(rollout.done)
    assert np.array_equal(starts[1:], done[:-1])
    assert np.array_equal(starts[0], before.starts) and np.array_equal(after.starts, done[-1])
    assert int(finished.episodes) == done.sum() > 3


def test_what_a_time_limit_cut_off_is_worth_its_last_view():
    # A walk that never ends by itself within its limit of three steps.
    class Long(SlipperyWalk):
        default_params = replace(SlipperyWalk.default_params, max_steps=3)

    loop, agent, _, _, rollout, _ = played(Long(length=99))
    done, bootstrap = np.asarray(rollout.done), np.asarray(rollout.bootstrap)
    assert done.any() and (bootstrap[~done] == 0).all() and (bootstrap[done] != 0).all()
    # The walk moves by one place, and the action says which way unless it slips: two values
    # are possible, and the one beside the last view seen is among them.
    position, heading = np.moveaxis(np.asarray(rollout.view.obs), -1, 0)
    for t, lane in np.argwhere(done):
        seen = jnp.array([[position[t, lane] + move, heading[t, lane]] for move in (-1, 1)])
        possible = loop.ppo.value(agent, None, seen, jnp.zeros(2, bool))
        assert np.isclose(bootstrap[t, lane], possible, rtol=1e-5, atol=1e-6).any()


def test_a_fall_is_worth_nothing():
    _, _, _, _, rollout, _ = played(Pay(ends=True))
    assert np.asarray(rollout.done).any() and not np.asarray(rollout.bootstrap).any()


@pytest.mark.slow
def test_what_a_memory_makes_of_a_cut_off_is_of_that_episode():
    class Cut(Recall):
        def time_is_up(self, state, params):
            return state.time >= 2

    config = replace(CONFIG, memory=6, normalise_obs=False)
    loop, agent, before, _, rollout, _ = played(Cut(), config)
    done, bootstrap = np.asarray(rollout.done), np.asarray(rollout.bootstrap)
    # Played again step by step: the last view of an episode of this world is always zero.
    hidden = before.hidden
    nothing, going_on = jnp.zeros((8, 2)), jnp.zeros(8, bool)
    for t in range(10):
        view, starts = jax.tree.map(lambda x: x[t : t + 1], (rollout.view, rollout.starts))  # noqa: B023
        hidden, _, _ = loop.ppo.law(agent, hidden, view, starts)
        value = loop.ppo.value(agent, hidden, nothing, going_on)
        np.testing.assert_allclose(bootstrap[t], np.where(done[t], value, 0), atol=1e-6)
    assert len(np.unique(bootstrap[done].round(5))) > 1, "the sign is remembered"


# --- chunks --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runner():
    return FusedRunner(SlipperyWalk(), CONFIG, (0,))


def test_a_chunk_is_its_updates_one_after_the_other(runner):
    at_once, told = runner.chunk(runner.init(), 3, 0)
    state, lines = runner.init(), []
    for number in range(3):
        state, line = runner.chunk(state, 1, number)
        lines.append(line)
    # A scan of one is another program than a scan of three; the arithmetic is the same.
    for many, one in zip(leaves(at_once), leaves(state), strict=True):
        np.testing.assert_allclose(many, one, rtol=1e-5, atol=1e-6)
    assert told.episodes == sum(line.episodes for line in lines) > 0
    total = sum(line.returns * line.episodes for line in lines)
    np.testing.assert_allclose(told.returns, total / told.episodes, rtol=1e-5)
    for name, value in told.losses.items():
        expected = np.mean([line.losses[name] for line in lines])
        np.testing.assert_allclose(value, [expected], rtol=1e-3, atol=1e-5)


def test_a_second_chunk_compiles_nothing(monkeypatch):
    traces = []
    step = JaxLanes.step
    monkeypatch.setattr(JaxLanes, "step", lambda *a: traces.append(0) or step(*a))
    runner = FusedRunner(SlipperyWalk(), CONFIG, (0,))
    state, _ = runner.chunk(runner.init(), 2, 0)
    once = len(traces)
    for number in range(1, 4):
        state, _ = runner.chunk(state, 2, number)
    assert len(traces) == once > 0
    assert runner._chunk._cache_size() == 1


def test_a_longer_chunk_needs_no_more_memory(runner):
    state = runner.init()
    needs = [
        runner._chunk.lower(state, updates).compile().memory_analysis() for updates in (2, 2000)
    ]
    assert needs[0].temp_size_in_bytes == needs[1].temp_size_in_bytes
    assert needs[0].output_size_in_bytes == needs[1].output_size_in_bytes


def test_chunks_leave_nothing_behind(runner):
    state = runner.init()
    alive = []
    for number in range(4):
        state, told = runner.chunk(state, 2, number)
        assert all(x.shape == (1,) for x in jax.tree.leaves(tuple(told)))
        alive.append(sum(x.nbytes for x in jax.live_arrays()))
    assert alive[0] == alive[1] == alive[2] == alive[3]


# --- populations ---------------------------------------------------------------------------


@pytest.mark.slow
def test_an_agent_of_a_population_is_that_seed_alone():
    seeds = (4, 7)
    together = FusedRunner(SlipperyWalk(), CONFIG, seeds)
    state, told = together.chunk(together.init(), 3, 0)
    agents = leaves(together.agent(state))
    assert all(leaf.shape[0] == 2 for leaf in agents)
    for index, seed in enumerate(seeds):
        alone = FusedRunner(SlipperyWalk(), CONFIG, (seed,))
        single, said = alone.chunk(alone.init(), 3, 0)
        assert told.episodes[index] == said.episodes[0]
        # vmap makes one matrix product of two, with another order of sums; after three
        # updates we saw differences of 2e-7.
        for many, one in zip(agents, leaves(alone.agent(single)), strict=True):
            np.testing.assert_allclose(many[index], one[0], rtol=1e-5, atol=2e-6)
    assert all(
        (leaf[0] != leaf[1]).any() for leaf in agents if leaf.dtype.kind == "f" and leaf[0].size > 9
    )
