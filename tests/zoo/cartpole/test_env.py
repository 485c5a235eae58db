"""CartPole as an Env: the reference bit for bit, its options, its promises."""

from __future__ import annotations

from importlib.metadata import version

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.zoo.cartpole.pinned import PINNED

import envwright
from envwright.core.check import check_env
from envwright.errors import EnvwrightError
from envwright.zoo.cartpole.env import CartPole, Params, State
from envwright.zoo.cartpole.policies import balance, lean
from envwright.zoo.cartpole.rules import Motion


def reference_episode(seed, policy, **options):
    """Gymnasium's: the first state, and per step action, state, obs, reward, ends."""
    env = gymnasium.make("CartPole-v1", disable_env_checker=True, **options)
    obs, _ = env.reset(seed=seed)
    first, rng, memory, rows = env.unwrapped.state.copy(), np.random.default_rng(seed), {}, []
    while True:
        action = policy(rng, None, obs, len(rows), memory)
        obs, reward, terminated, truncated, _ = env.step(action)
        rows.append((action, env.unwrapped.state.copy(), obs, reward, terminated, truncated))
        if terminated or truncated:
            return first, [np.array(column) for column in zip(*rows, strict=True)]


def our_episode(env, first, actions):
    """Ours from the same start under the same actions, without any help."""

    def tick(state, action):
        after = env.advance(jax.random.key(0), state, action)
        m = after.state.motion
        shown = jnp.stack([m.x, m.x_dot, m.theta, m.theta_dot])
        return after.state, (shown, after.obs, after.reward, after.terminated, after.truncated)

    with jax.enable_x64(True):
        start = State(Motion(*jnp.asarray(first, env.dtype)), jnp.int32(0))
        run = jax.jit(lambda s, a: jax.lax.scan(tick, s, a)[1])
        return [np.asarray(x) for x in run(start, jnp.asarray(actions, jnp.int32))]


# --- the reference ---------------------------------------------------------------------


@pytest.mark.parametrize("policy", [balance, lean])
def test_float64_runs_freely_as_the_reference_does_bit_for_bit(policy):
    first, (actions, *expected) = reference_episode(1, policy)
    got = our_episode(CartPole(np.float64), first, actions)
    for name, a, b in zip(
        ("state", "obs", "reward", "terminated", "truncated"), expected, got, strict=True
    ):
        np.testing.assert_array_equal(a, b, err_msg=name)
    if policy is balance:
        assert len(actions) == 500 and got[4][-1] and not got[3].any()
    else:
        assert abs(got[0][-1][0]) > 2.4 and got[3][-1]


def test_float32_stays_close_and_no_closer():
    first, (actions, expected, *_) = reference_episode(1, balance)
    got = our_episode(CartPole(np.float32), first, actions)[0]
    gap = np.abs(got - expected).max(axis=1)
    assert 0 < gap[:20].max() < 1e-5


def test_a_start_is_uniform_within_its_range_on_every_axis():
    keys = jax.random.split(jax.random.key(0), 4000)
    obs, _ = jax.jit(jax.vmap(CartPole().reset))(keys)
    assert np.all(np.abs(obs) <= 0.05)
    assert np.all(np.abs(np.mean(obs, axis=0)) < 0.002)
    np.testing.assert_allclose(np.std(obs, axis=0), 0.1 / np.sqrt(12), rtol=0.05)


def test_the_reference_is_the_pinned_one():
    assert version("gymnasium") == PINNED, f"verified against gymnasium {PINNED}"


# --- reward and ends -------------------------------------------------------------------


def after(x=0.0, theta=0.0, time=0, params=None, **options):
    """One step to the right from rest."""
    zero = jnp.float32(0)
    state = State(Motion(jnp.float32(x), zero, jnp.float32(theta), zero), jnp.int32(time))
    env = CartPole(**options)
    return env.advance(jax.random.key(0), state, jnp.int32(1), params)


@pytest.mark.parametrize("x", [0.0, 3.0])
def test_every_step_pays_one_the_last_included(x):
    assert float(after(x=x).reward) == 1.0
    assert bool(after(x=x).terminated) == (x == 3.0)


def test_sutton_and_barto_pay_nothing_and_minus_one_for_the_fall():
    assert float(after(sutton_barto_reward=True).reward) == 0.0
    assert float(after(theta=0.3, sutton_barto_reward=True).reward) == -1.0


@pytest.mark.parametrize("sutton_barto", [False, True])
def test_both_rewards_are_the_references(sutton_barto):
    first, (actions, *expected) = reference_episode(
        3, lambda rng, *_: int(rng.integers(2)), sutton_barto_reward=sutton_barto
    )
    got = our_episode(CartPole(np.float64, sutton_barto), first, actions)
    np.testing.assert_array_equal(got[2], expected[2])


def test_time_truncates_at_500_and_a_fall_outranks_it():
    assert not after(time=498).truncated
    assert after(time=499).truncated and not after(time=499).terminated
    assert after(time=499, x=3.0).terminated and not after(time=499, x=3.0).truncated


def test_parameters_can_be_turned():
    assert after(time=3, params=Params(max_steps=4)).truncated
    assert not after(time=2, params=Params(max_steps=4)).truncated


# --- promises --------------------------------------------------------------------------


def test_it_keeps_every_promise():
    report = check_env(CartPole())
    assert set(report.unchecked) <= {"players are as declared"}, str(report)
    assert report.episodes > 0


def test_it_compiles_once():
    env, traces = CartPole(), 0

    @jax.jit
    def step(key, state, action):
        nonlocal traces
        traces += 1
        return env.step(key, state, action)

    _, state = env.reset(jax.random.key(0))
    for t in range(40):
        state = step(jax.random.key(t), state, jnp.int32(t % 2)).state
    assert traces == 1


def test_its_spaces_are_the_references():
    reference, ours = gymnasium.make("CartPole-v1"), envwright.make("cartpole")
    assert ours.observation_space().to_gymnasium() == reference.observation_space
    assert ours.action_space().to_gymnasium() == reference.action_space


@pytest.mark.parametrize("dtype", [np.float16, np.int32, "bool"])
def test_other_precisions_are_refused(dtype):
    with pytest.raises(EnvwrightError, match="float32 or float64"):
        CartPole(dtype)


def test_an_unknown_option_is_refused():
    with pytest.raises(
        EnvwrightError, match="no option 'colour'; use dtype or sutton_barto_reward"
    ):
        envwright.make("cartpole", colour="red")


# --- for people ------------------------------------------------------------------------


def picture(x=0.0, theta=0.0):
    zero = jnp.float32(0)
    state = State(Motion(jnp.float32(x), zero, jnp.float32(theta), zero), jnp.int32(0))
    return CartPole().render(state)


def test_a_picture_has_its_size():
    drawn = picture()
    assert (drawn.shape, drawn.dtype) == ((400, 600, 3), np.uint8)


def ink(drawn):
    """Columns in which something stands above the track."""
    above = drawn[:280]
    return np.flatnonzero((above != above[0, 0]).any(axis=(0, 2)))


def test_the_picture_follows_the_cart_and_the_pole():
    middle, right, leaning = ink(picture()), ink(picture(x=1.0)), ink(picture(theta=0.5))
    assert abs(middle.mean() - 300) < 2
    assert right.mean() - middle.mean() == pytest.approx(600 / 4.8, abs=2)
    assert leaning.mean() > middle.mean() + 10 and np.ptp(leaning) > np.ptp(middle)
