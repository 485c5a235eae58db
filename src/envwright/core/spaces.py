"""Spaces that sample with a JAX key and convert to Gymnasium's.

Bounds are NumPy arrays, so that describing a space imports no JAX.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from envwright.errors import EnvwrightError


class Space(Protocol):
    """The shape, dtype and range of observations or actions."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> np.dtype: ...

    def sample(self, key: Any) -> Any:
        """Draw a random element, as a JAX array (or a dict of them)."""
        ...

    def contains(self, x: Any) -> bool:
        """Return whether `x` is an element: shape, dtype kind and bounds."""
        ...

    def to_gymnasium(self) -> Any:
        """Return the same space of Gymnasium."""
        ...


@dataclass(frozen=True)
class Discrete:
    """The integers from 0 to n - 1."""

    n: int

    shape = ()
    dtype = np.dtype(np.int32)

    def sample(self, key: Any) -> Any:
        import jax

        return jax.random.randint(key, (), 0, self.n, dtype=self.dtype)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        return x.shape == () and x.dtype.kind in "iu" and 0 <= int(x) < self.n

    def to_gymnasium(self) -> Any:
        import gymnasium

        return gymnasium.spaces.Discrete(self.n)


@dataclass(frozen=True)
class MultiDiscrete:
    """A vector of integers; element i is below `nvec[i]`."""

    nvec: tuple[int, ...]

    dtype = np.dtype(np.int32)

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.nvec),)

    def sample(self, key: Any) -> Any:
        import jax

        return jax.random.randint(key, self.shape, 0, np.asarray(self.nvec), dtype=self.dtype)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        in_range = x.shape == self.shape and x.dtype.kind in "iu"
        return in_range and bool(np.all((x >= 0) & (x < np.asarray(self.nvec))))

    def to_gymnasium(self) -> Any:
        import gymnasium

        return gymnasium.spaces.MultiDiscrete(np.asarray(self.nvec))


@dataclass(frozen=True)
class DiscreteTuple(MultiDiscrete):
    """The same vector, for Gymnasium's tuples of whole numbers."""

    def to_gymnasium(self) -> Any:
        import gymnasium

        return gymnasium.spaces.Tuple([gymnasium.spaces.Discrete(n) for n in self.nvec])


class Box:
    """Arrays between `low` and `high`, both included; a bound may be infinite."""

    def __init__(
        self, low: Any, high: Any, shape: tuple[int, ...] | None = None, dtype: Any = np.float32
    ) -> None:
        self.dtype = np.dtype(dtype)
        if shape is None:
            shape = np.broadcast_shapes(np.shape(low), np.shape(high))
        self.shape = shape
        self.low = np.broadcast_to(np.asarray(low, self.dtype), shape)
        self.high = np.broadcast_to(np.asarray(high, self.dtype), shape)

    def __repr__(self) -> str:
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Box)
            and (self.shape, self.dtype) == (other.shape, other.dtype)
            and bool(np.all(self.low == other.low) and np.all(self.high == other.high))
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.low.tobytes(), self.high.tobytes()))

    def sample(self, key: Any) -> Any:
        """Draw uniformly between finite bounds, else normally, clipped to the finite bound."""
        import jax
        import jax.numpy as jnp

        if self.dtype.kind in "iu":
            return self._sample_integers(key)
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0), np.where(bounded, self.high, 1)
        dtype = jax.dtypes.canonicalize_dtype(self.dtype)
        share = jax.random.uniform(key, self.shape, dtype)
        # Not low + share * (high - low): the difference of large bounds overflows.
        uniform = jnp.clip((1 - share) * low + share * high, low, high)
        normal = jnp.clip(jax.random.normal(key, self.shape, dtype), self.low, self.high)
        return jnp.where(bounded, uniform, normal).astype(dtype)

    def _sample_integers(self, key: Any) -> Any:
        """Draw integers as unsigned offsets from `low`, since the span may fill the dtype."""
        import jax
        import jax.numpy as jnp

        dtype = jax.dtypes.canonicalize_dtype(self.dtype)
        word = np.uint64 if dtype.itemsize == 8 else np.uint32
        low = self.low.astype(word)
        span = self.high.astype(word) - low + word(1)  # 0 where every word is allowed
        offset = jax.random.randint(key, self.shape, 0, span, dtype=word)
        anything = jax.random.bits(key, self.shape, dtype=word)
        return (low + jnp.where(span == 0, anything, offset)).astype(dtype)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        if x.shape != self.shape or not np.can_cast(x.dtype, self.dtype, "same_kind"):
            return False
        return bool(np.all((x >= self.low) & (x <= self.high)))

    def to_gymnasium(self) -> Any:
        import gymnasium

        return gymnasium.spaces.Box(self.low.copy(), self.high.copy(), dtype=self.dtype.type)


class Dict:
    """Named spaces side by side; elements are dicts with the same keys."""

    shape = ()
    dtype = np.dtype(object)

    def __init__(self, spaces: dict[str, Space]) -> None:
        self.spaces = dict(spaces)

    def __repr__(self) -> str:
        return f"Dict({self.spaces})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dict) and self.spaces == other.spaces

    def __hash__(self) -> int:
        return hash(tuple(self.spaces.items()))

    def sample(self, key: Any) -> Any:
        import jax

        keys = jax.random.split(key, len(self.spaces))
        return {n: s.sample(k) for (n, s), k in zip(self.spaces.items(), keys, strict=True)}

    def contains(self, x: Any) -> bool:
        same_keys = isinstance(x, dict) and x.keys() == self.spaces.keys()
        return same_keys and all(s.contains(x[n]) for n, s in self.spaces.items())

    def to_gymnasium(self) -> Any:
        import gymnasium

        return gymnasium.spaces.Dict({n: s.to_gymnasium() for n, s in self.spaces.items()})


def from_gymnasium(space: Any) -> Space:
    """Convert a space of Gymnasium."""
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete):
        if space.start != 0:
            raise EnvwrightError(f"{space} does not start at 0; shift its actions in a wrapper")
        return Discrete(int(space.n))
    if isinstance(space, spaces.MultiDiscrete):
        return MultiDiscrete(tuple(int(n) for n in space.nvec))
    if isinstance(space, spaces.Box):
        return Box(space.low, space.high, space.shape, space.dtype)
    if isinstance(space, spaces.Dict):
        return Dict({name: from_gymnasium(inner) for name, inner in space.spaces.items()})
    raise EnvwrightError(f"{space} is not known; use Discrete, MultiDiscrete, Box or Dict")
