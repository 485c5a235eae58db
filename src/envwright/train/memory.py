"""Check that a training run fits into memory, before it allocates any."""

from __future__ import annotations

import math
from itertools import pairwise

import jax

from envwright.core.limits import check_memory
from envwright.core.spaces import Dict, Space
from envwright.train.config import PPOConfig
from envwright.train.networks import is_pixels
from envwright.train.shapes import SIZES

FLOAT = 4  # bytes
COPIES = 4  # parameters, gradient, and two moments of the optimiser
STEP = 32  # bytes of a step besides its observation: reward, value, advantage and so on


def check_training_fits(config: PPOConfig, obs_space: Space, seeds: int) -> None:
    """Reject a run whose agents and roll-outs alone would not fit."""
    if jax.default_backend() != "cpu":
        return  # a device has a memory of its own and reports what does not fit
    learning = FLOAT * COPIES * _parameters(config, obs_space)
    needed = seeds * (learning + config.batch // jax.process_count() * (STEP + _bytes(obs_space)))
    check_memory("this run", needed, "choose a smaller network, fewer environments or fewer seeds")


def _parameters(config: PPOConfig, obs_space: Space) -> int:
    """Return a lower bound of the parameters: those between the layers that are named."""
    shape = config.shape()
    if shape is None:
        return SIZES[config.network]
    shared = is_pixels(obs_space) or config.memory
    filters = [f.features * f.kernel**2 for f in shape.filters]
    dense = sum(a * b for a, b in pairwise(shape.widths)) * (1 if shared else 2)
    return sum(filters) + dense + 3 * config.memory * (config.memory + shape.widths[-1])


def _bytes(space: Space) -> int:
    if isinstance(space, Dict):
        return sum(map(_bytes, space.spaces.values()))
    return math.prod(space.shape) * space.dtype.itemsize
