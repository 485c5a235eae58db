"""Our engine behind the interface of comparisons: on NumPy, and compiled by JAX."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.pokemon import battle
from envwright.zoo.pokemon.effects.compile import rules
from envwright.zoo.pokemon.roster import Roster
from envwright.zoo.pokemon.start import fresh
from envwright.zoo.pokemon.state import State

_BITS = (1 << np.arange(battle.ACTIONS)).astype(np.int64)


class NumpyEngine:
    """The engine on NumPy: without compilation, for a few battles."""

    def __init__(self) -> None:
        self.rules = rules()

    def begin(self, generators: np.ndarray, first: Roster, second: Roster) -> State:
        """B battles up to their first request."""
        return battle.begin(np, self.rules, fresh(generators, first, second))

    def step(self, state: State, actions: np.ndarray) -> State:
        """Both players' choices, int32[2, B]."""
        return battle.step(np, self.rules, state, actions)

    def masks(self, state: State) -> np.ndarray:
        """int64[2, B], a bit for each legal action."""
        return bits(battle.legal_actions(np, self.rules, state))


class JaxEngine:
    """The same rules in one compiled program, with the same number of lanes each time."""

    lanes = 512  # another number would compile another program, which takes minutes

    def __init__(self) -> None:
        import jax
        import jax.numpy as jnp

        self.rules = jax.tree.map(jnp.asarray, rules())
        self._step = jax.jit(lambda r, s, a: battle.step(jnp, r, s, a))
        self._legal = jax.jit(lambda r, s: battle.legal_actions(jnp, r, s))

    def begin(self, generators: np.ndarray, first: Roster, second: Roster) -> State:
        """B battles up to their first request."""
        waits = np.full((2, generators.shape[-1]), battle.WAIT, np.int32)
        return self.step(fresh(generators, first, second), waits)

    def step(self, state: State, actions: np.ndarray) -> State:
        """Both players' choices, int32[2, B]."""
        return self._step(self.rules, state, actions)

    def masks(self, state: State) -> np.ndarray:
        """int64[2, B], a bit for each legal action."""
        return bits(self._legal(self.rules, state))


def bits(legal: Any) -> np.ndarray:
    """Pack bool[2, 14, B] into a word for each player and battle."""
    return np.tensordot(_BITS, np.asarray(legal).astype(np.int64), axes=(0, 1))
