"""HalfCheetah as an Env: the reference's steps, rewards and ends, its quirks, its gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.zoo.halfcheetah.episodes import ODD, odd_step, recorded

import envwright
from envwright.errors import EnvwrightError
from envwright.zoo.halfcheetah.env import HalfCheetah, Params, State

pytest.importorskip("mujoco")
from envwright.zoo.halfcheetah.reference import CheetahReference

PARTS = ("position", "velocity", "acceleration")


@pytest.fixture(scope="module")
def reference():
    return CheetahReference(tolerance=1e-12)


ROWS = 3000  # of every call, so that it is compiled once


def compiled(dtype):
    """A step of many states, as arrays of NumPy."""
    env = HalfCheetah(dtype)
    many = jax.jit(jax.vmap(lambda s, a: env.advance(jax.random.key(0), s, a)))

    def call(rows, actions):
        count = len(rows)
        filled = [*rows, *[rows[-1]] * (ROWS - count)]
        actions = np.concatenate([actions, np.zeros((ROWS - count, 6), np.float32)])
        with jax.enable_x64(True):
            parts = [jnp.asarray(np.stack([row[n] for row in filled]), dtype) for n in PARTS]
            time = jnp.asarray([int(row["time"]) for row in filled], jnp.int32)
            after = many(State(*parts, time), jnp.asarray(actions))
        return jax.tree.map(lambda leaf: np.asarray(leaf)[:count], after)

    return call


@pytest.fixture(scope="module")
def step():
    return compiled(np.float64)


@pytest.fixture(scope="module")
def single_step():
    return compiled(np.float32)


@pytest.fixture(scope="module")
def episodes(reference):
    return recorded(reference)


def test_a_step_from_any_state_of_whole_episodes_is_the_references(step, episodes):
    states, actions, records = zip(*episodes, strict=True)
    after = step(states, np.stack(actions))
    for name, bound in (("position", 1e-9), ("velocity", 1e-7), ("acceleration", 1e-3)):
        expected = np.stack([record[f"state.{name}"] for record in records])
        gap = np.abs(getattr(after.state, name) - expected).max(1)
        assert gap.max() < bound, name
        assert np.median(gap) < 1e-6 * bound + 1e-10, name
    np.testing.assert_allclose(after.obs, np.stack([r["obs"] for r in records]), atol=1e-7)
    np.testing.assert_allclose(after.reward, [r["reward"] for r in records], atol=1e-8)
    np.testing.assert_array_equal(after.truncated, [bool(r["truncated"]) for r in records])
    assert not after.terminated.any() and after.truncated.sum() == 3


def test_rewards_are_told_in_parts_as_by_the_reference(step, reference):
    reference.reset(3)
    state, action = reference.state(), np.float32([1, -0.5, 0.25, 3, -1, 0])
    *_, info = reference.env.step(action)
    ours = step([state], action[None]).info
    for name in ("x_position", "x_velocity", "reward_forward", "reward_ctrl"):
        np.testing.assert_allclose(ours[name][0], info[name], atol=1e-12, err_msg=name)
    assert info["reward_ctrl"] < -1  # torques beyond 1 cost what they are


# --- what is out of the ordinary ----------------------------------------------------------


@pytest.mark.parametrize(("what", "change", "action"), ODD, ids=[what for what, *_ in ODD])
def test_odd_input_is_met_as_by_mujoco(step, reference, what, change, action):
    state, action, record = odd_step(reference, change, action)
    after = step([state], action[None])
    for name in ("position", "velocity"):
        got = getattr(after.state, name)[0]
        assert np.isfinite(got).all()
        np.testing.assert_allclose(got, record[f"state.{name}"], atol=1e-9)
    np.testing.assert_allclose(after.reward[0], record["reward"], rtol=1e-6)
    if what == "one torque is no number":
        assert np.isnan(after.reward[0])


def test_one_bad_robot_does_not_touch_the_others(step, reference):
    reference.reset(0)
    good = reference.state()
    bad = {**good, "velocity": np.full(9, np.nan)}
    together = step([bad, good], np.zeros((2, 6), np.float32))
    alone = step([good], np.zeros((1, 6), np.float32))
    np.testing.assert_array_equal(together.state.position[1], alone.state.position[0])


# --- float32, and what JAX does with it ------------------------------------------------------


@pytest.mark.slow
def test_float32_follows_within_the_papers_bound(single_step, episodes):
    states, actions, records = zip(*episodes, strict=True)
    after = single_step(states, np.stack(actions))
    assert after.obs.dtype == after.reward.dtype == np.float32
    gap = np.abs(after.state.position - np.stack([r["state.position"] for r in records])).max(1)
    assert gap.max() < 1e-3 and np.quantile(gap, 0.99) < 5e-5


@pytest.mark.slow
def test_the_way_is_told_well_far_from_the_start(single_step, reference):
    reference.reset(1)
    near = reference.state()
    # Where neighbours in float32 are half a millimetre apart.
    far = {**near, "position": near["position"] + 4096 * np.eye(9)[0]}
    after = single_step([near, far], np.ones((2, 6), np.float32))
    assert abs(after.reward[0] - after.reward[1]) < 1e-6


@pytest.mark.slow  # a minute to compile
@pytest.mark.parametrize("height", [0.0, -0.2], ids=["in the air", "on the ground"])
def test_gradients_are_those_of_finite_differences(height):
    with jax.enable_x64(True):
        env, rng = HalfCheetah(np.float64), np.random.default_rng(0)
        position = rng.uniform(-0.1, 0.1, 9) + height * np.eye(9)[1]
        inputs = np.concatenate([position, rng.normal(size=9) / 2, rng.uniform(-0.9, 0.9, 6)])

        def loss(x):
            state = State(x[:9], x[9:18], jnp.zeros(9), jnp.int32(0))
            after = env.advance(jax.random.key(0), state, x[18:])
            # Not the whole reward: its cost is float32, too coarse for differences of 1e-6.
            reward = after.info["reward_forward"]
            return reward + jnp.sum(after.state.position**2) + jnp.sum(after.obs**2) / 100

        gradient = np.asarray(jax.jit(jax.grad(loss))(jnp.asarray(inputs)))
        steps = 1e-6 * np.eye(24)
        value = jax.jit(jax.vmap(loss))
        slope = (value(inputs + steps) - value(inputs - steps)) / 2e-6
    assert np.isfinite(gradient).all()
    np.testing.assert_allclose(gradient, slope, atol=1e-7)


def test_starts_follow_the_references_law_and_its_draws():
    env = envwright.make("halfcheetah")
    _, states = jax.vmap(env.reset)(jax.random.split(jax.random.key(0), 4000))
    assert np.abs(states.position).max() <= 0.1 and np.abs(states.position).max() > 0.0999
    np.testing.assert_allclose(np.std(states.velocity, 0), 0.1, rtol=0.06)
    _, still = env.reset(jax.random.key(0), Params(reset_noise_scale=0.0))
    assert not still.position.any() and not still.velocity.any()


def test_options_and_what_is_refused():
    whole = HalfCheetah(exclude_current_positions_from_observation=False)
    _, state = whole.reset(jax.random.key(0))
    assert whole.observe(state).shape == whole.observation_space().shape == (18,)
    assert HalfCheetah(frame_skip=2).dt == pytest.approx(0.02)
    for options, said in (
        ({"dtype": np.float16}, "float32 or float64"),
        ({"frame_skip": 0}, "from 1 to 1000"),
        ({"frame_skip": 2.5}, "a whole number"),
    ):
        with pytest.raises(EnvwrightError, match=said):
            HalfCheetah(**options)


def test_a_picture_shows_the_robot_wherever_it_is():
    env = HalfCheetah()
    _, state = env.reset(jax.random.key(0))
    here, fallen = env.render(state), np.array(state.position)
    assert here.shape == (300, 480, 3) and here.dtype == np.uint8
    far = np.array(state.position)
    far[0] += 500.0
    np.testing.assert_array_equal(
        here[:200], env.render(State(far, *[state.velocity] * 2, 0))[:200]
    )
    fallen[2] = np.pi
    assert (here != env.render(State(fallen, *[state.velocity] * 2, 0))).mean() > 0.02
