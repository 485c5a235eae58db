"""Positions and velocities of a robot's parts.

All places are relative to the trunk's hinge, which keeps numbers small however far the robot has
run. Motions are twists there: the angular velocity of a link, and the velocity of that point of it
which is at the trunk's hinge just now. So the twist of a link is the sum of what the hinges between
it and the world contribute, and no frame is ever changed.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from envwright.zoo.planar.materialize import materialize
from envwright.zoo.planar.model import Place, Robot

# One number of each coordinate: x and z of the trunk, then an angle for each link. Positions,
# velocities, accelerations and forces are of this kind.
Joints = list[jax.Array]


class Point(NamedTuple):
    """A place or a direction in the plane."""

    x: jax.Array
    z: jax.Array


class Twist(NamedTuple):
    """A motion or a force: an angular part about y, and a linear part at the trunk's hinge."""

    turn: jax.Array
    x: jax.Array
    z: jax.Array

    def at(self, point: Point) -> Point:
        """Return the velocity of a point that moves along."""
        return Point(self.x + self.turn * point.z, self.z - self.turn * point.x)


class Pose(NamedTuple):
    """The places of a robot's parts, relative to the trunk's hinge."""

    tick: jax.Array  # int32[], see `materialize`
    height: jax.Array  # of the trunk's hinge above the ground
    hinges: list[Point]
    centres: list[Point]  # of mass
    tips: list[Point]  # centres of the balls


def pose(robot: Robot, position: Joints, tick: jax.Array) -> Pose:
    """Return the pose of coordinates."""
    zero = jnp.zeros_like(position[0])
    angles: list[jax.Array] = []
    hinges: list[Point] = []
    turns: list[Point] = []  # cosine, sine
    for link, coordinate in zip(robot.links, position[2:], strict=True):
        angle = link.sign * (coordinate - link.reference)
        if link.parent < 0:
            hinges.append(Point(zero, zero))
        else:
            angle = angles[link.parent] + angle
            hinges.append(_moved(hinges[link.parent], turns[link.parent], link.hinge))
        angles.append(angle)
        turns.append(Point(jnp.cos(angle), jnp.sin(angle)))
    turns, hinges = materialize((turns, hinges), tick)
    return Pose(
        tick,
        robot.start[1] + (position[1] - robot.reference[1]),
        hinges,
        [_moved(hinges[i], turns[i], link.centre) for i, link in enumerate(robot.links)],
        [_moved(hinges[tip.link], turns[tip.link], tip.place) for tip in robot.tips],
    )


def _moved(origin: Point, turn: Point, place: Place) -> Point:
    x, z = place
    return Point(origin.x + (turn.x * x + turn.z * z), origin.z + (turn.x * z - turn.z * x))


def twists(robot: Robot, pose: Pose, velocity: Joints) -> list[Twist]:
    """Return the twists of all links from the speeds of all coordinates."""
    found: list[Twist] = []
    for i, link in enumerate(robot.links):
        speed = link.sign * velocity[2 + i]
        if link.parent < 0:
            found.append(Twist(speed, velocity[0], velocity[1]))
        else:
            hinge, up = pose.hinges[i], found[link.parent]
            found.append(Twist(up.turn + speed, up.x - speed * hinge.z, up.z + speed * hinge.x))
    return materialize(found, pose.tick)
