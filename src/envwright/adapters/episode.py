"""Play one lane step by step from Python; the adapters share this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.env import Env, Step, select
from envwright.core.registry import make
from envwright.core.spaces import Box, Dict, Discrete, DiscreteTuple, MultiBinary, Space, Tuple
from envwright.core.wrappers import Wrapper
from envwright.errors import EnvwrightError

StateReader = Callable[[Env, Any], Any]  # what an adapter reads from a state


class Episode:
    """An environment with a state and a stream of keys; no reset of its own.

    Keys are split as in `Env.step`, and a reset after an end takes the key that auto-reset would
    take. One lane of `step_batch` and an `Episode` with the same seed and actions are therefore
    equal. A game that has already started its next episode is not reset.
    """

    def __init__(self, env: Env, params: Any, read: StateReader) -> None:
        self.env, self.params, self.read = env, params, read
        self.stream: jax.Array | None = None
        self.state: Any = None
        self.over = True
        self._key_after_end: jax.Array | None = None
        self._went_on = False  # the state is already the start of the next episode

    def reset(self, seed: int | None) -> tuple[Any, Any]:
        """Return the first observation and what is read; without a seed the stream continues."""
        if seed is not None:
            self.stream, self._key_after_end = keys_from_seeds([seed])[0], None
        assert self.stream is not None, "the first reset needs a seed"
        if self._went_on and seed is None:
            self.over, self._went_on = False, False
            return _view(self.env, self.read, self.state)
        key = self._key_after_end
        if key is None:
            self.stream, key = jax.random.split(self.stream)
        obs, self.state, seen = _reset(self.env, self.read, key, self.params)
        self.over, self._key_after_end, self._went_on = False, None, False
        return obs, seen

    def step(self, action: Any) -> tuple[Step, Any]:
        """Play an action; return its step and what is read."""
        self.stream, key, after, seen = _advance(
            self.env, self.read, self.stream, self.state, action, self.params
        )
        self.state, self.over = after.state, bool(after.terminated | after.truncated)
        self._key_after_end = key if self.over else None
        self._went_on = self.env.restarts and bool(after.terminated)
        return after, seen


@partial(jax.jit, static_argnums=(0, 1))
def _reset(env: Env, read: StateReader, key: jax.Array, params: Any) -> tuple[Any, Any, Any]:
    obs, state = env.reset(key, params)
    return obs, state, read(env, state)


@partial(jax.jit, static_argnums=(0, 1))
def _view(env: Env, read: StateReader, state: Any) -> tuple[Any, Any]:
    return env.view(state), read(env, state)


@partial(jax.jit, static_argnums=(0, 1))
def _advance(
    env: Env, read: StateReader, stream: jax.Array, state: Any, action: Any, params: Any
) -> tuple[jax.Array, jax.Array, Step, Any]:
    stream, key = jax.random.split(stream)
    k_step, k_reset = jax.random.split(key)
    after = env.advance(k_step, state, action, params)
    return stream, k_reset, after, read(env, after.state)


def keys_from_seeds(seeds: Sequence[int]) -> jax.Array:
    """Return key[B]: `jax.random.key(seed)` with all bits beyond the first 32 folded in."""
    if min(seeds) < 0:
        raise EnvwrightError(f"seed {min(seeds)} is negative; use 0 or more")
    keys = jax.vmap(jax.random.key)(_low_words(seeds))
    while any(seeds := [seed >> 32 for seed in seeds]):
        further = jax.vmap(jax.random.fold_in)(keys, _low_words(seeds))
        keys = select(np.array(seeds, bool), further, keys)
    return keys


def _low_words(seeds: Sequence[int]) -> np.ndarray:
    return np.array([seed % 2**32 for seed in seeds], np.uint32)


def find_env(env: str | Env, backend: str | None = None, **options: Any) -> Env:
    """Return the environment itself, or the one of that name.

    Environments hold no state, so equal names and options share one object and its compiled
    programs.
    """
    if not isinstance(env, str):
        if backend or options:
            raise EnvwrightError(f"{env.name} is already made; pass options only with a name")
        return env
    try:
        made = _shared(env, backend, tuple(sorted(options.items())))
    except TypeError:  # an option that cannot be hashed
        made = make(env, backend, **options)
    if not isinstance(made, Env):
        raise EnvwrightError(
            f"the backend {backend!r} of {env!r} is a batch, not a JAX environment; "
            "use gymnasium.make_vec"
        )
    return made


@lru_cache(maxsize=64)
def _shared(name: str, backend: str | None, options: tuple[tuple[str, Any], ...]) -> Any:
    return make(name, backend, **dict(options))


def has_masks(env: Env) -> bool:
    """Return whether the room defines legal actions."""
    bare = env.unwrapped if isinstance(env, Wrapper) else env
    return type(bare).legal_actions is not Env.legal_actions


def check_actions(
    space: Space, actions: Any, masks: np.ndarray | None = None, lanes: tuple[int, ...] = ()
) -> np.ndarray:
    """Return actions with the space's dtype, one or `[lanes]`. Raises if one is illegal.

    Real-valued actions may exceed their bounds, as in the references, but not be NaN.
    """
    if isinstance(space, Dict | Tuple):
        return _check_parts(space, actions, lanes)
    if isinstance(space, DiscreteTuple) and isinstance(actions, tuple):
        actions = np.stack([np.asarray(part) for part in actions], axis=-1)
    values = np.asarray(actions)
    real = space.dtype.kind == "f"
    if values.shape != (*lanes, *space.shape) or values.dtype.kind not in ("iuf" if real else "iu"):
        many = f" for each of {lanes[0]} environments" if lanes else ""
        raise EnvwrightError(f"illegal action {actions!r}; pass an element of {space}{many}")
    known = ~np.isnan(values) if real else _in_bounds(space, values)
    known = known.all(axis=tuple(range(len(lanes), values.ndim)))
    if not known.all():
        wrong = values[tuple(np.argwhere(~known)[0])] if lanes else values
        raise EnvwrightError(f"illegal action {wrong}; pass an element of {space}")
    if masks is not None and isinstance(space, Discrete):
        numbers = (values - space.start)[..., None].astype(np.int64)
        allowed = np.take_along_axis(masks, numbers, axis=-1)[..., 0]
        if not allowed.all():
            lane: tuple[Any, ...] = tuple(np.argwhere(~allowed)[0]) if lanes else ()
            legal = ", ".join(map(str, space.start + np.flatnonzero(masks[lane])))
            where = f" in environment {lane[0]}" if lanes else ""
            raise EnvwrightError(f"illegal action {values[lane]}{where}; legal here: {legal}")
    return values.astype(space.dtype)


def _check_parts(space: Dict | Tuple, actions: Any, lanes: tuple[int, ...]) -> Any:
    """Check an action of several parts; a batch holds arrays of all lanes in each part."""
    if isinstance(space, Dict):
        if not isinstance(actions, dict) or actions.keys() != space.spaces.keys():
            raise EnvwrightError(f"illegal action {actions!r}; pass an element of {space}")
        return {k: check_actions(s, actions[k], None, lanes) for k, s in space.spaces.items()}
    if not isinstance(actions, tuple) or len(actions) != len(space.spaces):
        raise EnvwrightError(f"illegal action {actions!r}; pass an element of {space}")
    pairs = zip(space.spaces, actions, strict=True)
    return tuple(check_actions(part, action, None, lanes) for part, action in pairs)


def _in_bounds(space: Space, values: np.ndarray) -> np.ndarray:
    if isinstance(space, Box):
        return (values >= space.low) & (values <= space.high)
    if isinstance(space, MultiBinary):
        return (values == 0) | (values == 1)
    limit = space.n if isinstance(space, Discrete) else np.asarray(space.nvec)  # type: ignore[attr-defined]
    above = values - np.asarray(space.start)  # type: ignore[attr-defined]
    return (above >= 0) & (above < limit)


def to_numpy(tree: Any) -> Any:
    """Return writable arrays; convert numbers to NumPy scalars and bools to Python's."""

    def convert(leaf: Any) -> Any:
        array = np.array(leaf)
        if array.ndim:
            return array
        return bool(array) if array.dtype == bool else array[()]

    return jax.tree.map(convert, tree)


def of_space(space: gymnasium.Space, value: Any) -> Any:
    """Return new NumPy arrays with the dtypes of a Gymnasium space."""
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: of_space(inner, value[key]) for key, inner in space.spaces.items()}
    if isinstance(space, gymnasium.spaces.Tuple):  # a tuple, or one vector of whole numbers
        parts = value if isinstance(value, tuple) else np.moveaxis(np.asarray(value), -1, 0)
        return tuple(map(of_space, space.spaces, parts))
    array = np.array(value, dtype=space.dtype)
    return array if array.ndim or isinstance(space, gymnasium.spaces.Box) else array[()]


def views_and_masks(env: Env, state: Any) -> dict[str, Any]:
    """Return the views and legal actions of every player: `[players, …]`."""
    players = range(env.num_players)
    views = [env.observe(state, player) for player in players]
    masks = [env.legal_actions(state, player) for player in players]
    seen = {"views": jax.tree.map(lambda *v: jnp.stack(v), *views), "masks": jnp.stack(masks)}
    if not env.simultaneous:
        seen["mover"] = env.current_player(state)
    return seen
