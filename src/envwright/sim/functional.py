"""JAX environments as simulators: ours, and gymnax's.

Both are pure functions on a state, so that one step from many states is one compiled
call, and so are whole free-running episodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from typing import Any, NamedTuple

import gymnasium
import jax
import numpy as np

from envwright.core.env import Env
from envwright.core.pytree import named_leaves, with_leaves
from envwright.core.spaces import Dict, Space, Tuple
from envwright.errors import EnvwrightError, MissingPackage
from envwright.sim.action_rows import row_dtype, unflatten_action
from envwright.sim.records import Fields, as_state, flatten, outcome, pad, stack, unstack
from envwright.sim.simulator import Simulator
from envwright.sim.tape import Draw


class FunctionalSimulator(Simulator):
    """A pure `reset(key)`, `advance(key, state, action)` and `observe(state)`.

    `advance` returns (obs, state, reward, terminated, truncated) without reset. With
    `x64`, everything runs inside a scoped float64 context.
    """

    loads = True
    observes = True
    draws_unseen = True  # keys; the state is whole by construction
    _tables = 0  # stepped so far
    _opens_rows = False  # it takes compound actions in parts

    def __init__(
        self,
        name: str,
        reset: Callable[[Any], tuple[Any, Any]],
        advance: Callable[[Any, Any, Any], tuple[Any, ...]],
        observe: Callable[[Any], Any],
        observation_space: gymnasium.Space[Any],
        action_space: gymnasium.Space[Any],
        x64: bool = False,
    ) -> None:
        self.name = name
        self.observation_space, self.action_space = observation_space, action_space
        self._x64 = x64
        self._reset = jax.jit(reset)
        self._advance = jax.jit(advance)
        self._observe = jax.jit(observe)
        # The key of a step is made inside the compiled call: cheaper than splitting outside.
        self._next = jax.jit(lambda key, t, s, a: advance(jax.random.fold_in(key, t), s, a))
        with self._precision():
            self._key, self._time = jax.random.key(0), 0
            _, self._state = self._reset(self._key)
            self._template = jax.tree.map(np.asarray, self._state)

    def reset(self, seed: int) -> Fields:
        with self._precision():
            self._key, self._time = jax.random.key(seed), 0
            obs, self._state = self._reset(self._key)
            return {**_shown(obs), **as_state(self._fields(self._state))}

    def step(self, action: Any) -> Fields:
        with self._precision():
            self._time += 1
            result = self._next(self._key, self._time, self._state, self._cast(action))
            return self._record(result)

    def state(self) -> Fields:
        with self._precision():
            return self._fields(self._state)

    def load(self, state: Fields) -> None:
        with self._precision():
            self._state = self._with(self._template, state)

    def observe(self) -> Fields:
        with self._precision():
            return _shown(self._observe(self._state))

    def starts(self, seed: int, count: int) -> Fields:
        with self._precision():
            keys = jax.random.split(jax.random.key(seed), count)
            obs, states = self._reset_many(keys)
            return {**_shown(obs), **as_state(self._fields(states))}

    def step_many(self, states: Sequence[Fields], actions: Sequence[Any]) -> list[Fields]:
        return unstack(self.step_table(states, actions))

    def step_table(self, states: Sequence[Fields], actions: Sequence[Any]) -> Fields:
        """Take one step from each state, in one compiled call; return a table."""
        return self._batched(self._advance_many, states, np.stack([np.asarray(a) for a in actions]))

    def sample_table(self, state: Fields, action: Any, count: int, seed: int) -> Fields:
        """Return `count` independent outcomes of one action from one state, as a table."""
        with self._precision():
            keys = jax.random.split(jax.random.key(seed), count)
            start = self._with(self._template, state)
            return self._table(self._advance_keys(keys, start, self._cast(action)))

    def run_table(self, starts: Sequence[Fields], actions: np.ndarray) -> Fields:
        """Play whole episodes from `starts[N]` under `actions[N, T]`; return a table `[N, T, …]`.

        Nothing resets: ignore the rows after an end.
        """
        return self._batched(self._run_many, starts, actions)

    def _batched(self, many: Callable[..., Any], states: Sequence[Fields], moves: Any) -> Fields:
        count = len(states)
        size = 1 << max(0, count - 1).bit_length()  # few batch sizes, few compilations
        with self._precision():
            batch = (self._stacked(states), self._cast(moves))
            self._tables += 1
            result = many(self._key, self._tables, *jax.tree.map(partial(pad, size=size), batch))
            return {k: v[:count] for k, v in self._table(result).items()}

    # --- compiled ------------------------------------------------------------------------

    @cached_property
    def _reset_many(self) -> Callable[..., Any]:
        return jax.jit(jax.vmap(self._reset))

    @cached_property
    def _advance_many(self) -> Callable[..., Any]:
        return jax.jit(table_of(jax.vmap(self._advance)))

    @cached_property
    def _advance_keys(self) -> Callable[..., Any]:
        return jax.jit(jax.vmap(self._advance, (0, None, None)))

    @cached_property
    def _run_many(self) -> Callable[..., Any]:
        return jax.jit(table_of(jax.vmap(episode_of(self._advance))))

    # --- conversions -----------------------------------------------------------------------

    _fields = staticmethod(named_leaves)
    _with = staticmethod(with_leaves)

    def _precision(self) -> AbstractContextManager[Any]:
        return jax.enable_x64(True) if self._x64 else nullcontext()

    def _cast(self, action: Any) -> Any:
        """Return an action in the dtypes that the environment takes; a row as its parts."""
        row = np.asarray(action, row_dtype(self.action_space))
        return _opened(row, self.action_space) if self._opens_rows else _narrow(row)

    def _stacked(self, states: Sequence[Fields]) -> Any:
        whole = jax.tree.map(lambda x: np.stack([x] * len(states)), self._template)
        return self._with(whole, stack(states))

    def _record(self, result: tuple[Any, ...]) -> Fields:
        obs, self._state, reward, terminated, truncated = result
        obs = jax.tree.map(np.asarray, obs)
        state = self._fields(self._state)
        return outcome(obs, np.asarray(reward), terminated, truncated, state)

    def _table(self, result: tuple[Any, ...]) -> Fields:
        obs, states, reward, terminated, truncated = jax.tree.map(np.asarray, result)
        return outcome(obs, reward, terminated, truncated, self._fields(states))


def table_of(many: Callable[..., Any]) -> Callable[..., Any]:
    """Return `many` with a key for each lane of each table.

    Lanes that shared one would all draw alike, and a rare draw would hardly ever be seen.
    """

    def table(key: Any, number: Any, states: Any, actions: Any) -> Any:
        lanes = len(jax.tree.leaves(actions)[0])
        keys = jax.random.split(jax.random.fold_in(key, number), lanes)
        return many(keys, states, actions)

    return table


def episode_of(advance: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a key, a state and `actions[T]` that takes all steps."""

    def episode(key: Any, state: Any, actions: Any) -> Any:
        def tick(carry: Any, action: Any) -> Any:
            state, time = carry
            result = advance(jax.random.fold_in(key, time), state, action)
            return (result[1], time + 1), result

        return jax.lax.scan(tick, (state, 0), actions)[1]

    return episode


