"""Forces of gravity, springs and motion; and the accelerations that forces cause.

The mass matrix is never written down: a robot is a tree, so that its linear equations are solved
link by link, from the tips to the trunk and back (the articulated body algorithm). A constraint
that pulls on a link is an addition to its inertia, and a damped hinge an addition to its
armature: both are solved by the same sweep.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from envwright.zoo.planar.kinematics import Joints, Point, Pose, Twist, twists
from envwright.zoo.planar.materialize import materialize
from envwright.zoo.planar.model import Robot

Parts = TypeVar("Parts", bound=tuple)


class Inertia(NamedTuple):
    """A symmetric matrix over twists; upper triangle, row by row."""

    tt: jax.Array
    tx: jax.Array
    tz: jax.Array
    xx: jax.Array
    xz: jax.Array
    zz: jax.Array

    def __matmul__(self, v: Twist) -> Twist:  # type: ignore[override]
        return Twist(
            self.tt * v.turn + self.tx * v.x + self.tz * v.z,
            self.tx * v.turn + self.xx * v.x + self.xz * v.z,
            self.tz * v.turn + self.xz * v.x + self.zz * v.z,
        )


def plus(a: Parts, b: Parts) -> Parts:
    """Add two twists or two inertias."""
    return type(a)(*(x + y for x, y in zip(a, b, strict=True)))


def added(*forces: Joints) -> Joints:
    """Add coordinate by coordinate."""
    sums: list[Any] = [sum(parts[1:], parts[0]) for parts in zip(*forces, strict=True)]
    return sums


def inertias(robot: Robot, pose: Pose) -> list[Inertia]:
    """Return the inertia of each link about the trunk's hinge."""
    found = []
    for link, c in zip(robot.links, pose.centres, strict=True):
        mass, zero = jnp.full_like(c.x, link.mass), jnp.zeros_like(c.x)
        turning = link.inertia + link.mass * (c.x * c.x + c.z * c.z)
        found.append(Inertia(turning, link.mass * c.z, -link.mass * c.x, mass, zero, mass))
    return found


def passive_forces(robot: Robot, position: Joints, velocity: Joints) -> Joints:
    """Return the forces of springs and dampers in the hinges."""
    zero = jnp.zeros_like(position[0])
    return [zero, zero] + [
        -link.stiffness * (q - link.rest) - link.damping * v
        for link, q, v in zip(robot.links, position[2:], velocity[2:], strict=True)
    ]


def motor_forces(robot: Robot, controls: list[jax.Array]) -> Joints:
    """Return the forces of controls that are within their range."""
    forces = [jnp.zeros_like(controls[0])] * robot.size
    for motor, control in zip(robot.motors, controls, strict=True):
        forces[2 + motor.link] = motor.gear * control
    return forces


def bias_forces(robot: Robot, pose: Pose, moving: list[Twist]) -> Joints:
    """Return the forces that keep the motion without acceleration, against gravity."""
    zero = jnp.zeros_like(pose.height)
    rising: list[Point] = []  # acceleration of each hinge if all coordinates kept their speed
    wrenches = []
    for i, link in enumerate(robot.links):
        hinge, centre = pose.hinges[i], pose.centres[i]
        if link.parent < 0:
            rising.append(Point(zero, zero + robot.gravity))
        else:
            up, above = rising[link.parent], pose.hinges[link.parent]
            squared = moving[link.parent].turn ** 2
            rising.append(
                Point(up.x - squared * (hinge.x - above.x), up.z - squared * (hinge.z - above.z))
            )
        squared = moving[i].turn ** 2
        fx = link.mass * (rising[i].x - squared * (centre.x - hinge.x))
        fz = link.mass * (rising[i].z - squared * (centre.z - hinge.z))
        wrenches.append(Twist(centre.z * fx - centre.x * fz, fx, fz))
    return gathered(robot, pose, wrenches)


def gathered(robot: Robot, pose: Pose, wrenches: list[Twist]) -> Joints:
    """Return the joint forces of wrenches on the links, given at the trunk's hinge."""
    total = list(wrenches)
    angles: Joints = []
    for i in reversed(range(len(robot.links))):
        link, hinge, w = robot.links[i], pose.hinges[i], total[i]
        angles.append(link.sign * (w.turn - hinge.z * w.x + hinge.x * w.z))
        if link.parent >= 0:
            total[link.parent] = plus(total[link.parent], w)
    return [total[0].x, total[0].z, *reversed(angles)]


class Factor(NamedTuple):
    """A tree's equations, solved from the tips to the trunk."""

    pulls: list[Twist]  # of each hinge, as its link feels it; the trunk has none
    inverse: list[jax.Array]  # of what turns on each hinge
    trunk: tuple[jax.Array, ...]  # of the 3 by 3 matrix of the trunk


