"""Rust environments from Python: buffers allocated once, stepped in place.

    env = NativeVectorEnv(CounterVecEnv(num_envs=4096, threads=available_cores()))
    obs = env.reset(seed=0)
    obs, reward, terminated, truncated, final_obs = env.step(actions)

The arrays that come back are the environment's own buffers, and the next call overwrites them:
copy what you keep.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from envwright.core.spaces import Space

SEED_LIMIT = 2**64


class NativeEnv(Protocol):
    """The protocol of `envwright._native`'s classes: a batch that writes into given arrays."""

    @property
    def num_envs(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def identity(self) -> str: ...
    @property
    def obs_shape(self) -> tuple[int, ...]: ...
    @property
    def obs_dtype(self) -> str: ...
    @property
    def action_shape(self) -> tuple[int, ...]: ...
    @property
    def action_dtype(self) -> str: ...
    @property
    def fields(self) -> dict[str, tuple[str, tuple[int, ...]]]: ...
    def reset(self, seeds: NDArray[np.uint64], obs: NDArray[Any]) -> None: ...
    def step(
        self,
        actions: NDArray[Any],
        obs: NDArray[Any],
        reward: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        final_obs: NDArray[Any],
    ) -> None: ...
    def step_raw(
        self,
        actions: NDArray[Any],
        obs: NDArray[Any],
        reward: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None: ...
    def observe(self, obs: NDArray[Any]) -> None: ...
    def state_fields(self) -> dict[str, NDArray[Any]]: ...
    def load(self, index: int, fields: dict[str, Any]) -> None: ...
    def load_all(self, fields: dict[str, Any]) -> None: ...
    def snapshot(self) -> bytes: ...
    def restore(self, snapshot: bytes) -> None: ...


class RawStep(NamedTuple):
    """The outcome of a step by the bare rules."""

    obs: NDArray[Any]  # [N, *obs_shape]
    reward: NDArray[Any]  # [N], or [N, players]; float32 or float64
    terminated: NDArray[np.bool_]  # [N]
    truncated: NDArray[np.bool_]  # [N]


class NativeStep(NamedTuple):
    """The outcome of a step that resets; `obs` of an ended episode is the first of the next."""

    obs: NDArray[Any]  # [N, *obs_shape]
    reward: NDArray[Any]  # [N], or [N, players]; float32 or float64
    terminated: NDArray[np.bool_]  # [N]
    truncated: NDArray[np.bool_]  # [N]
    final_obs: NDArray[Any]  # [N, *obs_shape], meaningful where terminated or truncated


def named_parts(rows: NDArray[Any]) -> Any:
    """Return views of records by name; other arrays as they are."""
    if rows.dtype.names is None:
        return rows
    return {name: named_parts(rows[name]) for name in rows.dtype.names}


def available_cores() -> int:
    """Return the number of cores that this process may use, of those the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class NativeVectorEnv:
    """N environments in Rust, and the NumPy buffers that they write into.

    A game of several players has `[N, players, …]` where others have `[N, …]`, except for the ends
    of episodes.
    """

    observation_space: Space  # for one player; rooms of the zoo set both
    action_space: Space

    def __init__(self, native: NativeEnv) -> None:
        self._native = native
        self.players: int = getattr(native, "players", 1)
        self.num_envs = native.num_envs
        self.threads = native.threads
        self.identity = native.identity
        self.obs_shape = native.obs_shape
        self.obs_dtype = np.dtype(native.obs_dtype)
        self.action_shape = native.action_shape
        self.action_dtype = np.dtype(native.action_dtype)
        self._later_seeds = np.random.default_rng()

        rows = (self.num_envs, *self.obs_shape)
        self.obs = np.zeros(rows, self.obs_dtype)
        seats = () if self.players == 1 else (self.players,)
        reward_dtype = np.dtype(getattr(native, "reward_dtype", np.float32))
        self.reward = np.zeros((self.num_envs, *seats), reward_dtype)
        self.terminated = np.zeros(self.num_envs, np.bool_)
        self.truncated = np.zeros(self.num_envs, np.bool_)
        self.final_obs = np.zeros(rows, self.obs_dtype)

    @property
    def legal(self) -> NDArray[np.bool_] | None:
        """Return which actions are legal now, `[N, …, actions]`, if the game forbids some."""
        return getattr(self._native, "legal", None)

    def reset(self, seed: int | Sequence[int | None] | None = None) -> NDArray[Any]:
        """Start every environment anew and return the first observations.

        An integer seeds environment i with `seed + i`; a sequence gives each its own. Without a
        seed they are drawn from a stream that the last integer started, or from the system's
        entropy if there was none.
        """
        self._native.reset(self._seeds(seed), self.obs)
        return self.obs

    def step(self, actions: ArrayLike) -> NativeStep:
        """Step every environment; an ended episode restarts in the same step."""
        self._native.step(
            self._actions(actions),
            self.obs,
            self.reward,
            self.terminated,
            self.truncated,
            self.final_obs,
        )
        return NativeStep(self.obs, self.reward, self.terminated, self.truncated, self.final_obs)

    def step_into(
        self,
        actions: NDArray[Any],
        obs: NDArray[Any],
        reward: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        """Step into the caller's arrays: of the right shapes and dtypes, in C order."""
        self._native.step(actions, obs, reward, terminated, truncated, self.final_obs)

    def step_raw(self, actions: ArrayLike) -> RawStep:
        """Step by the bare rules, without reset, even where the game is over."""
        self._native.step_raw(
            self._actions(actions), self.obs, self.reward, self.terminated, self.truncated
        )
        return RawStep(self.obs, self.reward, self.terminated, self.truncated)

    def observe(self) -> NDArray[Any]:
        """Return the observations of the current states, for instance after a load."""
        self._native.observe(self.obs)
        return self.obs

    def state(self) -> dict[str, NDArray[Any]]:
        """Copy the whole state: arrays by field name, environments first."""
        return self._native.state_fields()

    def load(self, index: int, state: Mapping[str, ArrayLike]) -> None:
        """Set the state of environment `index`: every field, without the environment axis.

        Numbers are converted to the field's dtype; integers and flags only if none changes.
        """
        self._native.load(operator.index(index), self._fields(state))

    def load_all(self, state: Mapping[str, ArrayLike]) -> None:
        """Set the state of every environment, as `state()` returns it: environments first.

        All are loaded or, if one state is invalid, none.
        """
        self._native.load_all(self._fields(state))

    def snapshot(self) -> bytes:
        """Return everything as bytes, from which an equal batch can continue."""
        return self._native.snapshot()

    def restore(self, snapshot: bytes) -> NDArray[Any]:
        """Restore a snapshot, and return its observations."""
        self._native.restore(snapshot)
        return self.observe()

    def __repr__(self) -> str:
        return f"NativeVectorEnv({self._native!r})"

    def _actions(self, actions: ArrayLike) -> NDArray[Any]:
        return np.ascontiguousarray(_converted("actions", actions, self.action_dtype))

    def _fields(self, state: Mapping[str, ArrayLike]) -> dict[str, Any]:
        """Convert known fields to their dtype; the environment rejects the others."""
        known = self._native.fields
        return {
            name: _converted(f"field '{name}'", value, np.dtype(known[name][0]))
            if name in known
            else value
            for name, value in state.items()
        }

    def _seeds(self, seed: int | Sequence[int | None] | None) -> NDArray[np.uint64]:
        if seed is None:
            seeds = [None] * self.num_envs
        elif isinstance(seed, Sequence | np.ndarray):
            seeds = list(seed)
        else:
            first = _checked_seed(seed)
            self._later_seeds = np.random.default_rng(first)
            seeds = [(first + i) % SEED_LIMIT for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds were given; pass {self.num_envs}, or one integer")
        return np.array([self._draw() if s is None else _checked_seed(s) for s in seeds], np.uint64)

    def _draw(self) -> int:
        return int(self._later_seeds.integers(SEED_LIMIT, dtype=np.uint64))


def _checked_seed(seed: Any) -> int:
    number = operator.index(seed)
    if not 0 <= number < SEED_LIMIT:
        raise ValueError(f"seed {number} is out of range; choose one from 0 to 2**64 - 1")
    return number


def _converted(name: str, value: ArrayLike, dtype: np.dtype) -> NDArray[Any]:
    """Return `value` as an array of `dtype`; raise if a number would change."""
    given = np.asarray(value)
    if given.dtype == dtype:
        return given
    if given.dtype.kind not in "biuf":
        raise ValueError(f"{name} has dtype {given.dtype}; pass numbers of {dtype}")
    with np.errstate(invalid="ignore", over="ignore"):
        converted = given.astype(dtype)
    if dtype.kind != "f" and not np.array_equal(converted, given):
        raise ValueError(f"{name} holds numbers that are no {dtype}; pass an array of {dtype}")
    return converted
