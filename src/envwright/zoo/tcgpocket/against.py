"""One player against an opponent of `opponents.py`, on the fast engine.

    env = envwright.make("tcgpocket", opponent="greedy")

The seat is drawn with each game. A step is one decision of either side: while the opponent decides,
only PASS is legal, and its own answer is played. So lanes of a batch do not wait for another's
opponent.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.arrays import Array
from envwright.core.env import Env
from envwright.core.lanes import over_lanes
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete
from envwright.zoo.tcgpocket import features, opponents
from envwright.zoo.tcgpocket.choices import obs_space, playable_decks
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.env import Match, MatchParams, TcgPocket

PLAYERS = 2


@pytree_dataclass
class Seated:
    """A game, and the learner's seat."""

    match: Match
    seat: jax.Array  # int32[]


class Against(Env[Seated, MatchParams]):
    """TCG Pocket against an opponent; see the module."""

    id = "tcgpocket"
    version = 1
    restarts = True

    def __init__(self, game: TcgPocket, opponent: str, view: str = "raw") -> None:
        opponents.check(opponent)
        self.game, self.opponent, self.seen_as = game, opponent, view
        self.default_params = game.default_params
        self._advance = over_lanes(self._advanced, axis=0)
        self._look = over_lanes(self._seen, axis=0)

    def draw_start(self, key: jax.Array, params: MatchParams) -> Any:
        """Draw what a game needs, and a seat."""
        k_game, k_seat = jax.random.split(key)
        seat = jax.random.randint(k_seat, (), 0, PLAYERS, jnp.int32)
        return *self.game.draw_start(k_game, params), seat

    def start(self, noise: Any, params: MatchParams) -> Seated:
        """Start a game; the opponent may be the first to decide."""
        *game, seat = noise
        return Seated(self.game.start(tuple(game), params), seat)

    def draw(self, key: jax.Array, state: Seated, action: Any, params: MatchParams) -> Any:
        """Draw a word for the opponent's choice among equals, and for the next game."""
        k_word, k_next = jax.random.split(key)
        return jax.random.bits(k_word, (), jnp.uint32), *self.draw_start(k_next, params)

    def transition(
        self, state: Seated, action: jax.Array, noise: Any, params: MatchParams
    ) -> tuple[Seated, jax.Array, jax.Array, dict[str, Any]]:
        """Play one decision of either side."""
        action = jnp.asarray(action, jnp.int32)
        return *self._advance(params, state, action, *noise), {}

    def observe(self, state: Seated, player: Any = 0) -> jax.Array:
        """Return what the learner sees."""
        return self._look(state.seat, state)

    def legal_actions(self, state: Seated, player: Any = 0) -> jax.Array:
        """Return the legal actions, bool[128]: only PASS while the opponent decides."""
        mine = self.game.current_player(state.match) == state.seat
        waits = np.arange(actions.PADDED) == actions.PASS
        return jnp.where(mine, self.game.legal_actions(state.match), waits)

    def observation_space(self, params: MatchParams | None = None) -> Box:
        """Return the space of the view."""
        return obs_space(self.seen_as)

    def action_space(self, params: MatchParams | None = None) -> Discrete:
        """Return the space of the 128 actions."""
        return self.game.action_space(params)

    def render(self, state: Seated) -> np.ndarray:
        """Draw the table, both hands open."""
        return self.game.render(state.match)

    def _advanced(
        self, params: MatchParams, state: Seated, action: Any, word: Any, *fresh: Any
    ) -> tuple[Seated, jax.Array, jax.Array]:
        *game, seat = fresh
        before = state.match
        mover = self.game.current_player(before)
        seen = self.game.observe_lanes((), before.words, mover)
        masks = self.game.legal_actions(before)
        theirs = opponents.answer(self.opponent, jnp, seen, masks, word)
        chosen = jnp.where(mover == state.seat, action, theirs)
        words, paid, over = self.game.play_lanes(
            params, before.words, chosen, lambda at: tuple(part[at] for part in game)
        )
        reward = jnp.where(state.seat == 0, paid[:, 0], paid[:, 1])
        return Seated(Match(words), jnp.where(over, seat, state.seat)), reward, over

    def _seen(self, _: Any, state: Seated) -> Array:
        raw = self.game.observe_lanes((), state.match.words, state.seat)
        return raw if self.seen_as == "raw" else features.features(jnp, raw)


def tcgpocket(
    opponent: str | None = None,
    view: str = "raw",
    decks: Any = None,
    settings: Settings | None = None,
    **rules: Any,
) -> TcgPocket | Against:
    """Make TCG Pocket for two players, or for one against an opponent.

    `decks` are two, by name or made, also as `sparks,dojo`; else any of the lists are drawn.
    Further options are single settings, such as `max_turns=40`.
    """
    given = None if decks is None else playable_decks(decks)
    obs_space(view)
    if opponent is None:
        return TcgPocket(given, view, settings, **rules)
    return Against(TcgPocket(given, "raw", settings, **rules), opponent, view)
