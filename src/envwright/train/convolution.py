"""A convolution as a matrix product: windows are copied out of the picture and multiplied.

XLA's own convolution is as fast on a CPU when it is called alone. Inside a loop, and an update
is two of them (epochs and minibatches), its gradient takes 7 to 12 times as long as this one's.
"""

from __future__ import annotations

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp

from envwright.train.dense import affine


class Conv(nn.Module):
    """A `flax.linen.Conv` with a square kernel, for `x[…, height, width, channels]`."""

    features: int
    kernel: int
    stride: int
    kernel_init: Any

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        shape = (self.kernel, self.kernel, x.shape[-1], self.features)
        kernel = self.param("kernel", self.kernel_init, shape)
        bias = self.param("bias", nn.initializers.zeros, (self.features,))
        seen = convolved(x.reshape(-1, *x.shape[-3:]), kernel, bias, self.stride)
        return seen.reshape(*x.shape[:-3], *seen.shape[1:])


def convolved(x: jax.Array, kernel: jax.Array, bias: jax.Array, stride: int) -> jax.Array:
    """Convolve `x[N, height, width, channels]` with `kernel[side, side, channels, features]`.

    Edges are padded with zeros, so that the result is `[N, ⌈height / stride⌉, …]`.
    """
    side = kernel.shape[0]
    # Where windows are whole numbers of strides, the picture is cut into blocks of a stride
    # first: copies are then contiguous, and less has to be rearranged.
    block = stride if side % stride == 0 else 1
    blocks = _cut(_padded(x, side, stride), block)
    step = stride // block
    rows, columns = (step * (-(-edge // stride) - 1) + 1 for edge in x.shape[1:3])
    offsets = range(side // block)
    parts = [
        blocks[:, i : i + rows : step, j : j + columns : step] for i in offsets for j in offsets
    ]
    windows = jnp.concatenate(parts, axis=-1)
    weights = _cut(kernel.transpose(3, 0, 1, 2), block).reshape(kernel.shape[-1], -1).T
    seen = affine(windows.reshape(-1, windows.shape[-1]), weights, bias)
    return seen.reshape(*windows.shape[:-1], -1)


def _cut(x: jax.Array, block: int) -> jax.Array:
    """Cut `[N, h, w, c]` into `[N, h / block, w / block, block * block * c]`."""
    if block == 1:
        return x
    count, height, width, channels = x.shape
    cut = x.reshape(count, height // block, block, width // block, block, channels)
    shape = (count, height // block, width // block, block * block * channels)
    return cut.swapaxes(2, 3).reshape(shape)


def _padded(x: jax.Array, side: int, stride: int) -> jax.Array:
    """Pad with zeros, half before and half after, as XLA's "SAME" does."""
    edges = []
    for edge in x.shape[1:3]:
        missing = max(0, (-(-edge // stride) - 1) * stride + side - edge)
        edges.append((missing // 2, missing - missing // 2))
    return jnp.pad(x, ((0, 0), *edges, (0, 0)))
