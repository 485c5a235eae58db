"""Tables: many games of one kind between two players, one decision in each at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.env import Env, select
from envwright.errors import EnvwrightError


class Player(Protocol):
    """A player of any number of games at once."""

    name: str

    def sit_down(self, games: int) -> None:
        """Start new games; forget the old ones."""
        ...

    def act(self, obs: Any, legal: np.ndarray, asked: np.ndarray, words: np.ndarray) -> np.ndarray:
        """Return an action, int[B], in each game in which it is `asked` (bool[B]); any elsewhere.

        `words` (uint32[B]) are for chance.
        """
        ...


class Table(Protocol):
    """B games of two players in turn. A seed fixes the start and chance of a game."""

    def begin(self, seeds: Sequence[int]) -> None:
        """Start a game for each seed."""
        ...

    def look(self) -> tuple[Any, np.ndarray]:
        """Return the movers' observations, `[B, …]`, and legal actions, bool[B, actions]."""
        ...

    def movers(self) -> np.ndarray:
        """Return the player who decides, int[B]."""
        ...

    def play(self, actions: np.ndarray) -> None:
        """Play one decision in each game; games that are over stay as they are."""
        ...

    @property
    def over(self) -> np.ndarray:
        """Return which games are over, bool[B]."""
        ...

    @property
    def rewards(self) -> np.ndarray:
        """Return the rewards of each game so far, float[B, 2]."""
        ...


class EnvTable:
    """A table of a JAX environment of two players in turn."""

    def __init__(self, env: Env) -> None:
        if env.num_players != 2 or env.simultaneous:
            raise EnvwrightError(
                f"{env.name} is not a game of two players in turn; ratings are for such games"
            )
        self.env = env
        self._begin = jax.jit(jax.vmap(self._fresh))
        self._play = jax.jit(jax.vmap(self._step))
        self._look = jax.jit(jax.vmap(self._seen))

    def begin(self, seeds: Sequence[int]) -> None:
        words = np.array([[seed >> 32, seed & 0xFFFFFFFF] for seed in seeds], np.uint32)
        self._keys, self._states = self._begin(jax.random.wrap_key_data(jnp.asarray(words)))
        self._over = np.zeros(len(seeds), bool)
        self._rewards = np.zeros((len(seeds), 2))

    def look(self) -> tuple[Any, np.ndarray]:
        obs, legal, self._movers = jax.tree.map(np.asarray, self._look(self._states))
        return obs, legal

    def movers(self) -> np.ndarray:
        return self._movers

    def play(self, actions: np.ndarray) -> None:
        given = jnp.asarray(actions, jnp.int32)
        going = jnp.asarray(~self._over)
        self._keys, self._states, reward, done = self._play(self._keys, self._states, given, going)
        self._rewards += np.where(self._over[:, None], 0.0, np.asarray(reward))
        self._over = self._over | np.asarray(done)

    @property
    def over(self) -> np.ndarray:
        return self._over

    @property
    def rewards(self) -> np.ndarray:
        return self._rewards

    def _fresh(self, key: jax.Array) -> Any:
        key, k_start = jax.random.split(key)
        return key, self.env.reset_env(k_start, self.env.default_params)[1]

    def _step(self, key: jax.Array, state: Any, action: jax.Array, going: jax.Array) -> Any:
        key, k_step = jax.random.split(key)
        after = self.env.advance(k_step, state, action)
        return key, select(going, after.state, state), after.reward, after.done

    def _seen(self, state: Any) -> Any:
        mover = self.env.current_player(state)
        return self.env.observe(state, mover), self.env.legal_actions(state, mover), mover


def play_out(table: Table, players: Sequence[Player], seats: np.ndarray, words: Any) -> np.ndarray:
    """Play all games of a table to their ends; return the scores of `players[0]`, float[B].

    `seats[b]` is the seat of `players[0]` in game b; `words` is a generator of NumPy.
    """
    for player in players:
        player.sit_down(len(seats))
    draw = partial(words.integers, 0, 2**32, len(seats), np.uint32)
    while not table.over.all():
        obs, legal = table.look()
        going = ~table.over
        mine = table.movers() == seats
        actions = np.zeros(len(seats), np.int64)
        for player, asked in zip(players, (going & mine, going & ~mine), strict=True):
            chance = draw()
            if asked.any():
                actions = np.where(asked, player.act(obs, legal, asked, chance), actions)
        table.play(actions)
    lanes = np.arange(len(seats))
    mine, other = table.rewards[lanes, seats], table.rewards[lanes, 1 - seats]
    return np.where(mine > other, 1.0, np.where(mine < other, 0.0, 0.5))
