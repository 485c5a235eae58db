"""Single steps to record: from visited states, arbitrary states, and next to thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from envwright.sim.actions import draw_action
from envwright.sim.records import Fields, state_of
from envwright.zoo.pong.reference.binding import SETTINGS
from envwright.zoo.pong.reference.simulator import SCORES, PongReference

TOP = SETTINGS["height"] - SETTINGS["ball_height"]  # 608, where the ball meets the upper wall
RIGHT = SETTINGS["width"] - SETTINGS["ball_width"]  # 468, where it meets the right side
PADDLE, BALL = SETTINGS["paddle_height"], SETTINGS["ball_height"]
SPEED, SERVE_X, SPIN = (
    SETTINGS[k] for k in ("paddle_speed", "ball_initial_speed_x", "ball_speed_y_increment")
)
LOWEST, HIGHEST = -PADDLE / 2, SETTINGS["height"] - PADDLE / 2
LAST = SETTINGS["max_score"] - 1
FLAT = np.float32(0.01)  # a ball that is this level is given some speed


def visited(sim: PongReference, rng: np.random.Generator, count: int) -> Iterator[Fields]:
    """Return states of random games, after every third step."""
    record = sim.reset(int(rng.integers(1000)))
    for _ in range(count):
        yield state_of(record)
        for _ in range(3):
            record = sim.step(draw_action(rng, sim.action_space))


def anywhere(rng: np.random.Generator, count: int) -> Iterator[Fields]:
    """Return states in and around the table, with speeds that no game has."""
    for _ in range(count):
        whole = rng.random() < 0.5  # whole numbers meet exactly
        numbers = {
            "paddle_yl": rng.uniform(LOWEST - 20, HIGHEST + 20),
            "paddle_yr": rng.uniform(LOWEST - 20, HIGHEST + 20),
            "ball_x": rng.uniform(-40, RIGHT + 40),
            "ball_y": rng.uniform(-40, TOP + 40),
            "ball_vx": rng.choice([-SERVE_X, SERVE_X, rng.uniform(-40, 40)]),
            "ball_vy": rng.uniform(-15, 15),
        }
        drawn: dict[str, Any] = {
            k: np.float32(np.round(v) if whole else v) for k, v in numbers.items()
        }
        yield drawn


def thresholds(rng: np.random.Generator, frame_skip: int, count: int) -> Iterator[Fields]:
    """Return states whose first or a later sub-frame lands on a threshold, or just beside it."""
    makers = (_at_walls, _at_right_paddle, _at_left_paddle, _at_spin, _at_reach)
    for turn in range(count):
        yield makers[turn % len(makers)](rng, int(rng.integers(1, frame_skip + 1)))


def complete(state: Fields, rng: np.random.Generator) -> Fields:
    """Add scores, clock, stale observation and coming serves, unless they are given."""
    late = rng.integers(LAST - 1, LAST + 1, 2) if rng.random() < 0.5 else rng.integers(0, 21, 2)
    rest = {
        **dict(zip(SCORES, late.astype(np.int32), strict=True)),
        "tick": rng.integers(0, 500, dtype=np.int32),
        # Scores below 21 points are observed as 0, and all are below here.
        "shown": np.array([rng.random()] * 6 + [0.0] * 2, np.float32),
        "serves": rng.integers(0, 2**32, 2, dtype=np.uint32),
    }
    return {k: np.asarray(v) for k, v in (rest | state).items()}


def _beside(rng: np.random.Generator, value: float) -> Any:
    """Return a threshold, or the float next to it on either side."""
    exact = np.float32(value)
    return np.float32(rng.choice([exact, np.nextafter(exact, 999.0), np.nextafter(exact, -999.0)]))


def _rally(rng: np.random.Generator, **fixed: Any) -> Fields:
    numbers: dict[str, Any] = {
        "paddle_yl": rng.integers(-35, 606),
        "paddle_yr": rng.integers(-35, 606),
        "ball_x": rng.integers(0, RIGHT + 1),
        "ball_y": rng.integers(0, TOP + 1),
        "ball_vx": rng.choice([-SERVE_X, SERVE_X]),
        "ball_vy": rng.integers(-13, 14),
    }
    rally: dict[str, Any] = {k: np.float32(v) for k, v in (numbers | fixed).items()}
    return rally


def _at_walls(rng: np.random.Generator, frames: int) -> Fields:
    """Let the ball arrive at a wall or a side after some sub-frames."""
    vx, vy = rng.choice([-SERVE_X, SERVE_X]), rng.choice([-13, -7, -1, 1, 7, 13])
    y = _beside(rng, (0 if vy < 0 else TOP) - frames * vy)
    x = _beside(rng, (0 if vx < 0 else RIGHT) - frames * vx)
    level = y + frames * vy + BALL / 2 - PADDLE / 2  # paddles may or may not be there
    return _rally(
        rng,
        ball_x=x if rng.random() < 0.7 else 200,
        ball_y=y,
        ball_vx=vx,
        ball_vy=vy,
        paddle_yl=level + rng.choice([0, 20, -80]),
        paddle_yr=level + rng.choice([0, 20, -80]),
    )


def _at_right_paddle(rng: np.random.Generator, frames: int) -> Fields:
    """Let the ball meet an end of the player's paddle, if that stays or moves at full speed."""
    paddle = rng.integers(80, 500)
    moved = paddle + rng.choice([-1, 0, 1]) * SPEED * frames
    vy = rng.choice([-3, 0, 2])
    end = moved + PADDLE if rng.random() < 0.5 else moved - BALL
    return _rally(
        rng,
        paddle_yr=paddle,
        ball_x=RIGHT + 1 - frames * SERVE_X,
        ball_y=_beside(rng, end - frames * vy),
        ball_vx=SERVE_X,
        ball_vy=vy,
    )


