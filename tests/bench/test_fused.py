"""The loop that is timed does all the work that it is credited with."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.bench import fused
from envwright.bench.fused import FusedLoop, FusedRoom, Outcome
from envwright.bench.implementation import Kind
from envwright.bench.peers import GymnasiumLoop, GymnasiumVector, GymnaxScan
from envwright.core.env import Env
from envwright.core.spaces import Box, Dict, Discrete
from envwright.core.wrappers import AutoReset
from envwright.errors import EnvwrightError
from envwright.sim.actions import SEED, action_bank, bank_length
from envwright.zoo.cartpole.env import CartPole

LANES, TICKS = 8, 200
PUSHES = Discrete(2)


@pytest.fixture
def short_bank(monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    monkeypatch.setattr(fused, "action_bank", lambda *about: action_bank(*about)[:TICKS])
    return action_bank(PUSHES, LANES)[:TICKS]


def play_plainly(env: Env, bank: np.ndarray) -> tuple[float, float, int]:
    """The same actions and keys in a Python loop, summed by NumPy."""
    k_reset, key = jax.random.split(jax.random.key(SEED))
    _, states = env.reset_batch(jax.random.split(k_reset, LANES))
    step_batch = jax.jit(env.step_batch)
    obs, reward, dones = 0.0, 0.0, 0
    for actions in bank:
        key, k_tick = jax.random.split(key)
        step = step_batch(k_tick, states, jnp.asarray(actions))
        states = step.state
        obs += float(np.asarray(step.obs, np.float64).sum())
        reward += float(np.sum(step.reward))
        dones += int(np.sum(step.done))
    return obs, reward, dones


@pytest.mark.parametrize("strategy", ["inline", "compact", "pool"])
def test_fused_loop_does_every_step(strategy: str, short_bank: np.ndarray) -> None:
    loop = FusedRoom("cartpole", strategy).loop(LANES)
    assert loop.run(1) == LANES * TICKS
    obs, reward, dones = play_plainly(AutoReset(CartPole(), strategy), short_bank)
    assert loop.checksum is not None
    assert float(loop.checksum.reward) == reward == LANES * TICKS
    assert int(loop.checksum.dones) == dones > LANES
    # float32 sums of some thousand numbers, in another order.
    assert float(loop.checksum.obs) == pytest.approx(obs, abs=1e-2)


def test_fused_loop_goes_on_where_it_ended(short_bank: np.ndarray) -> None:
    once, twice = (FusedRoom("cartpole").loop(LANES) for _ in range(2))
    assert once.run(LANES * TICKS + 1) == 2 * LANES * TICKS
    assert twice.run(1) + twice.run(1) == 2 * LANES * TICKS
    assert once.checksum == twice.checksum
    first = FusedRoom("cartpole").loop(LANES)
    first.run(1)
    assert first.checksum != twice.checksum


def test_checksum_sees_observation_reward_and_done() -> None:
    def tick(key: jax.Array, count: jax.Array, actions: jax.Array) -> tuple[jax.Array, Outcome]:
        obs = {"a": jnp.full((2, 3), 0.5), "b": jnp.ones(2, jnp.int32)}
        return count + 1, Outcome(obs, actions.astype(jnp.float32), actions == 1)

    bank = np.array([[0, 1], [1, 1], [0, 0]], np.int32)
    loop = FusedLoop(tick, jnp.int32(0), jax.random.key(0), bank)
    assert loop.run(1) == 6
    assert jax.tree.map(float, loop.checksum) == (15.0, 3.0, 3.0)
    assert int(loop.states) == 3


def test_bank_is_the_same_for_everyone_and_covers_the_space() -> None:
    bank = action_bank(PUSHES, 64)
    assert bank.shape == (bank_length(64), 64)
    assert np.array_equal(bank, action_bank(PUSHES, 64))
    assert set(np.unique(bank)) == {0, 1}
    torques = action_bank(Box(-1, 1, (6,)), 3)
    assert torques.shape == (bank_length(3), 3, 6)
    assert torques.dtype == np.float32
    assert np.all(np.abs(torques) <= 1)


def test_bank_of_an_unbounded_space_is_refused() -> None:
    for space in (Box(-np.inf, np.inf, (2,)), Dict({})):
        with pytest.raises(EnvwrightError, match="cannot draw actions"):
            action_bank(space, 3)


def test_gymnasium_peers_do_the_steps_they_report() -> None:
    one = GymnasiumLoop("CartPole-v1", PUSHES).prepare(1, Kind.RANDOM)
    many = GymnasiumVector("CartPole-v1", PUSHES).prepare(8, Kind.RANDOM)
    assert one.run(50) == 50
    assert many.run(50) == 56
    one.close()
    many.close()


@pytest.mark.lax("gymnax promotes its dtypes")
def test_gymnax_does_the_steps_it_reports() -> None:
    try:
        gymnax = GymnaxScan("CartPole-v1", PUSHES).prepare(8, Kind.RANDOM)
    except ImportError as error:
        pytest.skip(f"gymnax cannot be imported: {error}")
    assert gymnax.run(1) == bank_length(8) * 8
    assert gymnax.compile_seconds > 0
