"""Wrappers: auto-reset by strategy, a time limit, episode statistics.

A wrapper is an Env around an Env. `TimeLimit` changes the game itself; `AutoReset` and
`EpisodeStatistics` change what a training loop calls (`step`, `step_batch`), so they
stand outside it: `EpisodeStatistics(AutoReset(TimeLimit(env, 200), "compact"))`.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jax import lax

from envwright.core.env import (
    Env,
    Obs,
    Step,
    all_lane_keys,
    count_lanes,
    is_one_key,
    lane_keys,
    select,
)
from envwright.core.pytree import pytree_dataclass
from envwright.errors import EnvwrightError

Strategy = Literal["inline", "compact", "pool"]


class Wrapper(Env):
    """An environment that passes everything on to the one inside.

    A wrapper whose states hold more than the states inside says so in `inner`.
    """

    def __init__(self, env: Env) -> None:
        self.env = env
        self.id, self.version, self.restarts = env.id, env.version, env.restarts
        self.num_players, self.simultaneous = env.num_players, env.simultaneous
        self.noop = env.noop
        self.default_params = env.default_params

    @property
    def unwrapped(self) -> Env:
        """The environment inside all wrappers."""
        return self.env.unwrapped if isinstance(self.env, Wrapper) else self.env

    def inner(self, state: Any) -> Any:
        """The state of the environment inside."""
        return state

    def draw_start(self, key: jax.Array, params: Any) -> Any:
        return self.env.draw_start(key, params)

    def start(self, noise: Any, params: Any) -> Any:
        return self.env.start(noise, params)

    def draw(self, key: jax.Array, state: Any, action: Any, params: Any) -> Any:
        return self.env.draw(key, state, action, params)

    def transition(self, state: Any, action: Any, noise: Any, params: Any) -> Any:
        return self.env.transition(state, action, noise, params)

    def observe(self, state: Any, player: Any = 0) -> Obs:
        return self.env.observe(self.inner(state), player)

    def observation_space(self, params: Any = None) -> Any:
        return self.env.observation_space(params)

    def action_space(self, params: Any = None) -> Any:
        return self.env.action_space(params)

    def time_is_up(self, state: Any, params: Any) -> jax.Array:
        return self.env.time_is_up(self.inner(state), params)

    def legal_actions(self, state: Any, player: Any = 0) -> jax.Array:
        return self.env.legal_actions(self.inner(state), player)

    def current_player(self, state: Any) -> jax.Array:
        return self.env.current_player(self.inner(state))

    def reset_env(self, key: jax.Array, params: Any) -> tuple[Obs, Any]:
        return self.env.reset_env(key, params)

    def step_env(self, key: jax.Array, state: Any, action: Any, params: Any) -> Any:
        return self.env.step_env(key, state, action, params)

    def advance(self, key: jax.Array, state: Any, action: Any, params: Any = None) -> Step:
        return self.env.advance(key, state, action, params)

    def reset(self, key: jax.Array, params: Any = None) -> tuple[Obs, Any]:
        return self.env.reset(key, params)

    def step(self, key: jax.Array, state: Any, action: Any, params: Any = None) -> Step:
        return self.env.step(key, state, action, params)

    def reset_batch(self, keys: jax.Array, params: Any = None) -> tuple[Obs, Any]:
        return self.env.reset_batch(keys, params)

    def step_batch(self, keys: jax.Array, states: Any, actions: Any, params: Any = None) -> Step:
        return self.env.step_batch(keys, states, actions, params)

    def render(self, state: Any) -> Any:
        return self.env.render(self.inner(state))

    def view(self, state: Any) -> Obs:
        return self.env.view(self.inner(state))

    def _goes_inside(self, *others: type[Wrapper]) -> None:
        """Reject a wrapper inside that belongs outside this one."""
        if isinstance(self.env, others):
            ours, theirs = type(self).__name__, type(self.env).__name__
            raise EnvwrightError(f"{ours} goes inside {theirs}: {theirs}({ours}(env, …))")


@pytree_dataclass
class Pooled:
    """A batch of states with one fresh start in store for each lane."""

    states: Any  # [B, …]
    spares: Any  # [B, …], states
    spent: jax.Array  # bool[B], the lane's spare has been used


class AutoReset(Wrapper):
    """Auto-reset with a strategy, since a fresh start on every lane and step is expensive.

    - `inline`: every lane draws a start at every step and most throw it away.
    - `compact`: starts are made only for the lanes that ended, `size` at a time.
    - `pool`: one start per lane is kept in store; all are drawn anew when some lane
      asks a second time. States are `Pooled`; the cheapest for small environments.

    All give fresh starts: none is handed out twice. The strategies differ in cost and in which
    random numbers they draw, not in distribution. They concern `reset_batch` and `step_batch`; a
    single lane is always `inline`. Give `step_batch` one key for the batch, not `keys[B]`, and
    `compact` and `pool` draw nothing for lanes that go on.
    """

    def __init__(self, env: Env, strategy: Strategy = "inline", size: int = 32) -> None:
        super().__init__(env)
        self._goes_inside(AutoReset, EpisodeStatistics)
        if strategy not in ("inline", "compact", "pool"):
            raise EnvwrightError(
                f"unknown auto-reset strategy {strategy!r}; use inline, compact or pool"
            )
        if size < 1:
            raise EnvwrightError(f"auto-reset size must be at least 1, not {size}")
        # An environment that restarts by itself leaves nothing to do.
        self.strategy: Strategy = "inline" if env.restarts else strategy
        self.size = size

    def inner(self, state: Any) -> Any:
        return state.states if isinstance(state, Pooled) else state

    def reset_batch(self, keys: jax.Array, params: Any = None) -> tuple[Obs, Any]:
        obs, states = self.env.reset_batch(keys, params)
        if self.strategy != "pool":
            return obs, states
        # A copy, so that a caller may donate the whole state.
        spares = jax.tree.map(jnp.copy, states)
        return obs, Pooled(states, spares, spent=jnp.ones(count_lanes(states), bool))

    def step_batch(self, keys: jax.Array, states: Any, actions: Any, params: Any = None) -> Step:
        params = self.default_params if params is None else params
        if self.strategy == "inline":
            return self.env.step_batch(keys, states, actions, params)
        k_step, k_reset = self._split(keys)
        inner = self.inner(states)
        advance = partial(self.env.advance, params=params)
        after = jax.vmap(advance)(all_lane_keys(k_step, inner), inner, actions)
        if self.strategy == "compact":
            return self._restart_compact(k_reset, after, params)
        return self._restart_from_pool(k_reset, after, states, params)

    @staticmethod
    def _split(keys: jax.Array) -> Any:
        """Keys to step and keys to restart with: one of each, or B of each, as given."""
        if is_one_key(keys):
            return jax.random.split(keys)
        return jnp.moveaxis(jax.vmap(jax.random.split)(keys), 1, 0)

    def _restart_compact(self, keys: jax.Array, after: Step, params: Any) -> Step:
        lanes = count_lanes(after.state)
        size = min(self.size, lanes)

        def some_left(carry: Any) -> jax.Array:
            return jnp.any(carry[0])

        def restart_some(carry: Any) -> Any:
            pending, current = carry
            (which,) = jnp.nonzero(pending, size=size, fill_value=lanes)
            fresh = jax.vmap(self.env.reset_env, (0, None))(lane_keys(keys, which), params)
            put = lambda whole, new: whole.at[which].set(new, mode="drop")  # noqa: E731
            return pending.at[which].set(False, mode="drop"), jax.tree.map(put, current, fresh)

        _, (obs, states) = lax.while_loop(
            some_left, restart_some, (after.done, (after.obs, after.state))
        )
        return after._replace(obs=obs, state=states)

    def _restart_from_pool(self, keys: jax.Array, after: Step, pool: Pooled, params: Any) -> Step:
        done = after.done

        def refill(_: Any) -> Any:
            each = all_lane_keys(keys, pool.spares)  # in here, so that no other step pays
            _, states = jax.vmap(self.env.reset_env, (0, None))(each, params)
            return states, jnp.zeros_like(done)

        def keep(stock: Any) -> Any:
            return stock

        empty = jnp.any(done & pool.spent)
        spares, spent = lax.cond(empty, refill, keep, (pool.spares, pool.spent))
        states = select(done, spares, after.state)
        # Computed again rather than stored: a view costs less than a second set of
        # observations moved through memory at every step.
        obs = jax.vmap(self.env.view)(states)
        return after._replace(obs=obs, state=Pooled(states, spares, spent | done))


@pytree_dataclass
class Timed:
    """A state with the number of steps since its start."""

    state: Any
    elapsed: jax.Array  # int32[]


class TimeLimit(Wrapper):
    """Truncates after `max_steps`, in addition to any limit of the environment."""

    # The limit is part of the game, so these follow from the game as they do in Env.
    advance, reset, step = Env.advance, Env.reset, Env.step
    reset_batch, step_batch = Env.reset_batch, Env.step_batch

    def __init__(self, env: Env, max_steps: int) -> None:
        super().__init__(env)
        self._goes_inside(AutoReset, EpisodeStatistics)
        if max_steps < 1:
            raise EnvwrightError(f"a time limit must be at least 1 step, not {max_steps}")
        self.max_steps = max_steps
        self.restarts = False  # only this wrapper restarts where the limit ends an episode

    def inner(self, state: Timed) -> Any:
        return state.state

    def start(self, noise: Any, params: Any) -> Timed:
        return Timed(self.env.start(noise, params), jnp.int32(0))

    def draw(self, key: jax.Array, state: Timed, action: Any, params: Any) -> Any:
        return self.env.draw(key, state.state, action, params)

    def transition(self, state: Timed, action: Any, noise: Any, params: Any) -> Any:
        following, *outcome = self.env.transition(state.state, action, noise, params)
        return Timed(following, state.elapsed + 1), *outcome

    def time_is_up(self, state: Timed, params: Any) -> jax.Array:
        return (state.elapsed >= self.max_steps) | self.env.time_is_up(state.state, params)

    def reset_env(self, key: jax.Array, params: Any) -> tuple[Obs, Timed]:
        obs, state = self.env.reset_env(key, params)
        return obs, Timed(state, jnp.int32(0))

    def step_env(self, key: jax.Array, state: Timed, action: Any, params: Any) -> Any:
        obs, following, *outcome = self.env.step_env(key, state.state, action, params)
        return obs, Timed(following, state.elapsed + 1), *outcome


@pytree_dataclass
class Counted:
    """A state with the running and the last completed episode's return and length."""

    state: Any
    episode_return: jax.Array  # float[] or float[players]
    episode_length: jax.Array  # int32[]
    last_return: jax.Array  # as episode_return
    last_length: jax.Array  # int32[]


