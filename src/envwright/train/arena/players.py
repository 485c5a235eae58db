"""Players of an arena: random, scripted by the room, or trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.train.policy import Policies
from envwright.train.ppo import View

Eyes = Callable[[Any], Any]  # from a table's observation to the one that an agent was trained on


class RandomPlayer:
    """A player that draws legal actions uniformly."""

    name = "random"

    def sit_down(self, games: int) -> None:
        """Nothing to forget."""

    def act(self, obs: Any, legal: np.ndarray, asked: np.ndarray, words: np.ndarray) -> np.ndarray:
        upto = np.cumsum(legal, -1, dtype=np.uint64)
        drawn = words.astype(np.uint64) * upto[:, -1] >> np.uint64(32)
        return np.argmax(upto > drawn[:, None], -1)


class ScriptedPlayer:
    """A scripted player: `answer(obs, legal, words)` for the games in which it is asked."""

    def __init__(self, name: str, answer: Callable[..., np.ndarray]) -> None:
        self.name, self.answer = name, answer

    def sit_down(self, games: int) -> None:
        """Nothing to forget."""

    def act(self, obs: Any, legal: np.ndarray, asked: np.ndarray, words: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(asked), np.int64)
        some = jax.tree.map(lambda x: np.asarray(x)[asked], obs)
        actions[asked] = self.answer(some, legal[asked], words[asked])
        return actions


class PolicyPlayer:
    """A trained agent that samples its action or takes the likeliest one."""

    def __init__(
        self,
        name: str,
        policies: Policies,
        index: int = 0,
        greedy: bool = False,
        eyes: Eyes = lambda obs: obs,
    ) -> None:
        self.name, self.eyes = name, eyes
        self._ppo, self._agent = policies.ppo, policies.one(index)
        self._greedy = greedy
        self._act = jax.jit(self._choose)

    def sit_down(self, games: int) -> None:
        self._hidden = self._ppo.first_hidden(games)
        self._starts = np.ones(games, bool)

    def act(self, obs: Any, legal: np.ndarray, asked: np.ndarray, words: np.ndarray) -> np.ndarray:
        may = legal | ~asked[:, None]  # sampling needs a legal action in every lane
        given = self.eyes(obs), may, asked, jnp.uint32(words[0])
        self._hidden, action = self._act(self._agent, self._hidden, self._starts, *given)
        self._starts = self._starts & ~asked
        return np.asarray(action)

    def _choose(
        self, agent: Any, hidden: Any, starts: Any, obs: Any, legal: Any, asked: Any, word: Any
    ) -> tuple[Any, jax.Array]:
        after, choice = self._ppo.act(
            agent, hidden, View(obs, legal), starts, jax.random.key(word), greedy=self._greedy
        )
        if hidden is not None:
            after = jnp.where(asked[:, None], after, hidden)
        return after, self._ppo.for_environment(choice.action)