def factor(robot: Robot, pose: Pose, inertia: list[Inertia], diagonal: Joints) -> Factor:
    """Factor the equations of links with these inertias, with `diagonal` added at the hinges."""
    total = list(inertia)
    pulls: list[Twist] = []
    inverse: list[jax.Array] = []
    for i in reversed(range(1, len(robot.links))):
        hinge, m, parent = pose.hinges[i], total[i], robot.links[i].parent
        # The hinge's own twist is sign * (1, -z, x), and its sign counts twice or not at all.
        u = Twist(
            m.tt - m.tx * hinge.z + m.tz * hinge.x,
            m.tx - m.xx * hinge.z + m.xz * hinge.x,
            m.tz - m.xz * hinge.z + m.zz * hinge.x,
        )
        d = 1.0 / (u.turn - hinge.z * u.x + hinge.x * u.z + diagonal[2 + i])
        u, d = materialize((u, d), pose.tick)
        t, x, z = u.turn * d, u.x * d, u.z * d
        left = Inertia(
            m.tt - t * u.turn,
            m.tx - t * u.x,
            m.tz - t * u.z,
            m.xx - x * u.x,
            m.xz - x * u.z,
            m.zz - z * u.z,
        )
        total[parent] = materialize(plus(total[parent], left), pose.tick)
        pulls.append(u)
        inverse.append(d)
    return Factor(pulls[::-1], inverse[::-1], _trunk_factor(total[0]))


def _trunk_factor(m: Inertia) -> tuple[jax.Array, ...]:
    """Factor the trunk: x first, then z, then the angle."""
    x = 1.0 / m.xx
    lz, lt = m.xz * x, m.tx * x
    z = 1.0 / (m.zz - lz * m.xz)
    tz = m.tz - lt * m.xz
    kt = tz * z
    t = 1.0 / (m.tt - lt * m.tx - kt * tz)
    return x, z, t, lz, lt, kt


def solve(robot: Robot, pose: Pose, f: Factor, forces: Joints) -> Joints:
    """Solve for the accelerations of all coordinates."""
    zero = jnp.zeros_like(forces[0])
    felt = [Twist(zero, zero, zero)] * len(robot.links)
    rest: Joints = [zero] * len(robot.links)
    for i in reversed(range(1, len(robot.links))):
        link, hinge, p, u = robot.links[i], pose.hinges[i], felt[i], f.pulls[i - 1]
        own = link.sign * forces[2 + i] - (p.turn - hinge.z * p.x + hinge.x * p.z)
        rest[i] = materialize(own * f.inverse[i - 1], pose.tick)
        pushed = Twist(p.turn + u.turn * rest[i], p.x + u.x * rest[i], p.z + u.z * rest[i])
        felt[link.parent] = materialize(plus(felt[link.parent], pushed), pose.tick)
    sign = robot.links[0].sign
    moving = [_trunk_solve(f.trunk, sign * forces[2], forces, felt[0])]
    answer: Joints = [moving[0].x, moving[0].z, sign * moving[0].turn]
    for i in range(1, len(robot.links)):
        link, hinge, u = robot.links[i], pose.hinges[i], f.pulls[i - 1]
        up = moving[link.parent]
        a = rest[i] - (u.turn * up.turn + u.x * up.x + u.z * up.z) * f.inverse[i - 1]
        a = materialize(a, pose.tick)
        moving.append(Twist(up.turn + a, up.x - a * hinge.z, up.z + a * hinge.x))
        answer.append(link.sign * a)
    return answer


def _trunk_solve(
    factors: tuple[jax.Array, ...], turning: jax.Array, forces: Joints, felt: Twist
) -> Twist:
    ix, iz, it, lz, lt, kt = factors
    x, z, t = forces[0] - felt.x, forces[1] - felt.z, turning - felt.turn
    z = z - lz * x
    t = (t - lt * x - kt * z) * it
    z = z * iz - kt * t
    x = x * ix - lz * z - lt * t
    return Twist(t, x, z)


def times_mass(robot: Robot, pose: Pose, inertia: list[Inertia], x: Joints) -> Joints:
    """Return the mass matrix times accelerations: the forces that cause them."""
    moving = twists(robot, pose, x)
    wrenches = [m @ v for m, v in zip(inertia, moving, strict=True)]
    forces = gathered(robot, pose, wrenches)
    own = [link.armature * a for link, a in zip(robot.links, x[2:], strict=True)]
    return forces[:2] + added(forces[2:], own)
