"""Battles of the environment in a batch: lanes in the last axis, as in the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core.arrays import Array
from envwright.core.pytree import pytree_dataclass
from envwright.zoo.pokemon import battle, knowledge, observe
from envwright.zoo.pokemon.knowledge import Known
from envwright.zoo.pokemon.roster import Roster
from envwright.zoo.pokemon.start import fresh
from envwright.zoo.pokemon.state import State

_BITS = tuple(1 << action for action in range(battle.ACTIONS))


@pytree_dataclass
class BattleState:
    """A battle, what each side has shown, and the legal actions."""

    battle: State
    known: Known
    legal: jax.Array  # int32[2], a bit for each legal action


@pytree_dataclass
class BattleParams:
    """The rules' tables and the teams; traced, so that other tables do not recompile."""

    rules: Any
    pool: Roster


@dataclass(frozen=True)
class BattleBatch:
    """The environment's operations on a batch."""

    engine: Any  # `battle`, or a stand-in for it
    view: str

    def begin(self, params: BattleParams, generators: jax.Array, teams: jax.Array) -> BattleState:
        """Start battles: no Pokemon is out yet, and both can only wait."""
        pool = Roster(*map(jnp.asarray, params.pool))
        start = fresh(generators, pool.pick(teams[0]), pool.pick(teams[1]), jnp)
        lanes = generators.shape[-1]
        waits = jnp.full((2, lanes), 1 << battle.WAIT, jnp.int32)
        return BattleState(start, knowledge.nothing(jnp, lanes), waits)

    def advance(
        self,
        params: BattleParams,
        state: BattleState,
        actions: jax.Array,
        generators: jax.Array,
        teams: jax.Array,
    ) -> tuple[BattleState, jax.Array, jax.Array]:
        """Play both players' choices; a battle that ends is followed by the next."""
        tables = jax.tree.map(jnp.asarray, params.rules)
        after = self.engine.step(jnp, tables, state.battle, actions)
        known = knowledge.look(jnp, state.known, state.battle, after)
        legal = self.engine.legal_actions(jnp, tables, after)
        word = sum(jnp.where(legal[:, a], bit, 0) for a, bit in enumerate(_BITS))
        assert not isinstance(word, int)
        following = BattleState(after, known, word.astype(jnp.int32))
        winner = after.winner.astype(jnp.int32)
        over = winner > 0
        first = jnp.where(winner == 1, 1.0, jnp.where(winner == 2, -1.0, 0.0))
        fresh_ones = self.begin(params, generators, teams)
        following = jax.tree.map(lambda new, old: jnp.where(over, new, old), fresh_ones, following)
        return following, jnp.stack([first, 0.0 - first]).astype(jnp.float32), over

    def observe(self, player: jax.Array | int, state: BattleState) -> Array:
        """Return observations, float32[SIZE, B], for one player or for int32[B]."""
        return observe.observe(jnp, state.battle, state.known, player, self.view)