class Game(NamedTuple):
    """The pure functions of an environment that are verified."""

    reset: Callable[[Any], tuple[Any, Any]]
    advance: Callable[[Any, Any, Any], tuple[Any, ...]]
    observe: Callable[[Any], Any]
    start_with: Callable[[Any], Any]
    advance_with: Callable[[Any, Any, Any], tuple[Any, ...]]


def game_of(env: Env) -> Game:
    """Return the functions of an environment with its default parameters."""
    params = env.default_params

    def advance(key: Any, state: Any, action: Any) -> tuple[Any, ...]:
        return env.advance(key, state, action, params)[:5]

    def advance_with(state: Any, action: Any, noise: Any) -> tuple[Any, ...]:
        following, reward, terminated, _ = env.transition(state, action, noise, params)
        truncated = env.time_is_up(following, params) & ~terminated
        return env.view(following), following, reward, terminated, truncated

    return Game(
        reset=partial(env.reset_env, params=params),
        advance=advance,
        observe=env.view,
        start_with=lambda noise: env.start(noise, params),
        advance_with=advance_with,
    )


class TapedSimulator(FunctionalSimulator):
    """Functions that can follow a tape of recorded draws."""

    _start_with: Callable[..., Any]  # from noise to a state
    _advance_with: Callable[..., Any]  # from a state, an action and noise to what follows

    follow = FunctionalSimulator._follow

    def reset_with(self, draws: Sequence[Draw]) -> Fields:
        with self._precision():
            self._state = self._start_with(self._start_noise(draws))
            return {**self.observe(), **as_state(self._fields(self._state))}

    def step_with(self, action: Any, draws: Sequence[Draw]) -> Fields:
        if self._step_noise is None:
            return self.step(action)
        with self._precision():
            noise = self._step_noise(draws)
            return self._record(self._advance_with(self._state, self._cast(action), noise))


