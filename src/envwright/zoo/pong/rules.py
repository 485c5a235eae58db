"""Two paddles and a ball: how they move, and who scores, without anything about RL.

Everything is float32 in the order of the reference, so that it agrees bit for bit; `exact_div`
and `rounded` keep the compiler from replacing or fusing operations.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.exact import exact_div, rounded
from envwright.core.pytree import pytree_dataclass

# A vertical speed up to this is replaced. The reference compares a float with the *double*
# 0.01, which lies above the float 0.01: so "less than" there is "at most" here.
FLAT = np.float32(0.01)


@pytree_dataclass
class Court:
    """The table, the paddles and the ball."""

    width: jax.Array | float = 500.0
    height: jax.Array | float = 640.0
    paddle: jax.Array | float = 70.0  # height of a paddle
    ball: jax.Array | float = 32.0  # side of the ball
    paddle_speed: jax.Array | float = 8.0  # in a sub-frame
    speed_x: jax.Array | float = 10.0  # of the ball, always
    speed_y: jax.Array | float = 13.0  # of the ball, at most
    serve_speed_y: jax.Array | float = 1.0
    spin: jax.Array | float = 3.0  # what a moving paddle adds to the ball's vertical speed
    points: jax.Array | int = 21  # that win a game

    @property
    def lowest(self) -> jax.Array | float:
        """The lowest place of a paddle's lower end: half of it may leave the table."""
        return -self.paddle / 2

    @property
    def highest(self) -> jax.Array | float:
        """The highest place of a paddle's lower end."""
        return self.height - self.paddle / 2


@pytree_dataclass
class Rally:
    """The positions of the paddles' lower ends and the ball's lower left corner, and its speed."""

    paddle_yl: jax.Array  # float32[]
    paddle_yr: jax.Array  # float32[]
    ball_x: jax.Array  # float32[]
    ball_y: jax.Array  # float32[]
    ball_vx: jax.Array  # float32[]
    ball_vy: jax.Array  # float32[]


RALLY = ("paddle_yl", "paddle_yr", "ball_x", "ball_y", "ball_vx", "ball_vy")


class Events(NamedTuple):
    """The events of a sub-frame."""

    won: jax.Array  # bool[], the ball passed the left paddle
    lost: jax.Array  # bool[], it passed the player's
    returned: jax.Array  # bool[], it came off the player's


def served(straight: jax.Array, c: Court) -> Rally:
    """Serve: the ball starts at its place to the right, the paddles in the middle."""
    middle = c.height / 2 - c.paddle / 2
    # Down or straight, never up: a quirk of the reference.
    vy = jnp.where(straight, jnp.float32(0), jnp.float32(-1)) * c.serve_speed_y
    numbers = (middle, middle, c.width / 5, c.height / 2 - c.ball / 2, c.speed_x)
    return Rally(*(jnp.full_like(vy, number) for number in numbers), vy)  # type: ignore[call-arg]


def play_frame(r: Rally, direction: jax.Array, c: Court) -> tuple[Rally, Events]:
    """Play a sub-frame. Where a side scores, the rally is over and its numbers mean nothing."""
    paddle_yr = jnp.clip(r.paddle_yr + rounded(c.paddle_speed * direction), c.lowest, c.highest)
    lag = r.ball_y - (r.paddle_yl + c.paddle / 2)  # of the left paddle, which follows the old ball
    follow = jnp.clip(lag, -c.paddle_speed, c.paddle_speed)
    paddle_yl = jnp.clip(r.paddle_yl + follow, c.lowest, c.highest)

    x, y = r.ball_x + r.ball_vx, r.ball_y + r.ball_vy
    # The ball turns but may stay outside for a while: a quirk.
    vy = jnp.where((y < 0) | (y + c.ball > c.height), -r.ball_vy, r.ball_vy)
    left, right = x < 0, x + c.ball > c.width

    def touches(paddle: jax.Array) -> jax.Array:
        return (y + c.ball > paddle) & (y < paddle + c.paddle)

    spun = jnp.clip(vy + rounded(c.spin * direction), -c.speed_y, c.speed_y)
    spun = jnp.where(jnp.abs(spun) <= FLAT, c.spin, spun)  # no level ball
    after = Rally(
        paddle_yl=paddle_yl,
        paddle_yr=paddle_yr,
        # Only on this side is the ball put back onto the table: a quirk.
        ball_x=jnp.where(right, jnp.clip(x, 0, c.width - c.ball), x),
        ball_y=jnp.where(right, jnp.clip(y, 0, c.height - c.ball), y),
        ball_vx=jnp.where(left | right, -r.ball_vx, r.ball_vx),
        ball_vy=jnp.where(right, spun, vy),
    )
    in_time = touches(paddle_yr)
    return after, Events(left & ~touches(paddle_yl), right & ~in_time, right & in_time)


def seen(r: Rally, c: Court) -> Rally:
    """Return the same numbers as the player observes them, as shares of their range."""
    reach = c.highest - c.lowest
    return Rally(
        paddle_yl=exact_div(r.paddle_yl - c.lowest, reach),
        paddle_yr=exact_div(r.paddle_yr - c.lowest, reach),
        ball_x=exact_div(r.ball_x, c.width),
        ball_y=exact_div(r.ball_y, c.height),
        ball_vx=exact_div(r.ball_vx + c.speed_x, 2 * c.speed_x),
        ball_vy=exact_div(r.ball_vy + c.speed_y, 2 * c.speed_y),
    )