def _at_left_paddle(rng: np.random.Generator, frames: int) -> Fields:
    """Let the ball jump to an end of the other paddle, which was level with it."""
    paddle = rng.integers(80, 450)
    vy = PADDLE / 2 if rng.random() < 0.5 else -PADDLE / 2 - BALL
    return _rally(
        rng,
        paddle_yl=paddle,
        ball_y=paddle + PADDLE / 2,
        ball_vy=_beside(rng, vy),
        ball_x=SERVE_X - 1,
        ball_vx=-SERVE_X,
    )


def _at_spin(rng: np.random.Generator, frames: int) -> Fields:
    """Let the player return the ball, whose speed lands on a limit or close to 0."""
    speeds: list[Any] = [-13.0, 13.0, -FLAT, FLAT, 0.0]
    wanted = rng.choice(speeds)
    vy = _beside(rng, wanted - SPIN * rng.choice([-1, 0, 1]))
    y = rng.integers(150, 450)
    return _rally(
        rng,
        ball_x=RIGHT + 1 - frames * SERVE_X,
        ball_vx=SERVE_X,
        ball_y=y,
        ball_vy=rng.choice([vy, -vy, -0.0]) if abs(wanted) < 1 else vy,
        paddle_yr=y + frames * vy - PADDLE / 2 + BALL / 2,
    )


def _at_reach(rng: np.random.Generator, frames: int) -> Fields:
    """Let both paddles arrive at an end of their range; the ball may be anywhere."""
    ends = [LOWEST, HIGHEST, LOWEST + SPEED * frames, HIGHEST - SPEED * frames]
    yl, yr = (_beside(rng, rng.choice(ends)) for _ in range(2))
    level = np.clip(yl + PADDLE / 2 + _beside(rng, rng.choice([-SPEED, SPEED])), 0, TOP)
    return _rally(rng, paddle_yl=yl, paddle_yr=yr, ball_y=level)


def pick_actions(sim: PongReference, rng: np.random.Generator, count: int) -> Sequence:
    """Pick any action; continuous ones are often a limit or 0."""
    drawn = [draw_action(rng, sim.action_space) for _ in range(count)]
    if not sim.pong.continuous:
        return drawn
    special = rng.choice(np.array([-1, 0, 1], np.float32), (count, 1))
    return [s if rng.random() < 0.5 else d for s, d in zip(special, drawn, strict=True)]
