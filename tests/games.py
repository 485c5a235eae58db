"""Three tiny environments for the tests: in turn, at once, and one that rolls dice."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.env import Env
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete

# --- tic-tac-toe: the rules ------------------------------------------------------------

EMPTY = -1
LINES = np.array(
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
)


@pytree_dataclass
class Board:
    """Whose stone lies where, and who moves."""

    squares: jax.Array  # int8[9], EMPTY or a player
    current_player: jax.Array  # int32[], 0 or 1


def empty_board() -> Board:
    return Board(jnp.full(9, EMPTY, jnp.int8), jnp.int32(0))


def has_line(board: Board, player: Any) -> jax.Array:
    return jnp.any(jnp.all(board.squares[LINES] == jnp.int8(player), axis=1))


def is_full(board: Board) -> jax.Array:
    return jnp.all(board.squares != EMPTY)


def put_stone(board: Board, square: jax.Array) -> Board:
    mover = board.current_player
    return Board(board.squares.at[square].set(mover.astype(jnp.int8)), 1 - mover)


# --- tic-tac-toe: the Env --------------------------------------------------------------


@pytree_dataclass
class NoParams:
    """A game without numbers to turn."""


class TicTacToe(Env[Board, NoParams]):
    """Two players in turn; a line wins 1, and the other loses 1."""

    id = "tictactoe"
    version = 1
    num_players = 2
    default_params = NoParams()

    def draw_start(self, key: jax.Array, params: NoParams) -> None:
        return None

    def start(self, noise: None, params: NoParams) -> Board:
        return empty_board()

    def transition(
        self, state: Board, action: jax.Array, noise: None, params: NoParams
    ) -> tuple[Board, jax.Array, jax.Array, dict]:
        mover = state.current_player
        following = put_stone(state, action)
        won = has_line(following, mover)
        sign = jnp.where(jnp.arange(2) == mover, 1.0, -1.0).astype(jnp.float32)
        return following, jnp.where(won, sign, 0.0), won | is_full(following), {}

    def observe(self, state: Board, player: Any = 0) -> jax.Array:
        mine, theirs = (state.squares == jnp.int8(p) for p in (player, 1 - player))
        return jnp.stack([mine, theirs], axis=-1).reshape(3, 3, 2).astype(jnp.int8)

    def observation_space(self, params: NoParams | None = None) -> Box:
        return Box(0, 1, (3, 3, 2), np.int8)

    def action_space(self, params: NoParams | None = None) -> Discrete:
        return Discrete(9)

    def legal_actions(self, state: Board, player: Any = 0) -> jax.Array:
        return state.squares == EMPTY

    def render(self, state: Board) -> np.ndarray:
        shade = np.array([255, 0, 128], np.uint8)[np.asarray(state.squares)].reshape(3, 3)
        picture = np.kron(shade, np.ones((8, 8), np.uint8))
        return np.repeat(picture[:, :, None], 3, axis=2)


# --- stone duel: the rules -------------------------------------------------------------


class Hand(IntEnum):
    """What a player does in a round."""

    WAIT = 0
    ROCK = 1
    PAPER = 2
    SCISSORS = 3


@pytree_dataclass
class Duel:
    """A match of rock, paper, scissors in which the loser of a round sits out the next."""

    favourite: jax.Array  # int32[2], a Hand; each player knows only their own
    score: jax.Array  # int32[2]
    stunned: jax.Array  # bool[2], must WAIT this round
    last: jax.Array  # int32[2], the hands of the last round
    round: jax.Array  # int32[]


def beats(a: jax.Array, b: jax.Array) -> jax.Array:
    """Paper beats rock, scissors paper, rock scissors; any throw beats waiting."""
    both_throw = (a != Hand.WAIT) & (b != Hand.WAIT)
    return jnp.where(both_throw, (a - b) % 3 == 1, (a != Hand.WAIT) & (b == Hand.WAIT))


def play_round(duel: Duel, hands: jax.Array) -> tuple[Duel, jax.Array]:
    """The next round, and the points it was worth to each: a favourite hand scores two."""
    hands = jnp.where(duel.stunned, Hand.WAIT, hands)
    wins = beats(hands, hands[::-1])
    points = jnp.where(wins, jnp.where(hands == duel.favourite, 2, 1), 0).astype(jnp.int32)
    loses_a_throw = wins[::-1] & (hands != Hand.WAIT)
    following = replace(
        duel,
        score=duel.score + points,
        stunned=loses_a_throw,
        last=hands.astype(jnp.int32),
        round=duel.round + 1,
    )
    return following, points


# --- stone duel: the Env ---------------------------------------------------------------


@pytree_dataclass
class DuelParams:
    target: jax.Array | int = 5  # points that win the match
    max_rounds: jax.Array | int = 30


class StoneDuel(Env[Duel, DuelParams]):
    """Two players at once, each with a secret; one who lost a round must wait."""

    id = "stoneduel"
    version = 1
    num_players = 2
    simultaneous = True
    noop = int(Hand.WAIT)
    default_params = DuelParams()

    def draw_start(self, key: jax.Array, params: DuelParams) -> jax.Array:
        return 1 + jnp.floor(3 * jax.random.uniform(key, (2,), jnp.float32)).astype(jnp.int32)

    def start(self, noise: jax.Array, params: DuelParams) -> Duel:
        nothing = jnp.zeros(2, jnp.int32)
        return Duel(noise, nothing, jnp.zeros(2, bool), nothing, jnp.int32(0))

    def transition(
        self, state: Duel, action: jax.Array, noise: None, params: DuelParams
    ) -> tuple[Duel, jax.Array, jax.Array, dict]:
        following, points = play_round(state, action)
        reward = (points - points[::-1]).astype(jnp.float32)
        won = jnp.any(following.score >= params.target)
        return following, reward, won, {"points": points}

    def observe(self, state: Duel, player: Any = 0) -> jax.Array:
        own = jnp.array([player, 1 - player])
        seen = [state.score[own], state.stunned[own], state.last[own], state.favourite[own[:1]]]
        return jnp.concatenate([x.astype(jnp.int32) for x in seen])

    def observation_space(self, params: DuelParams | None = None) -> Box:
        return Box(0, 100, (7,), np.int32)

    def action_space(self, params: DuelParams | None = None) -> Discrete:
        return Discrete(len(Hand))

    def legal_actions(self, state: Duel, player: Any = 0) -> jax.Array:
        return ~state.stunned[player] | (jnp.arange(len(Hand)) == Hand.WAIT)

    def time_is_up(self, state: Duel, params: DuelParams) -> jax.Array:
        return state.round >= params.max_rounds


# --- slippery walk ---------------------------------------------------------------------


@pytree_dataclass
class WalkParams:
    slip: jax.Array | float = 0.25  # chance to go the other way
    max_steps: jax.Array | int = 20


@pytree_dataclass
class Walk:
    position: jax.Array  # int32[]
    heading: jax.Array  # float32[], drawn at the start; seen but of no use
    time: jax.Array  # int32[]


class SlipperyWalk(Env[Walk, WalkParams]):
    """A walk on a line of `length` places with a cliff on the left and a goal on the right.

    Actions are left (0) and right (1). The start and every step are random; both draws are
    apart from the dynamics, so that they can be fed in.
    """

    id = "slipperywalk"
    version = 1
    default_params = WalkParams()

    def __init__(self, length: int = 9) -> None:
        self.length = length

    def draw_start(self, key: jax.Array, params: WalkParams) -> jax.Array:
        return jax.random.uniform(key, (2,), jnp.float32)

    def start(self, noise: jax.Array, params: WalkParams) -> Walk:
        where, heading = noise
        middle = 2 + jnp.floor(where * (self.length - 4)).astype(jnp.int32)
        return Walk(middle, heading, jnp.int32(0))

    def draw(self, key: jax.Array, state: Walk, action: Any, params: WalkParams) -> jax.Array:
        return jax.random.uniform(key, (), jnp.float32) < params.slip

    def transition(
        self, state: Walk, action: jax.Array, noise: jax.Array, params: WalkParams
    ) -> tuple[Walk, jax.Array, jax.Array, dict]:
        goes_right = (action == 1) ^ noise
        position = state.position + jnp.where(goes_right, 1, -1).astype(jnp.int32)
        following = Walk(position, state.heading, state.time + 1)
        at_goal, fell = position >= self.length - 1, position <= 0
        reward = jnp.where(at_goal, 1.0, jnp.where(fell, -1.0, 0.0)).astype(jnp.float32)
        return following, reward, at_goal | fell, {"slipped": noise}

    def observe(self, state: Walk, player: Any = 0) -> jax.Array:
        return jnp.stack([state.position.astype(jnp.float32), state.heading])

    def observation_space(self, params: WalkParams | None = None) -> Box:
        return Box([0, 0], [self.length - 1, 1])

    def action_space(self, params: WalkParams | None = None) -> Discrete:
        return Discrete(2)

    def time_is_up(self, state: Walk, params: WalkParams) -> jax.Array:
        return state.time >= params.max_steps

    def render(self, state: Walk) -> np.ndarray:
        picture = np.zeros((8, 8 * self.length, 3), np.uint8)
        picture[:, 8 * int(state.position) : 8 * (int(state.position) + 1)] = 255
        return picture
