"""A dense layer is flax's, and so is its gradient."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.train.dense import Dense

INIT = nn.initializers.normal(1.0)


@pytest.mark.parametrize("lead", [(7,), (3, 5), (2, 3, 4)])
def test_values_and_gradients_are_those_of_flax(lead):
    x = jax.random.normal(jax.random.key(0), (*lead, 6))
    ours, theirs = Dense(4, INIT), nn.Dense(4, kernel_init=INIT)
    params = ours.init(jax.random.key(1), x)
    assert jax.tree.map(jnp.shape, params) == jax.tree.map(
        jnp.shape, theirs.init(jax.random.key(1), x)
    )

    def loss(layer, params, x):
        return jnp.sum(jnp.sin(layer.apply(params, x)))

    def both(layer):
        return jax.jit(jax.value_and_grad(lambda p, x: loss(layer, p, x), (0, 1)))(params, x)

    # Other orders of sums of up to 24 numbers.
    close = lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)  # noqa: E731
    jax.tree.map(close, both(ours), both(theirs))


def test_several_agents_at_once_are_each_alone():
    x = jax.random.normal(jax.random.key(0), (2, 5, 6))
    layer = Dense(4, INIT)
    params = jax.vmap(layer.init)(jax.random.split(jax.random.key(1)), x)
    gradient = jax.grad(lambda p, x: jnp.sum(layer.apply(p, x) ** 2))
    together = jax.vmap(gradient)(params, x)
    for index in range(2):
        alone = gradient(*jax.tree.map(lambda leaf: leaf[index], (params, x)))  # noqa: B023
        one = jax.tree.map(lambda leaf: leaf[index], together)  # noqa: B023
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5), alone, one
        )
