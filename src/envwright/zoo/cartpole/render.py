"""Draw the cart and its pole."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image, ImageDraw

from envwright.zoo.cartpole.rules import Motion, Physics

WIDTH, HEIGHT = 600, 400
TRACK_Y = 300
CART_SIZE = (50, 30)
POLE_WIDTH = 10
SMOOTH = 2  # drawn larger, then reduced

PAPER, INK, CART, POLE, AXLE = "#fbfaf7", "#30343f", "#30343f", "#c58f5c", "#8184cb"


def picture(motion: Motion, physics: Physics) -> np.ndarray:
    """Draw the track with its limits, the cart and the pole: uint8[400, 600, 3]."""
    scale = SMOOTH * WIDTH / (2 * float(physics.x_limit))
    image = Image.new("RGB", (SMOOTH * WIDTH, SMOOTH * HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    x = float(motion.x) * scale + SMOOTH * WIDTH / 2
    y = SMOOTH * TRACK_Y
    draw.line([(0, y), (SMOOTH * WIDTH, y)], fill=INK, width=SMOOTH)
    half_w, half_h = SMOOTH * CART_SIZE[0] / 2, SMOOTH * CART_SIZE[1] / 2
    draw.rectangle([x - half_w, y - half_h, x + half_w, y + half_h], fill=CART)
    length = 2 * float(physics.half_length) * scale
    theta = float(motion.theta)
    axle = (x, y - half_h / 2)
    tip = (axle[0] + length * math.sin(theta), axle[1] - length * math.cos(theta))
    draw.line([axle, tip], fill=POLE, width=SMOOTH * POLE_WIDTH)
    r = SMOOTH * POLE_WIDTH / 2
    draw.ellipse([axle[0] - r, axle[1] - r, axle[0] + r, axle[1] + r], fill=AXLE)
    return np.asarray(image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS))
