"""Draw a robot."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image, ImageDraw

from envwright.zoo.planar.model import Robot

WIDTH, HEIGHT = 480, 300
SCALE = 170  # pixels to a metre
GROUND_AT = 250  # pixels from the top
SMOOTH = 2  # drawn larger, then reduced
SKY, GROUND, MARK = "#fbfaf7", "#d9d4c7", "#b8b09c"
COLOURS = ("#e4572e", "#17bebb", "#2e86ab", "#1b4965", "#f4a259", "#bc4b51", "#8c2f39")


def picture(robot: Robot, position: np.ndarray) -> np.ndarray:
    """Draw the robot on a ground with a mark every metre: uint8[300, 480, 3]."""
    image = Image.new("RGB", (SMOOTH * WIDTH, SMOOTH * HEIGHT), SKY)
    draw = ImageDraw.Draw(image)
    eye = robot.start[0] + float(position[0]) - robot.reference[0]

    def pixel(x: float, z: float) -> tuple[float, float]:
        return SMOOTH * (WIDTH / 2 + SCALE * (x - eye)), SMOOTH * (GROUND_AT - SCALE * z)

    draw.rectangle([0, SMOOTH * GROUND_AT, SMOOTH * WIDTH, SMOOTH * HEIGHT], fill=GROUND)
    for metre in range(math.floor(eye) - 3, math.ceil(eye) + 4):
        x, y = pixel(metre, 0)
        draw.line([x, y, x - 10 * SMOOTH, SMOOTH * HEIGHT], fill=MARK, width=2 * SMOOTH)
    for (ax, az), (bx, bz), radius, colour in reversed(_capsules(robot, position)):
        a, b, r = pixel(ax, az), pixel(bx, bz), SMOOTH * SCALE * radius
        draw.line([a, b], fill=colour, width=round(2 * r))
        for x, y in (a, b):
            draw.ellipse([x - r, y - r, x + r, y + r], fill=colour)
    return np.asarray(image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS))


def _capsules(robot: Robot, position: np.ndarray) -> list[tuple]:
    """Return both ends, radius and colour of each capsule."""
    places, angles = [], []
    for link, coordinate in zip(robot.links, position[2:], strict=True):
        angle = link.sign * (float(coordinate) - link.reference)
        if link.parent < 0:
            places.append(
                (
                    robot.start[0] + float(position[0]) - robot.reference[0],
                    robot.start[1] + float(position[1]) - robot.reference[1],
                )
            )
        else:
            places.append(_moved(places[link.parent], angles[link.parent], link.hinge))
            angle += angles[link.parent]
        angles.append(angle)
    ends = [_moved(places[tip.link], angles[tip.link], tip.place) for tip in robot.tips]
    return [
        (a, b, tip.radius, COLOURS[tip.link % len(COLOURS)])
        for a, b, tip in zip(ends[::2], ends[1::2], robot.tips[::2], strict=True)
    ]


def _moved(origin: tuple, angle: float, place: tuple) -> tuple[float, float]:
    c, s = math.cos(angle), math.sin(angle)
    return origin[0] + c * place[0] + s * place[1], origin[1] + c * place[1] - s * place[0]
