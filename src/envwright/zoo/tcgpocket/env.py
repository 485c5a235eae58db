"""Pokemon TCG Pocket as an environment: two players who move in turn.

    env = envwright.make("tcgpocket")                             # both decks drawn from the lists
    env = TcgPocket(decks=("sparks", "meadow"), max_turns=40)     # given ones, a setting

Actions are those of `contract.actions`, 105 ids padded to 128; `legal_actions` returns the legal
ones. Whose turn it is to answer is `current_player`. Winning pays 1 and losing -1; a tie pays 0,
and the next game follows. Questions with one answer are answered automatically, except for the
first of a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.arrays import Array
from envwright.core.env import Env, Step, all_lane_keys, is_one_key, lane_keys
from envwright.core.lanes import over_lanes
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete
from envwright.zoo.tcgpocket import features
from envwright.zoo.tcgpocket.choices import chosen_settings, obs_space, playable_decks
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Stage
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.decks import Deck
from envwright.zoo.tcgpocket.engine import blocks, queue
from envwright.zoo.tcgpocket.engine import tables as table_module
from envwright.zoo.tcgpocket.engine.kit import Kit
from envwright.zoo.tcgpocket.engine.record import to_records
from envwright.zoo.tcgpocket.engine.tables import Tables

_BITS = jnp.arange(32, dtype=jnp.int32)


@pytree_dataclass
class Match:
    """A game with its legal actions."""

    words: jax.Array  # int32[blocks.WORDS], see engine/blocks.py


@pytree_dataclass
class MatchParams:
    """Rows of the rules and decks to draw from; traced, so that others need no new program."""

    tables: Any  # engine.tables.Tables
    cards: Any  # int32[D, 20], card numbers ascending
    types: Any  # int32[D], bits


class TcgPocket(Env[Match, MatchParams]):
    """Games between decks of our lists, or between two given ones."""

    id = "tcgpocket"
    version = 1
    num_players = 2
    restarts = True

    def __init__(
        self,
        decks: str | Sequence[Deck | str] | None = None,
        view: str = "raw",
        settings: Settings | None = None,
        **rules: Any,
    ) -> None:
        self.seen_as, self._space = view, obs_space(view)
        self.settings = chosen_settings(settings, rules)
        self.fixed = decks is not None
        self.decks = playable_decks(decks)
        self.default_params = MatchParams(
            table_module.load(),
            np.array([deck.cards for deck in self.decks], np.int32),
            np.array([sum(1 << t for t in deck.types) for deck in self.decks], np.int32),
        )
        self._begin = over_lanes(self._begin_lanes, axis=0)
        self._advance = over_lanes(self._advance_lanes, axis=0)
        self._observe = over_lanes(self.observe_lanes, axis=0)

    # --- one game: a batch of games is what the rules are written for ---------------------

    def draw_start(self, key: jax.Array, params: MatchParams) -> Any:
        """Draw a game's generator and the numbers of both decks."""
        k_game, k_decks = jax.random.split(key)
        generator = jax.random.bits(k_game, (2,), jnp.uint32)
        if self.fixed:
            return generator, jnp.arange(2, dtype=jnp.int32)
        return generator, jax.random.randint(k_decks, (2,), 0, len(self.decks), jnp.int32)

    def start(self, noise: Any, params: MatchParams) -> Match:
        """Start a game up to its first question, even if that has one answer."""
        return Match(self._begin(params, *noise))

    def draw(self, key: jax.Array, state: Match, action: Any, params: MatchParams) -> Any:
        """Draw for the game that follows if this one ends."""
        return self.draw_start(key, params)

    def transition(
        self, state: Match, action: jax.Array, noise: Any, params: MatchParams
    ) -> tuple[Match, jax.Array, jax.Array, dict[str, Any]]:
        """Play one answer, up to the next choice or the first question of the next game."""
        chosen = jnp.asarray(action, jnp.int32)
        words, reward, over = self._advance(params, state.words, chosen, *noise)
        return Match(words), reward, over, {}

    def observe(self, state: Match, player: Any = 0) -> jax.Array:
        """Return int16[382] of `contract.observation`, or float32 of `features`."""
        return self._observe((), state.words, jnp.asarray(player, jnp.int32))

    def legal_actions(self, state: Match, player: Any = 0) -> jax.Array:
        """Return the legal actions of the player who is asked, bool[128]."""
        bits = (self.legal_words(state)[..., None] >> _BITS) & 1 == 1
        return bits.reshape((*bits.shape[:-2], actions.PADDED))

    def legal_words(self, state: Match) -> jax.Array:
        """Return the legal actions as bits, int32[4]."""
        return state.words[..., blocks.LEGAL : blocks.LEGAL + actions.PADDED // 32]

    def current_player(self, state: Match) -> jax.Array:
        """Return the player who is asked, int32[]."""
        return blocks.read(state.words, "player") ^ blocks.read(state.words, "asked")

    def observation_space(self, params: MatchParams | None = None) -> Box:
        """Return the space of one vector."""
        return self._space

    def action_space(self, params: MatchParams | None = None) -> Discrete:
        """Return the space of 128 actions, of which the last 23 are never legal."""
        return Discrete(actions.PADDED)

    # --- whole batches ---------------------------------------------------------------------

    def step_batch(
        self, keys: jax.Array, states: Match, actions: Any, params: MatchParams | None = None
    ) -> Step:
        """Step all games at once; only games that end draw numbers for the next."""
        params = self.default_params if params is None else params
        each = keys if is_one_key(keys) else all_lane_keys(keys, states)

        def fresh(lanes: jax.Array) -> Any:
            return jax.vmap(self.draw_start, (0, None))(lane_keys(each, lanes), params)

        words, reward, over = self.play_lanes(params, states.words, jnp.asarray(actions), fresh)
        following = Match(words)
        obs = self.observe_lanes((), words, self.current_player(following))
        nobody = jnp.zeros_like(over)
        return Step(obs, following, reward, over, nobody, {"final_observation": obs})

    # --- lanes: arrays are [B, …] ------------------------------------------------------------

    def _kit(self, params: MatchParams) -> Kit:
        return Kit(jnp, Tables(*map(jnp.asarray, params.tables)), self.settings)

    def _dealt(self, params: MatchParams, generators: Any, chosen: Any) -> Any:
        """Return what a new game is made from, lanes last."""
        cards, types = jnp.asarray(params.cards)[chosen], jnp.asarray(params.types)[chosen]
        return jnp.moveaxis(cards, 0, -1), types.T, generators.T

    def _begin_lanes(self, params: MatchParams, generators: Any, chosen: Any) -> jax.Array:
        return queue.begin(self._kit(params), *self._dealt(params, generators, chosen)).T

    def _advance_lanes(
        self, params: MatchParams, words: Any, action: Any, generators: Any, chosen: Any
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        return self.play_lanes(params, words, action, lambda at: (generators[at], chosen[at]))

    def play_lanes(
        self, params: MatchParams, words: Any, action: Any, fresh: Any
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Play an answer; return rows, rewards float32[B, 2], and which games ended, bool[B]."""
        k = self._kit(params)
        words = queue.answer(k, words, action.astype(jnp.int32))
        over = blocks.read(words, "stage") == Stage.OVER
        winner = blocks.read(words, "winner")
        first = jnp.where(winner == 1, 1.0, jnp.where(winner == 2, -1.0, 0.0))
        reward = jnp.where(over[:, None], jnp.stack([first, 0.0 - first], 1), 0.0)
        words = queue.restart(k, words, over, lambda at: self._dealt(params, *fresh(at)))
        return words, reward.astype(jnp.float32), over

    def observe_lanes(self, _: Any, words: Any, player: Any) -> Array:
        """Return what players[B] see of games [B, WORDS]; `over_lanes` needs the first argument."""
        k = Kit(jnp, None, self.settings)
        seen = queue.views(k, words, player)
        return seen if self.seen_as == "raw" else features.features(jnp, seen)

    def record(self, state: Match) -> np.ndarray:
        """Return a game as a record, contract.state.STATE[]."""
        columns = np.asarray(state.words)[:, None]
        return to_records(blocks.unpack(Kit(np, None, self.settings), columns))[0]

    def render(self, state: Match) -> np.ndarray:
        """Draw the table, both hands open."""
        from envwright.zoo.tcgpocket.render import picture

        return picture(self.record(state))
