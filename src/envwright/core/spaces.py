"""Spaces that sample with a JAX key and convert to Gymnasium's.

Bounds are NumPy arrays, so that describing a space imports no JAX.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    """The integers from `start` to `start + n - 1`."""

    n: int
    start: int = 0

    shape = ()
    dtype = np.dtype(np.int32)

    def __repr__(self) -> str:
        start = f", start={self.start}" if self.start else ""
        return f"Discrete(n={self.n}{start})"

    def sample(self, key: Any) -> Any:
        import jax

        last = self.start + self.n
        return jax.random.randint(key, (), self.start, last, dtype=self.dtype)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        return x.shape == () and x.dtype.kind in "iu" and 0 <= int(x) - self.start < self.n

    def to_gymnasium(self) -> Any:
        import gymnasium

        return gymnasium.spaces.Discrete(self.n, start=self.start)


class MultiDiscrete:
    """An array of integers; an element lies between its `start` and `start + nvec - 1`.

    `nvec` may have several axes: a grid of squares is `MultiDiscrete([[3, 3], [3, 3]])`.
    """

    dtype = np.dtype(np.int32)

    def __init__(self, nvec: Any, start: Any = 0) -> None:
        sizes = np.asarray(nvec, np.int64)
        self.shape = sizes.shape
        self.nvec = _nested(sizes)
        self.start = _nested(np.broadcast_to(np.asarray(start, np.int64), sizes.shape))

    def __repr__(self) -> str:
        start = f", start={self.start}" if np.any(self.start) else ""
        return f"{type(self).__name__}({self.nvec}{start})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.nvec, self.start))

    def sample(self, key: Any) -> Any:
        import jax

        first = np.asarray(self.start, self.dtype)
        last = first + np.asarray(self.nvec, self.dtype)
        return jax.random.randint(key, self.shape, first, last, dtype=self.dtype)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        if x.shape != self.shape or x.dtype.kind not in "iu":
            return False
        above = x.astype(np.int64) - np.asarray(self.start)
        return bool(np.all((above >= 0) & (above < np.asarray(self.nvec))))

    def to_gymnasium(self) -> Any:
        import gymnasium

        return gymnasium.spaces.MultiDiscrete(np.asarray(self.nvec), start=np.asarray(self.start))


class DiscreteTuple(MultiDiscrete):
    """The same vector, for Gymnasium's tuples of whole numbers."""

    def to_gymnasium(self) -> Any:
        import gymnasium

        Part = gymnasium.spaces.Discrete
        pairs = zip(self.nvec, self.start, strict=True)
        return gymnasium.spaces.Tuple([Part(n, start=start) for n, start in pairs])


class MultiBinary:
    """Arrays of 0 and 1."""

    dtype = np.dtype(np.int8)

    def __init__(self, shape: int | tuple[int, ...]) -> None:
        self.shape = (int(shape),) if np.ndim(shape) == 0 else tuple(map(int, shape))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"MultiBinary({self.shape})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MultiBinary) and self.shape == other.shape

    def __hash__(self) -> int:
        return hash((MultiBinary, self.shape))

    def sample(self, key: Any) -> Any:
        import jax

        return jax.random.bernoulli(key, shape=self.shape).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        return x.shape == self.shape and x.dtype.kind in "iub" and bool(np.all((x == 0) | (x == 1)))

    def to_gymnasium(self) -> Any:
        import gymnasium

        # Gymnasium keeps a single axis as a number, and compares the two.
        return gymnasium.spaces.MultiBinary(self.shape[0] if len(self.shape) == 1 else self.shape)


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


class Tuple:
    """Spaces side by side; elements are tuples."""

    shape = ()
    dtype = np.dtype(object)

    def __init__(self, spaces: Iterable[Space]) -> None:
        self.spaces = tuple(spaces)

    def __repr__(self) -> str:
        return f"Tuple({self.spaces})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tuple) and self.spaces == other.spaces

    def __hash__(self) -> int:
        return hash(self.spaces)

    def sample(self, key: Any) -> Any:
        import jax

        keys = jax.random.split(key, len(self.spaces))
        return tuple(s.sample(k) for s, k in zip(self.spaces, keys, strict=True))

    def contains(self, x: Any) -> bool:
        alike = isinstance(x, tuple) and len(x) == len(self.spaces)
        return alike and all(s.contains(v) for s, v in zip(self.spaces, x, strict=True))

    def to_gymnasium(self) -> Any:
        import gymnasium

        return gymnasium.spaces.Tuple([s.to_gymnasium() for s in self.spaces])


def from_gymnasium(space: Any) -> Space:
    """Convert a space of Gymnasium. Raises for spaces whose elements vary in shape, and texts."""
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete):
        return Discrete(int(space.n), int(space.start))
    if isinstance(space, spaces.MultiDiscrete):
        return MultiDiscrete(space.nvec, space.start)
    if isinstance(space, spaces.MultiBinary):
        return MultiBinary(space.shape)
    if isinstance(space, spaces.Box):
        return Box(space.low, space.high, space.shape, space.dtype)
    if isinstance(space, spaces.Dict):
        return Dict({name: from_gymnasium(inner) for name, inner in space.spaces.items()})
    if isinstance(space, spaces.Tuple):
        parts = [from_gymnasium(inner) for inner in space.spaces]
        numbers = [part for part in parts if isinstance(part, Discrete)]
        if 1 < len(parts) == len(numbers):  # records hold such a tuple as one vector
            return DiscreteTuple([p.n for p in numbers], [p.start for p in numbers])
        return Tuple(parts)
    raise EnvwrightError(
        f"{space} is not supported: its elements have no fixed shape; wrap the environment so that "
        "it uses Discrete, MultiDiscrete, MultiBinary, Box, Dict or Tuple"
    )


def _nested(numbers: np.ndarray) -> Any:
    """Return an array as nested tuples, which can be hashed and written down."""
    return tuple(map(_nested, numbers)) if numbers.ndim else int(numbers)
