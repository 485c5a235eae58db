"""Actor and critic: a perceptron or a convolutional network, with an optional GRU.

Everything is written for sequences: observations are `[T, B, …]`. Nothing here is
initialised by a matrix decomposition: batched LAPACK calls can deadlock on few cores, and
those of an 8000 x 8000 layer take minutes.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.spaces import (
    Box,
    Dict,
    Discrete,
    MultiBinary,
    MultiDiscrete,
    Space,
    Tuple,
)
from envwright.errors import EnvwrightError
from envwright.train.config import PPOConfig
from envwright.train.convolution import Conv
from envwright.train.dense import Dense
from envwright.train.distributions import Categorical, Distribution, Gaussian, Product
from envwright.train.shapes import SIZES, Filters

DEPTH = 4  # hidden layers of a network given by its number of parameters
FILTERS = (Filters(32, 8, 4), Filters(64, 4, 2), Filters(64, 3, 1))  # the default layers


def normal_init(gain: float) -> Any:
    """Initialise normal weights whose outputs have `gain` times the size of the inputs."""
    return nn.initializers.variance_scaling(gain**2, "fan_in", "truncated_normal")


class Perceptron(nn.Module):
    """Hidden layers with tanh."""

    widths: tuple[int, ...]

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        for width in self.widths:
            x = nn.tanh(Dense(width, normal_init(np.sqrt(2)))(x))
        return x


class Eye(nn.Module):
    """Convolutions and dense layers that turn pixels into features."""

    widths: tuple[int, ...]
    filters: tuple[Filters, ...] = FILTERS

    @nn.compact
    def __call__(self, pixels: jax.Array) -> jax.Array:
        x = pixels.astype(jnp.float32) / 255.0
        for filters in self.filters:
            x = nn.relu(Conv(*filters, kernel_init=normal_init(np.sqrt(2)))(x))
        x = x.reshape(*x.shape[:-3], -1)
        for width in self.widths:
            x = nn.relu(Dense(width, normal_init(np.sqrt(2)))(x))
        return x


class Memory(nn.Module):
    """A GRU along the first axis that forgets where an episode starts."""

    width: int

    @partial(
        nn.scan,
        variable_broadcast="params",
        split_rngs={"params": False},
    )
    @nn.compact
    def __call__(self, hidden: jax.Array, inputs: tuple[jax.Array, jax.Array]) -> Any:
        features, starts = inputs
        hidden = jnp.where(starts[:, None], 0.0, hidden)
        cell = nn.GRUCell(self.width, recurrent_kernel_init=normal_init(1.0))
        return cell(hidden, features)


class ActorCritic(nn.Module):
    """A distribution over actions and a value for `obs[T, B, …]`.

    Perceptrons without memory have separate towers for actor and critic; expensive parts (an eye, a
    memory) are shared.
    """

    widths: tuple[int, ...]
    actions: int  # outputs of the actor
    choices: tuple[int, ...]  # values of each of several choices; empty: real numbers
    discrete: bool  # a single choice, which is a number rather than a vector
    pixels: bool
    memory: int
    filters: tuple[Filters, ...] = FILTERS  # for pictures

    @property
    def shared(self) -> bool:
        """Whether actor and critic see the same features."""
        return self.pixels or self.memory > 0

    @nn.compact
    def __call__(
        self, hidden: Any, obs: jax.Array, starts: jax.Array, legal: jax.Array | None
    ) -> tuple[Any, Distribution, jax.Array]:
        body = partial(Eye, filters=self.filters) if self.pixels else Perceptron
        seen = body(self.widths, name="actor_body")(obs)
        if self.memory:
            hidden, seen = Memory(self.memory, name="memory")(hidden, (seen, starts))
        judged = seen if self.shared else body(self.widths, name="critic_body")(obs)
        law = Dense(self.actions, normal_init(0.01), name="actor")(seen)
        value = Dense(1, normal_init(1.0), name="critic")(judged)[..., 0]
        if self.discrete:
            return hidden, Categorical.of(law, legal), value
        if self.choices:
            return hidden, Product.of(law, self.choices, legal), value
        log_std = self.param("log_std", nn.initializers.zeros, (self.actions,))
        return hidden, Gaussian(law, jnp.broadcast_to(log_std, law.shape)), value

    def first_hidden(self, lanes: int) -> jax.Array | None:
        """Return the initial memory, float32[lanes, memory]; None without a memory."""
        return jnp.zeros((lanes, self.memory), jnp.float32) if self.memory else None


def is_pixels(space: Space) -> bool:
    """Return whether a space is a picture, uint8[height, width, channels], rather than a vector."""
    return isinstance(space, Box) and space.dtype == np.uint8 and len(space.shape) == 3


def as_input(obs: Any, space: Space, lead: int = 1) -> jax.Array:
    """Convert `obs[…, *space.shape]`, with `lead` axes in front, to a network's input.

    Pictures stay as they are; one of n becomes a one-hot vector; everything else becomes one vector
    of float32.
    """
    if is_pixels(space):
        return obs
    return jnp.concatenate(_vectors(obs, space, lead), axis=-1)


def _vectors(obs: Any, space: Space, lead: int) -> list[jax.Array]:
    if isinstance(space, Dict):
        return [v for name, part in space.spaces.items() for v in _vectors(obs[name], part, lead)]
    if isinstance(space, Tuple):
        pairs = zip(obs, space.spaces, strict=True)
        return [v for seen, part in pairs for v in _vectors(seen, part, lead)]
    if isinstance(space, Discrete):
        return [jax.nn.one_hot(obs - space.start, space.n)]
    return [jnp.reshape(obs, (*jnp.shape(obs)[:lead], -1)).astype(jnp.float32)]


def build(config: PPOConfig, obs_space: Space, action_space: Space) -> ActorCritic:
    """Build the network of a configuration for these spaces."""
    choices = _choices(action_space)
    if not choices and not (isinstance(action_space, Box) and len(action_space.shape) == 1):
        raise EnvwrightError(
            "training knows Discrete, MultiDiscrete, MultiBinary and flat Box actions and tuples "
            f"of Discrete, not {action_space}; wrap the environment so that it takes one of these"
        )
    make = partial(
        ActorCritic,
        actions=sum(choices) if choices else action_space.shape[0],
        choices=choices,
        discrete=isinstance(action_space, Discrete),
        pixels=is_pixels(obs_space),
        memory=config.memory,
    )
    shape = config.shape()
    if shape is None:
        return _sized(make, SIZES[config.network], obs_space)
    if shape.filters and not is_pixels(obs_space):
        raise EnvwrightError(
            f"convolutions see pictures, uint8[height, width, channels], not {obs_space}; "
            f"use widths only, such as {'x'.join(map(str, shape.widths))}"
        )
    return make(widths=shape.widths, filters=shape.filters or FILTERS)


def _choices(space: Space) -> tuple[int, ...]:
    """Return the number of values of each choice that an action consists of."""
    if isinstance(space, Discrete):
        return (space.n,)
    if isinstance(space, MultiDiscrete):
        return tuple(np.ravel(space.nvec).tolist())
    return (2,) * math.prod(space.shape) if isinstance(space, MultiBinary) else ()


def _sized(make: Any, wanted: int, obs_space: Space) -> ActorCritic:
    """Return the widest network with at most `wanted` parameters."""

    def network(width: int) -> ActorCritic:
        return make(widths=(width,) * DEPTH)

    low, high = 1, int(np.sqrt(wanted))
    while low < high:
        middle = (low + high + 1) // 2
        if count_parameters(network(middle), obs_space) <= wanted:
            low = middle
        else:
            high = middle - 1
    return network(low)


def dummy_obs(space: Space, lanes: int) -> Any:
    """Return zeros `[lanes, …]` of an observation space, dict or not."""
    if isinstance(space, Dict):
        return {name: dummy_obs(inner, lanes) for name, inner in space.spaces.items()}
    if isinstance(space, Tuple):
        return tuple(dummy_obs(inner, lanes) for inner in space.spaces)
    return jnp.zeros((lanes, *space.shape), jax.dtypes.canonicalize_dtype(space.dtype))


def init_parameters(network: ActorCritic, key: jax.Array, obs_space: Space) -> Any:
    """Initialise parameters."""
    obs = as_input(dummy_obs(obs_space, 1), obs_space)[None]
    starts = jnp.zeros((1, 1), bool)
    return network.init(key, network.first_hidden(1), obs, starts, None)


def count_parameters(network: ActorCritic, obs_space: Space) -> int:
    """Count the parameters."""
    shapes = jax.eval_shape(lambda k: init_parameters(network, k, obs_space), jax.random.key(0))
    return sum(int(np.prod(leaf.shape)) for leaf in jax.tree.leaves(shapes))
