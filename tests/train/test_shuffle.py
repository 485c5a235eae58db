"""The order of rows: every row once, in an order that is as good as drawn."""

import jax
import numpy as np
import pytest
from scipy import stats

from envwright.train.shuffle import shuffled


def orders(count, keys):
    many = jax.jit(jax.vmap(lambda key: shuffled(key, count)))
    return np.asarray(many(jax.random.split(jax.random.key(0), keys)))


@pytest.mark.parametrize("count", [1, 2, 5, 24, 1000, 4096])
def test_every_row_comes_once(count):
    found = orders(count, 20)
    assert (np.sort(found, axis=1) == np.arange(count)).all()


def test_an_order_follows_from_its_key():
    one = shuffled(jax.random.key(3), 100)
    assert np.array_equal(one, jax.jit(shuffled, static_argnums=1)(jax.random.key(3), 100))
    assert not np.array_equal(one, shuffled(jax.random.key(4), 100))


@pytest.mark.parametrize("count", [3, 8, 24, 100])
def test_any_row_may_come_anywhere(count):
    found = orders(count, 400 * count)
    # Seeds are fixed, so these cannot flicker; an honest shuffle passes with 1 - 1e-4.
    for place in (0, 1, count // 2, count - 1):
        assert stats.chisquare(np.bincount(found[:, place], minlength=count)).pvalue > 1e-4


@pytest.mark.parametrize("count", [8, 24, 100])
def test_neighbours_do_not_stay_together(count):
    found = orders(count, 400 * count).astype(int)
    for one, other in ((0, 1), (0, count // 2), (count - 2, count - 1)):
        apart = (found[:, other] - found[:, one]) % count
        counts = np.bincount(apart, minlength=count)
        assert counts[0] == 0
        assert stats.chisquare(counts[1:]).pvalue > 1e-4


def test_few_rows_come_in_every_order():
    found = orders(4, 24 * 200)
    seen, counts = np.unique(found, axis=0, return_counts=True)
    assert len(seen) == 24
    assert counts.min() > 100  # 200 each, if all were as likely
