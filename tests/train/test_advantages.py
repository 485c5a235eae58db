"""Generalised advantage estimation against its definition."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwright.train.advantages import advantages


def by_definition(reward, value, last_value, terminated, truncated, cut_off, gamma, lam):
    """One lane in float64, forwards, from the sum that defines the estimate."""
    steps = len(reward)
    found = []
    for t in range(steps):
        total, weight = 0.0, 1.0
        for k in range(t, steps):
            if terminated[k]:
                follows = 0.0
            elif truncated[k]:
                follows = cut_off[k]
            else:
                follows = value[k + 1] if k + 1 < steps else last_value
            total += weight * (reward[k] + gamma * follows - value[k])
            if terminated[k] or truncated[k]:
                break
            weight *= gamma * lam
        found.append(total)
    return found


@st.composite
def lanes(draw):
    steps, count = draw(st.sampled_from([1, 2, 9])), 3
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ends = rng.choice(3, (steps, count), p=[0.6, 0.2, 0.2])
    numbers = rng.normal(size=(3, steps, count)).astype(np.float32)
    return ends == 1, ends == 2, numbers, rng.normal(size=count).astype(np.float32)


estimates = jax.jit(advantages)  # one program for every gamma and lambda
share = st.floats(0, 1, width=32)


@settings(max_examples=60)
@given(lanes(), share, share)
def test_estimates_are_the_sum_that_defines_them(lanes, gamma, lam):
    terminated, truncated, (reward, value, cut_off), last_value = lanes
    bootstrap = np.where(truncated, cut_off, 0)
    got = estimates(reward, value, last_value, terminated | truncated, bootstrap, gamma, lam)
    for lane in range(reward.shape[1]):
        column = (x[:, lane].astype(float) for x in (reward, value))
        ends = (terminated[:, lane], truncated[:, lane], cut_off[:, lane].astype(float))
        expected = by_definition(*column, float(last_value[lane]), *ends, gamma, lam)
        # float32 against float64: nine sums of numbers below about five.
        np.testing.assert_allclose(np.asarray(got)[:, lane], expected, atol=2e-5)


def estimate(done, bootstrap, last_value=0.0, lam=1.0):
    reward, value = jnp.array([[1.0], [2.0]]), jnp.array([[10.0], [20.0]])
    arrays = (jnp.array([[x] for x in row]) for row in (done, bootstrap))
    got = advantages(reward, value, jnp.array([last_value]), *arrays, 0.5, lam)
    return np.asarray(got)[:, 0].tolist()


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        # 1 + 0.5 * 2 + 0.25 * 100 - 10, and 2 + 0.5 * 100 - 20
        (dict(done=[False, False], bootstrap=[0.0, 0.0], last_value=100.0), [17.0, 32.0]),
        (dict(done=[False, True], bootstrap=[0.0, 0.0], last_value=100.0), [-8.0, -18.0]),
        (dict(done=[False, True], bootstrap=[0.0, 100.0], last_value=7.0), [17.0, 32.0]),
        (dict(done=[True, False], bootstrap=[0.0, 0.0], last_value=100.0), [-9.0, 32.0]),
        (dict(done=[True, False], bootstrap=[8.0, 0.0], last_value=100.0), [-5.0, 32.0]),
    ],
    ids=["goes on", "falls", "cut off", "falls before", "cut off before"],
)
def test_a_fall_is_worth_nothing_and_a_time_limit_what_was_cut_off(case, expected):
    assert estimate(**case) == expected


def test_without_lambda_only_the_next_value_counts():
    # 1 + 0.5 * 20 - 10, and 2 + 0.5 * 100 - 20
    assert estimate([False, False], [0.0, 0.0], last_value=100.0, lam=0.0) == [1.0, 32.0]
