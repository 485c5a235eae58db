"""The distributions of policies: one of n actions, several of these, or normal numbers."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

ILLEGAL = -1e9  # a logit that no softmax ever picks, and whose gradient is zero


class Distribution(Protocol):
    """A batch of distributions `[…]` over actions."""

    def sample(self, key: jax.Array) -> jax.Array: ...
    def mode(self) -> jax.Array: ...
    def log_prob(self, action: jax.Array) -> jax.Array: ...
    def entropy(self) -> jax.Array: ...


class Categorical(NamedTuple):
    """One of n actions; illegal ones have probability zero."""

    logits: jax.Array  # float[…, n], normalised

    @classmethod
    def of(cls, logits: jax.Array, legal: ArrayLike | None = None) -> Categorical:
        """Normalise raw logits, with a mask if some actions are illegal."""
        if legal is not None:
            logits = jnp.where(legal, logits, ILLEGAL)
        return cls(jax.nn.log_softmax(logits))

    def sample(self, key: jax.Array) -> jax.Array:
        """Draw actions, int32[…]."""
        return jax.random.categorical(key, self.logits).astype(jnp.int32)

    def mode(self) -> jax.Array:
        """Return the likeliest actions, int32[…]."""
        return jnp.argmax(self.logits, axis=-1).astype(jnp.int32)

    def log_prob(self, action: jax.Array) -> jax.Array:
        """Return the log probability, float[…]."""
        return jnp.take_along_axis(self.logits, action[..., None], axis=-1)[..., 0]

    def entropy(self) -> jax.Array:
        """Return the entropy, float[…]; an illegal action adds nothing."""
        return -jnp.sum(jnp.exp(self.logits) * self.logits, axis=-1)


class Product(NamedTuple):
    """Several independent choices, each among its own number of values."""

    each: Categorical  # logits float[…, k, most]; those beyond a choice's own are illegal

    @classmethod
    def of(cls, logits: jax.Array, sizes: tuple[int, ...], legal: jax.Array | None) -> Product:
        """Divide raw logits `[…, sum(sizes)]` among choices, and normalise each."""
        if legal is not None:
            logits = jnp.where(legal, logits, ILLEGAL)
        places, exists = _places(sizes)
        each = logits[..., places]
        return cls(Categorical.of(each, np.broadcast_to(exists, each.shape)))

    def sample(self, key: jax.Array) -> jax.Array:
        """Draw actions, int32[…, k]."""
        return self.each.sample(key)

    def mode(self) -> jax.Array:
        """Return the likeliest actions, int32[…, k]."""
        return self.each.mode()

    def log_prob(self, action: jax.Array) -> jax.Array:
        """Return the log probability of all choices together, float[…]."""
        return jnp.sum(self.each.log_prob(action), axis=-1)

    def entropy(self) -> jax.Array:
        """Return the entropy, float[…]."""
        return jnp.sum(self.each.entropy(), axis=-1)


def _places(sizes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return where the logits of each choice lie, `[k, most]`, and which of them exist."""
    counted = np.arange(max(sizes))
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    exists = counted < np.asarray(sizes)[:, None]
    return np.where(exists, first[:, None] + counted, 0), exists


class Gaussian(NamedTuple):
    """Independent normal numbers; the environment applies bounds."""

    mean: jax.Array  # float[…, d]
    log_std: jax.Array  # float[…, d]

    def sample(self, key: jax.Array) -> jax.Array:
        """Draw actions, float[…, d]."""
        noise = jax.random.normal(key, self.mean.shape, self.mean.dtype)
        return self.mean + jnp.exp(self.log_std) * noise

    def mode(self) -> jax.Array:
        """Return the likeliest actions, float[…, d]."""
        return self.mean

    def log_prob(self, action: jax.Array) -> jax.Array:
        """Return the log probability of the unclipped action, float[…]."""
        scaled = (action - self.mean) * jnp.exp(-self.log_std)
        each = -0.5 * jnp.square(scaled) - self.log_std - 0.5 * math.log(2 * math.pi)
        return jnp.sum(each, axis=-1)

    def entropy(self) -> jax.Array:
        """Return the entropy, float[…]."""
        return jnp.sum(self.log_std + 0.5 * math.log(2 * math.pi * math.e), axis=-1)