class EnvwrightSimulator(TapedSimulator):
    """One of our own environments; it can follow a tape of recorded draws."""

    def __init__(self, env: Env, name: str | None = None, *, x64: bool = False) -> None:
        game = game_of(env)
        self.env, self.players = env, env.num_players
        self._opens_rows = isinstance(env.action_space(), Dict | Tuple)
        self._start_with = jax.jit(game.start_with)
        self._advance_with = jax.jit(game.advance_with)
        super().__init__(
            name or f"envwright:{env.name}",
            reset=game.reset,
            advance=game.advance,
            observe=game.observe,
            observation_space=env.observation_space().to_gymnasium(),
            action_space=env.action_space().to_gymnasium(),
            x64=x64,
        )

    def seated(self, masks: bool) -> Simulator:
        """Return the game with all players' views, as PettingZoo games are compared."""
        from envwright.sim.seats import SeatedSimulator

        return SeatedSimulator(self.env, self.name, masks, self._x64)

    def race(self, lanes: int, steps: int, seed: int) -> Fields:
        """Return the last step of a long run of many lanes, as in training."""
        from envwright.sim.race import race

        with self._precision():
            return race(self.env, lanes, steps, seed)

    def profile(self, lanes: int) -> str:
        """Describe where the time of such a run goes."""
        from envwright.sim.profile import profile

        with self._precision():
            return profile(self.env, lanes)


def make_gymnax(env_id: str, /, **options: Any) -> tuple[Any, Any]:
    """Make a gymnax environment and its params. Options set params, or else the constructor's."""
    try:
        import gymnax
    except ModuleNotFoundError as error:
        raise MissingPackage(
            f"gymnax:{env_id} needs the package {error.name!r}; "
            "install it with pip install 'envwright[peers]'"
        ) from error
    if env_id not in gymnax.registered_envs:
        raise EnvwrightError(f"gymnax knows no environment {env_id!r}")
    try:
        _, defaults = gymnax.make(env_id)
        turned = {k: v for k, v in options.items() if hasattr(defaults, k)}
        own = {k: v for k, v in options.items() if k not in turned}
        env, params = gymnax.make(env_id, **own)
        return env, params.replace(**turned)
    except (TypeError, ValueError) as error:
        raise EnvwrightError(f"gymnax:{env_id}: {error}") from error


def open_gymnax(env_id: str, /, dtype: str = "float32", **options: Any) -> FunctionalSimulator:
    """Open `gymnax:ID`: the bare game of a gymnax environment, with its time limit.

    `gymnax:ID?dtype=float64` runs the same code in double precision, where a difference in
    rules cannot hide behind rounding.
    """
    if dtype not in ("float32", "float64"):
        raise EnvwrightError(f"dtype is float32 or float64, not {dtype!r}")
    x64 = dtype == "float64"
    with jax.enable_x64(x64):
        env, params = make_gymnax(env_id, **options)

    def advance(key: Any, state: Any, action: Any) -> tuple[Any, ...]:
        if x64 and action.dtype.kind == "f":
            action = action.astype("float64")  # some environments keep it in their state
        obs, state, reward, terminated, _ = env.step_env(key, state, action, params)
        return obs, state, reward, terminated, env.is_truncated(state, params)

    return FunctionalSimulator(
        f"gymnax:{env_id}",
        reset=lambda key: env.reset_env(key, params),
        advance=advance,
        observe=lambda state: env.observe(jax.random.key(0), state, None, params),
        observation_space=gymnasium_space(env.observation_space(params)),
        action_space=gymnasium_space(env.action_space(params)),
        x64=x64,
    )


def gymnasium_space(space: Any) -> gymnasium.Space[Any]:
    """Convert a gymnax space to one of Gymnasium."""
    if hasattr(space, "n"):
        return gymnasium.spaces.Discrete(int(space.n))
    low = np.broadcast_to(np.asarray(space.low, np.float32), space.shape)
    high = np.broadcast_to(np.asarray(space.high, np.float32), space.shape)
    return gymnasium.spaces.Box(low, high, dtype=np.float32)


def taken_by(space: Space, row: np.ndarray) -> Any:
    """Return the actions of a row as an environment with this action space takes them."""
    compound = isinstance(space, Dict | Tuple)
    return _opened(row, space.to_gymnasium()) if compound else _narrow(row)


def _opened(row: np.ndarray, space: gymnasium.Space[Any]) -> Any:
    return jax.tree.map(_narrow, unflatten_action(row, space))


def _narrow(action: np.ndarray) -> np.ndarray:
    return action.astype(np.int32) if action.dtype.kind in "iu" else action


def _shown(obs: Any) -> Fields:
    return flatten("obs", jax.tree.map(np.asarray, obs))
