"""Convolutions as products: the same numbers as XLA's own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from envwright.train.convolution import convolved

SHAPES = [  # height, width, channels, kernel, stride, features
    (72, 80, 1, 8, 8, 4),  # tiles
    (16, 20, 1, 8, 4, 3),  # blocks of a stride
    (9, 10, 4, 3, 1, 5),
    (9, 10, 3, 1, 1, 2),
    (11, 13, 2, 5, 3, 3),  # a kernel that is no whole number of strides
    (20, 23, 2, 8, 8, 2),  # tiles over the edge
    (7, 7, 2, 1, 2, 3),  # a stride that leaves pixels out
    (13, 9, 2, 2, 3, 2),
    (9, 10, 2, 2, 1, 3),  # more padding after than before
]


def xla(x, kernel, bias, stride):
    layout = ("NHWC", "HWIO", "NHWC")
    strides = (stride, stride)
    maps = lax.conv_general_dilated(x, kernel, strides, "SAME", dimension_numbers=layout)
    return maps + bias.reshape(1, 1, 1, -1)


def drawn(shape, lead=()):
    height, width, channels, side, stride, features = shape
    rng = np.random.default_rng(0)
    sizes = (3, height, width, channels), (side, side, channels, features), (features,)
    return [jnp.array(rng.normal(size=(*lead, *size)), jnp.float32) for size in sizes], stride


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_convolution_is_what_xla_computes(shape):
    arrays, stride = drawn(shape)
    ours, theirs = convolved(*arrays, stride), xla(*arrays, stride)
    assert ours.shape == theirs.shape
    # Sums of at most 128 products in another order.
    np.testing.assert_allclose(ours, theirs, atol=5e-5)


@pytest.mark.parametrize("shape", SHAPES[1:3], ids=str)
def test_its_gradients_are_those_of_xla(shape):
    arrays, stride = drawn(shape)

    def gradients(conv):
        return jax.grad(lambda *a: jnp.sum(jnp.sin(conv(*a, stride))), argnums=(0, 1, 2))(*arrays)

    for ours, theirs in zip(gradients(convolved), gradients(xla), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-3, rtol=1e-4)


def test_several_agents_see_what_each_would_see_alone():
    arrays, stride = drawn(SHAPES[1], lead=(2,))
    together = jax.vmap(lambda *a: convolved(*a, stride))(*arrays)
    for agent in range(2):
        alone = convolved(*(array[agent] for array in arrays), stride)
        np.testing.assert_allclose(together[agent], alone, atol=1e-5)
