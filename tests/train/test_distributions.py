"""The laws of actions against SciPy's, and masks."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from envwright.train.distributions import Categorical, Gaussian, Product

RNG = np.random.default_rng(0)
LOGITS = RNG.normal(size=(4, 5)).astype(np.float32)
LEGAL = np.array([[1, 1, 1, 1, 1], [0, 1, 0, 1, 1], [1, 0, 0, 0, 0], [0, 0, 0, 1, 1]], bool)
DRAWS = 20_000


def probabilities(logits, legal):
    weights = np.where(legal, np.exp(logits.astype(float)), 0)
    return weights / weights.sum(axis=-1, keepdims=True)


def draws(law, count=DRAWS, seed=1):
    return np.asarray(jax.vmap(law.sample)(jax.random.split(jax.random.key(seed), count)))


@pytest.mark.parametrize("legal", [None, LEGAL], ids=["all legal", "masked"])
def test_categorical_is_scipys(legal):
    law = Categorical.of(jnp.array(LOGITS), legal)
    expected = probabilities(LOGITS, LEGAL if legal is not None else np.ones_like(LEGAL))
    for action in range(5):
        got = np.exp(np.asarray(law.log_prob(jnp.full(4, action))))
        np.testing.assert_allclose(got, expected[:, action], rtol=1e-6)
    entropy = [stats.entropy(row) for row in expected]
    np.testing.assert_allclose(np.asarray(law.entropy()), entropy, rtol=1e-6, atol=1e-7)
    assert np.asarray(law.mode()).tolist() == expected.argmax(axis=1).tolist()


def test_categorical_draws_have_its_law():
    seen = draws(Categorical.of(jnp.array(LOGITS), LEGAL))
    for lane, expected in enumerate(probabilities(LOGITS, LEGAL)):
        counts = np.bincount(seen[:, lane], minlength=5)
        possible = expected > 0
        # A seed is fixed, so this cannot flicker; an honest one passes with 1 - 1e-4.
        wanted = expected[possible] * DRAWS
        assert possible.sum() == 1 or stats.chisquare(counts[possible], wanted).pvalue > 1e-4


@pytest.mark.parametrize("preference", [0.0, 1e4, -1e4])
def test_an_illegal_action_is_never_drawn_however_much_it_is_wanted(preference):
    wanted = jnp.where(LEGAL, 0.0, preference)
    law = Categorical.of(wanted, LEGAL)
    seen = draws(law)
    assert LEGAL[np.arange(4), seen].all()
    assert LEGAL[np.arange(4), np.asarray(law.mode())].all()
    np.testing.assert_allclose(np.exp(np.asarray(law.logits)).sum(axis=1), 1, rtol=1e-6)


def test_masks_leave_gradients_finite_and_nothing_flows_to_the_illegal():
    def gain(logits):
        law = Categorical.of(logits, LEGAL)
        return jnp.sum(law.log_prob(jnp.array([4, 3, 0, 4]))) + jnp.sum(law.entropy())

    gradient = np.asarray(jax.grad(gain)(jnp.array(LOGITS)))
    assert np.isfinite(gradient).all()
    assert (gradient[~LEGAL] == 0).all()
    assert (gradient[[0, 1, 3]][LEGAL[[0, 1, 3]]] != 0).all()


def test_a_single_legal_action_teaches_nothing():
    def loss(logits):
        law = Categorical.of(logits, LEGAL[2])
        return 7.0 * law.log_prob(jnp.int32(0)) + law.entropy()

    value, gradient = jax.value_and_grad(loss)(jnp.array(LOGITS[2]))
    assert value == 0 and (np.asarray(gradient) == 0).all()


def test_a_product_is_its_choices_one_by_one():
    parts = [Categorical.of(jnp.array(LOGITS[:, :2])), Categorical.of(jnp.array(LOGITS[:, 2:]))]
    law = Product.of(jnp.array(LOGITS), (2, 3), None)
    actions = jnp.array([[0, 2], [1, 0], [1, 1], [0, 0]])
    expected = sum(part.log_prob(actions[:, k]) for k, part in enumerate(parts))
    np.testing.assert_allclose(law.log_prob(actions), expected, rtol=1e-6)
    expected = sum(part.entropy() for part in parts)
    np.testing.assert_allclose(law.entropy(), expected, rtol=1e-6)
    expected = jnp.stack([part.mode() for part in parts], axis=-1)
    np.testing.assert_array_equal(law.mode(), expected)
    seen = draws(law, 2000)
    assert seen.shape == (2000, 4, 2)
    assert set(np.unique(seen[..., 0])) == {0, 1} and set(np.unique(seen[..., 1])) == {0, 1, 2}


def test_a_product_respects_masks():
    legal = np.array([[1, 0, 0, 1, 0]] * 4, bool)
    law = Product.of(jnp.array(LOGITS), (2, 3), legal)
    assert np.unique(draws(law, 50).reshape(-1, 2), axis=0).tolist() == [[0, 1]]


MEAN = RNG.normal(size=(3, 2)).astype(np.float32)
LOG_STD = RNG.normal(scale=0.5, size=(3, 2)).astype(np.float32)


def test_gaussian_is_scipys():
    law = Gaussian(jnp.array(MEAN), jnp.array(LOG_STD))
    theirs = stats.norm(MEAN.astype(float), np.exp(LOG_STD.astype(float)))
    actions = RNG.normal(scale=3, size=(3, 2)).astype(np.float32)
    expected = theirs.logpdf(actions).sum(axis=1)
    np.testing.assert_allclose(np.asarray(law.log_prob(jnp.array(actions))), expected, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(law.entropy()), theirs.entropy().sum(axis=1), rtol=1e-6)
    assert np.array_equal(np.asarray(law.mode()), MEAN)


def test_gaussian_draws_have_its_law():
    seen = draws(Gaussian(jnp.array(MEAN), jnp.array(LOG_STD)))
    for row in range(3):
        for column in range(2):
            law = stats.norm(MEAN[row, column], np.exp(LOG_STD[row, column]))
            assert stats.kstest(seen[:, row, column], law.cdf).pvalue > 1e-4
    apart = np.corrcoef(seen[:, 0, 0], seen[:, 0, 1])[0, 1]
    assert abs(apart) < 4 / np.sqrt(DRAWS), "the numbers of one action are independent"
