"""Roll-outs and PPO of every implementation: the work that is credited is done."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.bench import Kind, run_bench
from envwright.bench.ppo import (
    HOST_MOST,
    ROLLOUT,
    FusedPPO,
    FusedTraining,
    GymnaxPPO,
    HostPPO,
    HostTraining,
    VectorPPO,
    bench_config,
)
from envwright.sim.hosts.vector_lanes import VectorLanes
from envwright.zoo.cartpole.bench import IMPLEMENTATIONS

LANES = 4
OURS = FusedPPO("cartpole")


def gymnax_lanes(lanes: int):
    try:
        return GymnaxPPO("CartPole-v1").lanes(lanes)
    except ImportError as error:
        pytest.skip(f"gymnax cannot be imported: {error}")


EVERYONE = pytest.param("ppo", IMPLEMENTATIONS, marks=pytest.mark.slow, id="ppo, all")


@pytest.mark.parametrize(
    ("kind", "those"),
    [("rollout", IMPLEMENTATIONS), EVERYONE],
)
def test_all_that_train_are_in_the_rows_or_explained(kind: str, those: list) -> None:
    result = run_bench(
        "cartpole", [LANES], repeats=2, kind=kind, seconds=1e-3, implementations=those
    )
    told = {row.implementation for row in result.rows} | {s.implementation for s in result.skipped}
    assert told == {each.name for each in those if Kind(kind) in each.kinds}
    assert {row.batch for row in result.rows} == {row.reference_batch for row in result.rows}
    assert all(row.sps_mean > 0 and row.compile_seconds > 0 for row in result.rows)
    assert result.settings["ppo"]["network"] == "64x64"
    assert result.settings["ppo"]["rollout"] == ROLLOUT


def test_rollout_is_the_one_that_collect_makes() -> None:
    loop = FusedTraining(OURS.fused(bench_config(LANES)), Kind.ROLLOUT)
    before = jax.tree.map(jnp.copy, loop.state)
    _, k_play = jax.random.split(before.key)
    assert loop.run(1) == LANES * ROLLOUT
    _, rollout, _ = jax.jit(loop.fused.collect)(before.agent, before.play, k_play)
    assert loop.rows is not None
    for mine, plain in zip(jax.tree.leaves(loop.rows), jax.tree.leaves(rollout), strict=True):
        np.testing.assert_array_equal(mine, plain)
    assert loop.run(LANES * ROLLOUT + 1) == 2 * LANES * ROLLOUT
    assert not np.array_equal(loop.rows.view.obs, rollout.view.obs)


def test_host_rollout_goes_on_where_the_last_one_ended() -> None:
    loop = HostTraining(HostPPO("CartPole-v1").host(bench_config(LANES)), Kind.ROLLOUT)
    before = loop.state.starts
    assert loop.run(1) == LANES * ROLLOUT
    view, choice, starts, reward, *_ = loop.rows[0]
    np.testing.assert_array_equal(starts, before)
    assert len(loop.rows) == ROLLOUT
    assert np.all(reward == 1) and choice.action.shape == (LANES,)
    first = view.obs
    last = loop.host._view.obs.copy()
    loop.run(1)
    assert not np.array_equal(loop.rows[0][0].obs, first)
    np.testing.assert_array_equal(loop.rows[0][0].obs, last)


@pytest.mark.slow
def test_ppo_computes_updates_but_keeps_its_policy() -> None:
    """Else whoever does more updates in a second would be timed on longer episodes."""
    loop = FusedTraining(OURS.fused(bench_config(LANES)), Kind.PPO)
    before = jax.tree.map(np.array, loop.state.agent.params)
    loop.run(3 * LANES * ROLLOUT)
    config = loop.fused.ppo.config
    steps = [x for x in jax.tree.leaves(loop.state.agent.optimiser) if jnp.ndim(x) == 0]
    assert [int(x) for x in steps] == [3 * config.epochs * config.minibatches]
    changes = jax.tree.map(lambda a, b: np.abs(a - b).max(), before, loop.state.agent.params)
    assert 0 < max(jax.tree.leaves(changes)) < 1e-6


def test_single_environments_are_not_run_by_the_thousands() -> None:
    wanted = (32, HOST_MOST, 2 * HOST_MOST)
    assert HostPPO("CartPole-v1").batches(wanted) == wanted[:2]
    assert VectorPPO("CartPole-v1").batches(wanted) == OURS.batches(wanted) == wanted


@pytest.mark.lax("gymnax promotes its dtypes")
def test_gymnax_in_our_loop_is_gymnax() -> None:
    lanes = gymnax_lanes(3)
    env, params = lanes.bare.env, lanes.bare.default_params
    states, view = lanes.reset(jax.random.key(0))
    assert view.obs.shape == (3, 4) and lanes.action_space.n == 2
    step = jax.jit(lanes.step)
    ended = 0
    for tick in range(40):
        key, actions = jax.random.key(tick), jnp.array([0, 1, tick % 2])
        theirs = jax.vmap(env.step, (0, 0, 0, None))(
            jax.random.split(key, 3), states, actions, params
        )
        states, view, outcome = step(key, states, actions)
        # Compiled as one program or as two, the last bit may differ.
        np.testing.assert_allclose(view.obs, theirs[0], rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(outcome.terminated, theirs[3])
        np.testing.assert_allclose(outcome.final_obs, theirs[5]["final_observation"], rtol=1e-5)
        ended += int(outcome.terminated.sum())
    assert ended > 3


def test_vector_class_restarts_by_the_tick_after_an_end() -> None:
    lanes = VectorLanes("CartPole-v1", 2)
    lanes.reset([7, 8])
    push_right = np.ones(2, np.int32)
    step = lanes.step(push_right)
    while not step.terminated[0]:
        step = lanes.step(push_right)
    np.testing.assert_array_equal(step.final_obs[0], step.view.obs[0])
    assert abs(step.view.obs[0][2]) > 0.2
    following = lanes.step(push_right)
    assert following.reward[0] == 0 and not following.terminated[0]
    assert np.all(np.abs(following.view.obs[0]) <= 0.05)
    lanes.close()
