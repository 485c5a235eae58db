"""Pokemon battles as an environment: two players who choose at once.

    env = envwright.make("pokemon")                    # teams of the pool, own view
    env = PokemonBattles(view="public", teams=(mine, yours))

Actions: 0-3 a move, 4-7 the same after terastallizing, 8-12 switch to party slot 1..5, 13 wait,
which is all that a player may do who is not asked. A battle begins with both waiting for the leads
to come out. Winning pays 1 and losing -1; a tie pays 0, and the next battle follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.env import Env, Step, all_lane_keys
from envwright.core.lanes import lanes_first, lanes_last, over_lanes
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.zoo.pokemon import battle, observe
from envwright.zoo.pokemon.battle_batch import BattleBatch, BattleParams, BattleState
from envwright.zoo.pokemon.effects.compile import rules
from envwright.zoo.pokemon.pool import load_pool
from envwright.zoo.pokemon.support import given
from envwright.zoo.pokemon.teams import Team

WAIT = battle.WAIT


class PokemonBattles(Env[BattleState, BattleParams]):
    """Battles of generation 9 between teams of a pool, or between two given ones."""

    id = "pokemon"
    version = 1
    num_players = 2
    simultaneous = True
    noop = WAIT
    restarts = True

    def __init__(
        self, view: str = "own", teams: Sequence[Team | str] | None = None, engine: Any = battle
    ) -> None:
        if view not in observe.VIEWS:
            raise EnvwrightError(f"view is {' or '.join(observe.VIEWS)}, not '{view}'")
        self.seen_as = view
        self.fixed = teams is not None
        roster = load_pool() if teams is None else given(teams)
        self.teams = roster.species.shape[-1]
        self.default_params = BattleParams(rules(), roster)
        self._lanes = BattleBatch(engine, view)
        self._begin = over_lanes(self._lanes.begin)
        self._advance = over_lanes(self._lanes.advance)
        self._observe = over_lanes(self._lanes.observe)

    def draw_start(self, key: jax.Array, params: BattleParams) -> Any:
        """Draw a generator and the numbers of both teams."""
        k_seed, k_teams = jax.random.split(key)
        generator = jax.random.bits(k_seed, (2,), jnp.uint32)
        if self.fixed:
            return generator, jnp.arange(2, dtype=jnp.int32)
        return generator, jax.random.randint(k_teams, (2,), 0, self.teams, jnp.int32)

    def start(self, noise: Any, params: BattleParams) -> BattleState:
        """Start before anyone is out: both wait once, and the leads come.

        So resets do not run the rules, which would be compiled once more for them.
        """
        return self._begin(params, *noise)

    def draw(self, key: jax.Array, state: BattleState, action: Any, params: BattleParams) -> Any:
        """Draw for the battle that follows if this one ends."""
        return self.draw_start(key, params)

    def transition(
        self, state: BattleState, action: jax.Array, noise: Any, params: BattleParams
    ) -> tuple[BattleState, jax.Array, jax.Array, dict[str, Any]]:
        """Play both players' choices, int32[2], on to the next request."""
        return *self._advance(params, state, action, *noise), {}

    def step_batch(
        self, keys: jax.Array, states: BattleState, actions: Any, params: Any = None
    ) -> Step:
        """Step all battles at once, as the rules do: a `vmap` would trace them twice."""
        params = self.default_params if params is None else params
        keys = all_lane_keys(keys, states)
        noise = jax.vmap(self.draw_start, (0, None))(keys, params)
        wide = lanes_last((states, jnp.asarray(actions, jnp.int32), *noise))
        following, reward, over = self._lanes.advance(params, *wide)
        obs = lanes_first(jnp.stack([self._lanes.observe(player, following) for player in (0, 1)]))
        state, reward = lanes_first((following, reward))
        return Step(obs, state, reward, over, jnp.zeros_like(over), {"final_observation": obs})

    def observe(self, state: BattleState, player: Any = 0) -> jax.Array:
        """Return an observation, float32[SIZE]; see `observe.py`."""
        return self._observe(jnp.asarray(player, jnp.int32), state)

    def legal_actions(self, state: BattleState, player: Any = 0) -> jax.Array:
        """Return the legal actions, bool[14]."""
        return (state.legal[player] >> jnp.arange(battle.ACTIONS)) & 1 == 1

    def observation_space(self, params: BattleParams | None = None) -> Box:
        """Return the space of one vector."""
        return Box(-np.inf, np.inf, (observe.SIZE,), np.float32)

    def action_space(self, params: BattleParams | None = None) -> Discrete:
        """Return the space of the 14 actions."""
        return Discrete(battle.ACTIONS)

    def render(self, state: BattleState) -> np.ndarray:
        """Draw the field."""
        from envwright.zoo.pokemon.view import picture

        return picture(jax.tree.map(np.asarray, state.battle))
