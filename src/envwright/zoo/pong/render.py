"""Draw a game."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from envwright.zoo.pong.rules import Court

MARGIN = 60  # beside the table, where the paddles stand
PADDLE_WIDTH = 20
SMOOTH = 2  # drawn larger, then reduced
TABLE, NET, LEFT, RIGHT, BALL, SCORE = (
    "#061818",
    "#1d3a3a",
    "#e4572e",
    "#17bebb",
    "#fbfaf7",
    "#76b0ae",
)


def picture(state: Any, court: Court) -> np.ndarray:
    """Draw the table with its paddles, the ball and the score: uint8[640, 620, 3]."""
    width, height = int(court.width), int(court.height)
    image = Image.new("RGB", (SMOOTH * (width + 2 * MARGIN), SMOOTH * height), TABLE)
    draw = ImageDraw.Draw(image)

    def box(x: float, y: float, wide: float, high: float, colour: str) -> None:
        """Draw a rectangle by its lower left corner; y points up."""
        x, top = SMOOTH * (MARGIN + x), SMOOTH * (height - y - high)
        draw.rectangle([x, top, x + SMOOTH * wide - 1, top + SMOOTH * high - 1], fill=colour)

    for y in range(8, height, 32):
        box(width / 2 - 2, y, 4, 16, NET)
    rally, paddle = state.rally, float(court.paddle)
    box(-PADDLE_WIDTH, float(rally.paddle_yl), PADDLE_WIDTH, paddle, LEFT)
    box(width, float(rally.paddle_yr), PADDLE_WIDTH, paddle, RIGHT)
    box(float(rally.ball_x), float(rally.ball_y), float(court.ball), float(court.ball), BALL)
    font = ImageFont.load_default(SMOOTH * 36)
    for x, points in ((width / 2 - 60, state.score_l), (width / 2 + 60, state.score_r)):
        place = (SMOOTH * (MARGIN + x), SMOOTH * 40)
        draw.text(place, str(int(points)), fill=SCORE, font=font, anchor="mm")
    size = (width + 2 * MARGIN, height)
    return np.asarray(image.resize(size, Image.Resampling.LANCZOS))
