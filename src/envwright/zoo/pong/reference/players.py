"""Players for recordings: each chooses an action for every game from C's state."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from envwright.zoo.pong.reference.binding import SETTINGS, PufferPong

RIGHT = SETTINGS["width"] - SETTINGS["ball_width"]  # where the ball meets the player's paddle
SPEED = SETTINGS["paddle_speed"]

Player = Callable[[PufferPong, np.random.Generator], np.ndarray]  # to directions [N], -1 to 1


def wander(pong: PufferPong, rng: np.random.Generator) -> np.ndarray:
    """Choose any direction at any time."""
    return rng.uniform(-1, 1, pong.num_envs)


def drift(pong: PufferPong, rng: np.random.Generator) -> np.ndarray:
    """Keep a direction for about 10 steps."""
    before = pong.structs["paddle_dir"].astype(np.float64)
    return np.where(rng.random(pong.num_envs) < 0.1, rng.uniform(-1, 1, pong.num_envs), before)


def follow(pong: PufferPong, rng: np.random.Generator) -> np.ndarray:
    """Stay level with the ball: nearly all are returned, so that rallies are long."""
    return _towards(pong, pong.structs["ball_y"])


def swing(pong: PufferPong, rng: np.random.Generator) -> np.ndarray:
    """Strike in the ball's own direction, until it is too fast for the other side: this wins."""
    game = pong.structs
    frames = np.ceil(np.maximum(RIGHT - game["ball_x"], 0) / SETTINGS["ball_initial_speed_x"])
    bounces, arrival = _arrival(game["ball_y"] + frames * game["ball_vy"])
    stroke = np.where(bounces % 2 == 1, -1, 1) * np.where(game["ball_vy"] < 0, -1, 1)
    run_up = stroke * SPEED * (frames % pong.frame_skip)
    waits = frames > pong.frame_skip
    strikes = np.where(waits, _towards(pong, arrival - run_up), stroke)
    slips = rng.random(pong.num_envs) < 0.02
    return np.where((game["ball_vx"] > 0) & ~slips, strikes, 0.0)


PLAYERS: tuple[Player, ...] = (wander, drift, follow, swing)


def choose(pong: PufferPong, rng: np.random.Generator) -> np.ndarray:
    """Return actions float32[N]: game i is played by player i modulo 4."""
    who = np.arange(pong.num_envs) % len(PLAYERS)
    direction = np.choose(who, [player(pong, rng) for player in PLAYERS])
    if pong.continuous:
        return direction.astype(np.float32)
    turn = np.where(np.abs(direction) > 1 / 3, np.sign(direction), 0)
    return np.choose((turn % 3).astype(int), [0, 1, 2]).astype(np.float32)


def _distance(pong: PufferPong, ball_y: np.ndarray) -> np.ndarray:
    """Return the distance from the middle of the paddle to the middle of the ball."""
    middle = pong.structs["paddle_yr"] + SETTINGS["paddle_height"] / 2
    return ball_y + SETTINGS["ball_height"] / 2 - middle


def _towards(pong: PufferPong, ball_y: np.ndarray) -> np.ndarray:
    return np.clip(_distance(pong, ball_y) / (SPEED * pong.frame_skip), -1, 1)


def _arrival(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how often a ball that would fly to `y` meets a wall, and where it arrives."""
    top = SETTINGS["height"] - SETTINGS["ball_height"]
    return np.floor(y / top), top - np.abs(top - np.mod(y, 2 * top))