class EpisodeStatistics(Wrapper):
    """Adds return and length of the last completed episode to `info`.

    Keys are those that PureJaxRL loops read: `returned_episode_returns`,
    `returned_episode_lengths`, `returned_episode`.
    """

    def inner(self, state: Counted) -> Any:
        return state.state

    def advance(self, key: jax.Array, state: Counted, action: Any, params: Any = None) -> Step:
        return self._counted(state, self.env.advance(key, state.state, action, params))

    def reset(self, key: jax.Array, params: Any = None) -> tuple[Obs, Counted]:
        obs, state = self.env.reset(key, params)
        return obs, self._count_from_zero(state, ())

    def reset_batch(self, keys: jax.Array, params: Any = None) -> tuple[Obs, Counted]:
        obs, states = self.env.reset_batch(keys, params)
        return obs, self._count_from_zero(states, keys.shape[:1])

    def step(self, key: jax.Array, state: Counted, action: Any, params: Any = None) -> Step:
        return self._counted(state, self.env.step(key, state.state, action, params))

    def step_batch(
        self, keys: jax.Array, states: Counted, actions: Any, params: Any = None
    ) -> Step:
        return self._counted(states, self.env.step_batch(keys, states.state, actions, params))

    def _count_from_zero(self, state: Any, lanes: tuple[int, ...]) -> Counted:
        players = () if self.num_players == 1 else (self.num_players,)
        nothing, zero = jnp.zeros(lanes + players), jnp.zeros(lanes, jnp.int32)
        return Counted(state, nothing, zero, nothing, zero)

    def _counted(self, before: Counted, step: Step) -> Step:
        total = before.episode_return + step.reward
        length = before.episode_length + 1
        zeros = (jnp.zeros_like(total), jnp.zeros_like(length))
        running = select(step.done, zeros, (total, length))
        last = select(step.done, (total, length), (before.last_return, before.last_length))
        info = {
            **step.info,
            "returned_episode_returns": last[0],
            "returned_episode_lengths": last[1],
            "returned_episode": step.done,
        }
        return step._replace(state=Counted(step.state, *running, *last), info=info)


def has_picture(env: Env) -> bool:
    """Return whether the room can draw its states."""
    bare = env.unwrapped if isinstance(env, Wrapper) else env
    return type(bare).render is not Env.render
