"""Pokemon battles as an environment: two players who choose at once.

    env = envwright.make("pokemon")                    # teams of the pool, own view
    env = PokemonBattles(view="public", teams=(mine, yours))

Actions: 0-3 a move, 4-7 the same after terastallizing, 8-12 switch to party slot 1..5, 13 wait,
which is all that a player may do who is not asked. A battle begins with both waiting for the leads
to come out. Winning pays 1 and losing -1; a tie pays 0.

The rules keep lanes in the last axis. A single battle is a batch of one, and a `vmap` over battles
becomes one call with all of them, so that nothing is lost to the usual protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_batching import custom_vmap

from envwright.core.env import Env
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.zoo.pokemon import battle, knowledge, observe, support
from envwright.zoo.pokemon.effects.compile import rules
from envwright.zoo.pokemon.knowledge import Known
from envwright.zoo.pokemon.pool import load_pool
from envwright.zoo.pokemon.roster import Roster, encode
from envwright.zoo.pokemon.start import fresh
from envwright.zoo.pokemon.state import State
from envwright.zoo.pokemon.teams import Team, complete, read

WAIT = battle.WAIT
_BITS = tuple(1 << action for action in range(battle.ACTIONS))


@pytree_dataclass
class BattleState:
    """A battle, what each side has shown, and what may be chosen."""

    battle: State
    known: Known
    legal: jax.Array  # int32[2], a bit for each legal action


@pytree_dataclass
class BattleParams:
    """The rules' tables and the teams; traced, so that other tables need no new program."""

    rules: Any
    pool: Roster


class PokemonBattles(Env[BattleState, BattleParams]):
    """Battles of generation 9 between teams of a pool, or between two given ones."""

    id = "pokemon"
    version = 1
    num_players = 2
    simultaneous = True
    noop = WAIT

    def __init__(
        self, view: str = "own", teams: Sequence[Team | str] | None = None, engine: Any = battle
    ) -> None:
        if view not in observe.VIEWS:
            raise EnvwrightError(f"view is {' or '.join(observe.VIEWS)}, not '{view}'")
        self.seen_as = view
        self.fixed = teams is not None
        roster = load_pool() if teams is None else _given(teams)
        self.teams = roster.species.shape[-1]
        self.default_params = BattleParams(rules(), roster)
        self._begin = _over_lanes(lambda params, *noise: _begun(*noise, params))
        self._step = _over_lanes(_stepped(engine))
        self._observe = _over_lanes(_observed(view))

    def draw_start(self, key: jax.Array, params: BattleParams) -> Any:
        """A generator and the numbers of both teams."""
        k_seed, k_teams = jax.random.split(key)
        generator = jax.random.bits(k_seed, (2,), jnp.uint32)
        if self.fixed:
            return generator, jnp.arange(2, dtype=jnp.int32)
        return generator, jax.random.randint(k_teams, (2,), 0, self.teams, jnp.int32)

    def start(self, noise: Any, params: BattleParams) -> BattleState:
        """Before anyone is out: both wait once, and the leads come.

        So neither a reset nor an automatic one runs the rules, which would be compiled for each.
        """
        return self._begin(params, *noise)

    def transition(
        self, state: BattleState, action: jax.Array, noise: Any, params: BattleParams
    ) -> tuple[BattleState, jax.Array, jax.Array, dict[str, Any]]:
        """Both players have chosen, int32[2]; play on to the next request."""
        following = self._step(params, state, action)
        winner = following.battle.winner.astype(jnp.int32)
        over = winner > 0
        just = over & (state.battle.winner == 0)
        first = jnp.where(winner == 1, 1.0, jnp.where(winner == 2, -1.0, 0.0)) * just
        reward = jnp.stack([first, 0.0 - first]).astype(jnp.float32)
        return following, reward, over, {}

    def observe(self, state: BattleState, player: Any = 0) -> jax.Array:
        """float32[SIZE]; see `observe.py`."""
        return self._observe(jnp.asarray(player, jnp.int32), state)

    def legal_actions(self, state: BattleState, player: Any = 0) -> jax.Array:
        """bool[14]."""
        return (state.legal[player] >> jnp.arange(battle.ACTIONS)) & 1 == 1

    def observation_space(self, params: BattleParams | None = None) -> Box:
        """One vector."""
        return Box(-np.inf, np.inf, (observe.SIZE,), np.float32)

    def action_space(self, params: BattleParams | None = None) -> Discrete:
        """The 14 actions."""
        return Discrete(battle.ACTIONS)

    def render(self, state: BattleState) -> np.ndarray:
        """A picture of the field."""
        from envwright.zoo.pokemon.view import picture

        return picture(jax.tree.map(np.asarray, state.battle))


def _given(teams: Sequence[Team | str]) -> Roster:
    if len(teams) != 2:
        raise EnvwrightError(f"a battle is between two teams, not {len(teams)}")
    both = [read(team) if isinstance(team, str) else complete(team) for team in teams]
    return encode([support.require(team) for team in both])


# --- batches: functions of lanes-last arrays -------------------------------------------------


def _legal(engine: Any, params: BattleParams, state: State) -> jax.Array:
    allowed = engine.legal_actions(jnp, params.rules, state)
    return sum(jnp.where(allowed[:, a], bit, 0) for a, bit in enumerate(_BITS)).astype(jnp.int32)


def _begun(generators: jax.Array, teams: jax.Array, params: BattleParams) -> BattleState:
    pool = Roster(*map(jnp.asarray, params.pool))
    start = fresh(generators, pool.pick(teams[0]), pool.pick(teams[1]), jnp)
    lanes = generators.shape[-1]
    waits = jnp.full((2, lanes), 1 << WAIT, jnp.int32)
    return BattleState(start, knowledge.nothing(jnp, lanes), waits)


def _stepped(engine: Any) -> Any:
    def step(params: BattleParams, state: BattleState, actions: jax.Array) -> BattleState:
        params = BattleParams(jax.tree.map(jnp.asarray, params.rules), params.pool)
        after = engine.step(jnp, params.rules, state.battle, actions)
        known = knowledge.look(jnp, state.known, state.battle, after)
        return BattleState(after, known, _legal(engine, params, after))

    return step


def _observed(view: str) -> Any:
    def look(player: jax.Array, state: BattleState) -> jax.Array:
        return observe.observe(jnp, state.battle, state.known, player, view)

    return look


def _over_lanes(batched: Any) -> Any:
    """A function of one battle from one of many, which a `vmap` over battles calls directly.

    The first argument is shared by all lanes, unless it is an array of its own lanes.
    """

    @custom_vmap
    def one(shared: Any, *arguments: Any) -> Any:
        wide = jax.tree.map(lambda x: jnp.asarray(x)[..., None], arguments)
        return jax.tree.map(lambda x: x[..., 0], batched(shared, *wide))

    @one.def_vmap
    def many(lanes: int, mapped: Any, shared: Any, *arguments: Any) -> Any:
        of_shared, of_arguments = mapped[0], mapped[1:]
        if any(jax.tree.leaves(of_shared)) and not isinstance(shared, jax.Array):
            raise NotImplementedError("tables that differ between lanes")
        wide = jax.tree.map(
            lambda x, has: jnp.moveaxis(x, 0, -1) if has
            else jnp.broadcast_to(jnp.asarray(x)[..., None], (*jnp.shape(x), lanes)),
            arguments,
            tuple(of_arguments),
        )  # fmt: skip
        result = jax.tree.map(lambda x: jnp.moveaxis(x, -1, 0), batched(shared, *wide))
        return result, jax.tree.map(lambda _: True, result)

    return one
