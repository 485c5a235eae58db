"""Running moments against NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from envwright.train.running import BOUND, Moments


@settings(max_examples=25)
@given(st.lists(st.sampled_from([1, 2, 5, 64]), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_batches_add_up_to_the_moments_of_everything(sizes, seed):
    rng = np.random.default_rng(seed)
    batches = [rng.normal(3, 5, (size, 2)).astype(np.float32) for size in sizes]
    moments = Moments.unseen((2,))
    for batch in batches:
        moments = moments.seen(batch)
    everything = np.concatenate(batches).astype(float)
    # The prior weighs as much as 1e-4 of a row, which matters most where one row was seen.
    weight = 1e-4 / len(everything)
    np.testing.assert_allclose(moments.mean, everything.mean(axis=0), atol=40 * weight + 1e-5)
    np.testing.assert_allclose(moments.var, everything.var(axis=0), atol=900 * weight + 1e-4)
    assert np.isclose(float(moments.count), len(everything) + 1e-4)


def test_far_from_zero_no_digits_are_lost():
    rng = np.random.default_rng(0)
    moments = Moments.unseen(())
    for _ in range(50):
        moments = moments.seen(jnp.array(rng.normal(1000, 1, 100), jnp.float32))
    assert np.isclose(float(moments.var), 1, rtol=0.05)  # a sum of squares would be off by tens
    assert np.isclose(float(moments.mean), 1000, atol=0.05)


def test_the_unseen_changes_nothing():
    x = jnp.array([-3.0, 0.0, 0.5])
    np.testing.assert_allclose(Moments.unseen((3,)).normalise(x), x, rtol=1e-6)
    np.testing.assert_allclose(Moments.unseen(()).scale(x), x, rtol=1e-6)


def test_normalised_has_mean_zero_and_deviation_one_and_scaled_keeps_its_sign():
    x = jax.random.normal(jax.random.key(0), (4096, 1)) * 3 + 4
    moments = Moments.unseen((1,)).seen(x)
    np.testing.assert_allclose(jnp.mean(moments.normalise(x)), 0, atol=1e-3)
    np.testing.assert_allclose(jnp.std(moments.normalise(x)), 1, atol=1e-3)
    assert bool(jnp.all(jnp.sign(moments.scale(x)) == jnp.sign(x)))
    np.testing.assert_allclose(jnp.std(moments.scale(x)), 1, atol=1e-3)


def test_outliers_are_cut():
    moments = Moments.unseen(())
    assert float(moments.normalise(jnp.float32(1e9))) == BOUND
    assert float(moments.scale(jnp.float32(-1e9))) == -BOUND
    assert np.isfinite(float(moments.seen(jnp.zeros(8)).scale(jnp.float32(1e-3))))
