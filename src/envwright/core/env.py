"""The Env protocol: pure functions on a state, ready for jit, vmap and scan.

A room of the zoo writes the game (`draw_start`, `start`, `transition`, `observe`); what
a training loop calls (`reset`, `step`, and their `_batch` forms) follows from it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Generic, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike
from typing_extensions import TypeVar

from envwright.core.spaces import Space

State = TypeVar("State", default=Any)
Params = TypeVar("Params", default=Any)
Noise = Any
Obs = Any


class Step(NamedTuple):
    """The outcome of a step; it unpacks as six values, as in gymnax 1.x."""

    obs: Obs
    state: Any
    reward: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    info: dict[str, Any]

    @property
    def done(self) -> jax.Array:
        """Whether the episode is over, for either reason."""
        return self.terminated | self.truncated


def select(condition: ArrayLike, yes: Any, no: Any) -> Any:
    """Choose between two whole pytrees, lane by lane; `condition` has the leading axes."""

    def pick(a: Any, b: Any) -> jax.Array:
        trailing = (1,) * (jnp.ndim(a) - jnp.ndim(condition))
        return jnp.where(jnp.reshape(condition, jnp.shape(condition) + trailing), a, b)

    return jax.tree.map(pick, yes, no)


def is_one_key(keys: jax.Array) -> bool:
    """Return whether this is one random key, typed or raw uint32, rather than a batch of keys."""
    typed = jax.dtypes.issubdtype(keys.dtype, jax.dtypes.prng_key)
    return jnp.ndim(keys) == (0 if typed else 1)


def typed(key: Any) -> Any:
    """A random key as a typed one, whose draws are the same: a game sees one kind only."""
    if key is None or jax.dtypes.issubdtype(key.dtype, jax.dtypes.prng_key):
        return key  # None serves where nothing is drawn
    return jax.random.wrap_key_data(key)


def lane_keys(keys: jax.Array, lanes: jax.Array) -> jax.Array:
    """Return the keys of some lanes: from `keys[B]`, or derived from one key for the batch."""
    if is_one_key(keys):
        return jax.vmap(jax.random.fold_in, (None, 0))(keys, lanes)
    return keys[lanes]


def all_lane_keys(keys: jax.Array, states: Any) -> jax.Array:
    """Return one key for each lane of `states[B]`; `keys[B]` are returned unchanged."""
    return lane_keys(keys, jnp.arange(count_lanes(states))) if is_one_key(keys) else keys


def count_lanes(states: Any) -> int:
    """Return the B of `states[B]`."""
    return jax.tree.leaves(states)[0].shape[0]


class Env(Generic[State, Params]):
    """An environment.

    Subclasses set `id`, `version` and `default_params`, and write `draw_start`, `start`,
    `transition`, `observe` and the two spaces. Chance is split from dynamics (`draw…`
    from `start` and `transition`) so that a reference's own draws can be fed in; an
    environment that carries the reference's generator in its state draws nothing.

    Games with several players say how these move: in turn (`simultaneous = False`, the
    state has a field `current_player`, the action is one integer) or at once
    (`simultaneous = True`, actions are `int32[num_players]`, a waiting player sends
    `noop`). They pay `reward[num_players]`.
    """

    id: str
    version: int
    restarts: bool = False  # `transition` itself begins the next episode where one terminates
    num_players: int = 1
    simultaneous: bool = False
    noop: int = 0
    default_params: Params

    # --- the game: written by a room -------------------------------------------------

    def draw_start(self, key: jax.Array, params: Params) -> Noise:
        """Draw the random numbers that `start` needs."""
        raise NotImplementedError

    def start(self, noise: Noise, params: Params) -> State:
        """Return the first state of an episode, given its random numbers."""
        raise NotImplementedError

    def draw(self, key: jax.Array, state: State, action: Any, params: Params) -> Noise:
        """Draw the random numbers that `transition` needs; none by default."""
        return None

    def transition(
        self, state: State, action: Any, noise: Noise, params: Params
    ) -> tuple[State, jax.Array, jax.Array, dict[str, Any]]:
        """Return next state, reward, terminated and info, without reset or time limit."""
        raise NotImplementedError

    def observe(self, state: State, player: Any = 0) -> Obs:
        """Return what a player sees of a state."""
        raise NotImplementedError

    def observation_space(self, params: Params | None = None) -> Space:
        """Return the space of the observations."""
        raise NotImplementedError

    def action_space(self, params: Params | None = None) -> Space:
        """Return the space of one player's actions."""
        raise NotImplementedError

    def time_is_up(self, state: State, params: Params) -> jax.Array:
        """Return whether a time limit ends the episode here; never by default."""
        return jnp.bool_(False)

    def legal_actions(self, state: State, player: Any = 0) -> jax.Array:
        """Return the actions that a player may take, bool[A]; all of them by default."""
        return jnp.ones(self.action_space(self.default_params).n, bool)  # type: ignore[attr-defined]

    def current_player(self, state: State) -> jax.Array:
        """Return whose turn it is, int32[]; only for games in turn."""
        return state.current_player  # type: ignore[attr-defined]

    # --- one lane: follows from the game ---------------------------------------------

    def reset_env(self, key: jax.Array, params: Params) -> tuple[Obs, State]:
        """A fresh start."""
        state = self.start(self.draw_start(typed(key), params), params)
        return self.view(state), state

    def step_env(
        self, key: jax.Array, state: State, action: Any, params: Params
    ) -> tuple[Obs, State, jax.Array, jax.Array, dict[str, Any]]:
        """One step of the bare game: no reset, no time limit."""
        noise = self.draw(typed(key), state, action, params)
        following, reward, terminated, info = self.transition(state, action, noise, params)
        return self.view(following), following, reward, terminated, info

    def advance(
        self, key: jax.Array, state: State, action: Any, params: Params | None = None
    ) -> Step:
        """Take a step with the time limit but without reset: the state stays where it ended."""
        params = self.default_params if params is None else params
        obs, following, reward, terminated, info = self.step_env(key, state, action, params)
        truncated = self.time_is_up(following, params) & ~terminated
        return Step(
            obs, following, reward, terminated, truncated, {**info, "final_observation": obs}
        )

    def reset(self, key: jax.Array, params: Params | None = None) -> tuple[Obs, State]:
        """Start an episode, with the default parameters unless given."""
        return self.reset_env(key, self.default_params if params is None else params)

    def step(self, key: jax.Array, state: State, action: Any, params: Params | None = None) -> Step:
        """Take a step; where the episode ends, `obs` and `state` are those of a fresh start.

        The observation that ended the episode stays in `info["final_observation"]`, unless the
        game itself went on to the next (`restarts`).
        """
        params = self.default_params if params is None else params
        k_step, k_reset = jax.random.split(key)
        after = self.advance(k_step, state, action, params)
        if self.restarts and type(self).time_is_up is Env.time_is_up:
            return after  # nothing is left to do
        fresh = self.reset_env(k_reset, params)
        cut = after.truncated if self.restarts else after.done
        obs, following = select(cut, fresh, (after.obs, after.state))
        return after._replace(obs=obs, state=following)

    # --- whole batches: a room may override for layout or cheap resets -----------------

    def reset_batch(self, keys: jax.Array, params: Params | None = None) -> tuple[Obs, State]:
        """`reset` for `keys[B]`."""
        return jax.vmap(partial(self.reset, params=params))(keys)

    def step_batch(
        self, keys: jax.Array, states: State, actions: Any, params: Params | None = None
    ) -> Step:
        """`step` for `states[B]` and `actions[B]`, with `keys[B]` or one key for the batch.

        One key is cheaper where few lanes draw: `AutoReset` then makes the keys of only
        the lanes that start anew, instead of B keys at every step.
        """
        keys = all_lane_keys(keys, states)
        return jax.vmap(partial(self.step, params=params))(keys, states, actions)

    # --- for people and adapters -------------------------------------------------------

    @property
    def name(self) -> str:
        """Id and version, for instance `cartpole-v1`."""
        return f"{self.id}-v{self.version}"

    def render(self, state: State) -> np.ndarray:
        """Draw a state as a picture, uint8[height, width, 3]."""
        raise NotImplementedError(f"{self.name} has no picture")

    def view(self, state: State) -> Obs:
        """Return the `obs` of a step: all views if players move at once, else the mover's."""
        if self.num_players == 1:
            return self.observe(state)
        if self.simultaneous:
            views = [self.observe(state, player) for player in range(self.num_players)]
            return jax.tree.map(lambda *v: jnp.stack(v), *views)
        return self.observe(state, self.current_player(state))
