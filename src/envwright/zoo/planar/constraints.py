"""Joint limits and contacts with the ground: soft, one-sided springs.

A constraint requests an acceleration (`target`) with a strength (`weight`, 0 where nothing is
touched), and only ever pushes. A contact has a pyramid for a friction cone. MuJoCo gives it four
edges: the normal with friction forwards, backwards, left and right. Nothing moves sideways in a
plane, so that the last two are both the normal alone: three rows, one of which counts twice.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from envwright.zoo.planar.kinematics import Joints, Point, Pose, Twist
from envwright.zoo.planar.model import Link, Robot, Softness, Tip

_LEAST, _MOST = 0.0001, 0.9999  # impedances are cut to this: mjMINIMP, mjMAXIMP


class LimitRow(NamedTuple):
    """The end of a hinge's range that is nearer."""

    sign: jax.Array  # 1 at the low end, -1 at the high one
    weight: jax.Array
    target: jax.Array


class Contact(NamedTuple):
    """A tip and the ground."""

    place: Point  # seen from the trunk's hinge
    weight: jax.Array  # of each edge
    normal: jax.Array  # target of the normal
    slide: jax.Array  # what friction adds to it forwards, and takes away backwards


class Rows(NamedTuple):
    """All constraints that may push."""

    limits: list[LimitRow]  # one for each of the robot's `limited` links
    contacts: list[Contact]  # one for each of its tips


def rows(robot: Robot, pose: Pose, moving: list[Twist], position: Joints, velocity: Joints) -> Rows:
    """Return the constraints of a state."""
    return Rows(
        [_limit(robot.links[i], position[2 + i], velocity[2 + i]) for i in robot.limited],
        [
            _contact(tip, pose.height, ball, moving[tip.link])
            for tip, ball in zip(robot.tips, pose.tips, strict=True)
        ],
    )


def _limit(link: Link, position: jax.Array, velocity: jax.Array) -> LimitRow:
    limit = link.limit
    assert limit is not None
    low, high = position - limit.low, limit.high - position
    sign = jnp.where(low < high, 1.0, -1.0).astype(position.dtype)
    inside = jnp.minimum(low, high) - limit.margin
    weight, target = _spring(limit.softness, inside, sign * velocity, link.inverse_weight)
    return LimitRow(sign, weight, target)


def _contact(tip: Tip, height: jax.Array, ball: Point, moving: Twist) -> Contact:
    distance = height + ball.z - tip.radius
    # MuJoCo puts a contact half-way between the two surfaces.
    place = Point(ball.x, ball.z - tip.radius - 0.5 * distance)
    speed, mu = moving.at(place), tip.friction
    # All edges have the weight that MuJoCo gives to the first: 1 / (2 mu^2 R).
    scale = 2 * mu * mu * (tip.inverse_weight * (1 + mu * mu))
    weight, normal = _spring(tip.softness, distance - tip.margin, speed.z, scale)
    slide = (-_damping(tip.softness) * mu) * speed.x
    return Contact(place, weight, normal, slide)


def _spring(
    softness: Softness, inside: jax.Array, speed: jax.Array, inverse_weight: float
) -> tuple[jax.Array, jax.Array]:
    """Return weight and target acceleration of a constraint that is violated where `inside` < 0."""
    impedance = _impedance(softness, inside)
    period = _cut(softness.most) * softness.time_constant * softness.damping_ratio
    target = -_damping(softness) * speed - period**-2 * (impedance * inside)
    weight = impedance / ((1.0 - impedance) * inverse_weight)
    return jnp.where(inside < 0, weight, 0.0), target


def _damping(softness: Softness) -> float:
    return 2.0 / (_cut(softness.most) * softness.time_constant)


def _impedance(softness: Softness, inside: jax.Array) -> jax.Array:
    """Return the impedance, which grows from `least` to `most` along an S over `width`."""
    least, most, middle = _cut(softness.least), _cut(softness.most), _cut(softness.midpoint)
    x = jnp.minimum(jnp.abs(inside) * (1.0 / softness.width), 1.0)
    low = _raised(x, softness.power) * middle ** (1 - softness.power)
    high = 1.0 - _raised(1.0 - x, softness.power) * (1 - middle) ** (1 - softness.power)
    return least + jnp.where(x <= middle, low, high) * (most - least)


def _raised(x: jax.Array, power: float) -> jax.Array:
    return x * x if power == 2 else jnp.power(x, power)


def _cut(impedance: float) -> float:
    return min(max(impedance, _LEAST), _MOST)
