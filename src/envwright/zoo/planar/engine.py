"""A step in time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from envwright.errors import EnvwrightError
from envwright.zoo.planar.constraints import rows
from envwright.zoo.planar.dynamics import (
    added,
    bias_forces,
    factor,
    inertias,
    motor_forces,
    passive_forces,
    solve,
)
from envwright.zoo.planar.kinematics import Joints, pose, twists
from envwright.zoo.planar.model import Robot
from envwright.zoo.planar.solver import Problem, armatures, push, solve_constrained

Controls = list[jax.Array]
Run = Callable[["Motion", Controls], tuple["Motion", jax.Array]]
BEYOND = 1e10  # MuJoCo calls a number bad if it is larger than this, or NaN


class Motion(NamedTuple):
    """The state that a step starts from."""

    position: Joints
    velocity: Joints
    acceleration: Joints  # of the step before: the solver's first guess


@cache
def runner(robot: Robot, count: int) -> Run:
    """Return a function that makes `count` sub-steps with the same controls.

    It returns the motion after them, and the distance that the trunk moved. The way is summed up,
    since far from the start a difference of places in float32 would have lost its digits.

    A batch is not made by JAX out of single robots, which would make every loop and every choice
    one for each robot; it is computed as it stands, one array for each number.
    """
    if robot.integrator != "euler":
        raise EnvwrightError(
            f"{robot.name} is integrated by {robot.integrator}; only euler is known here"
        )

    def plain(motion: Motion, controls: Controls) -> tuple[Motion, jax.Array]:
        begin = motion.position[0]

        def one(tick: jax.Array, carry: tuple) -> tuple:
            before, controls, moved = carry
            after, anew = substep(robot, before, controls, tick)
            way = moved + robot.timestep * after.velocity[0]
            moved = jnp.where(anew, after.position[0] - begin, way)
            return after, [jnp.where(anew, 0.0, control) for control in controls], moved

        # A loop, not unrolled: compiled to one, every number would be computed again and again.
        start = (motion, controls, jnp.zeros_like(begin))
        motion, _, moved = jax.lax.fori_loop(0, count, one, start)
        return motion, moved

    whole_batch = jax.custom_batching.custom_vmap(plain)

    @whole_batch.def_vmap
    def batch_of(size: int, batched: Any, motion: Motion, controls: Controls) -> tuple:
        def spread(array: jax.Array, is_batched: bool) -> jax.Array:
            return array if is_batched else jnp.broadcast_to(array, (size, *jnp.shape(array)))

        result = whole_batch(*jax.tree.map(spread, (motion, controls), tuple(batched)))
        return result, jax.tree.map(lambda _: True, result)

    @jax.custom_jvp
    def run(motion: Motion, controls: Controls) -> tuple[Motion, jax.Array]:
        return whole_batch(motion, controls)

    @run.defjvp
    def derivative(primals: tuple, tangents: tuple) -> tuple:
        # JAX cannot differentiate what is batched by hand.
        return jax.jvp(plain, primals, tangents)

    return run


def substep(
    robot: Robot, motion: Motion, controls: Controls, tick: jax.Array
) -> tuple[Motion, jax.Array]:
    """Return the motion a timestep later, and whether it restarted.

    `tick` numbers the sub-steps of a loop from 0.

    Where a position, a velocity or an acceleration is bad, MuJoCo restarts from the robot's
    reference posture, without controls: a quirk that keeps every number finite.
    """
    problem = posed(robot, motion, controls, tick)
    acceleration = solve_constrained(robot, problem, motion.acceleration)
    after = integrated(robot, motion, problem, acceleration)
    bad = _any_bad([*motion.position, *motion.velocity, *after.acceleration])
    parts: tuple[Any, ...] = tuple(list(part) for part in robot.after_reset)
    fresh = Motion(*parts)

    def unless_bad(number: jax.Array, instead: float) -> jax.Array:
        return jnp.where(bad, instead, number)

    return jax.tree.map(unless_bad, after, fresh), bad


def integrated(robot: Robot, motion: Motion, problem: Problem, acceleration: Joints) -> Motion:
    """Integrate by semi-implicit Euler: velocities first, then positions.

    The damping of hinges is implicit.
    """
    dt = robot.timestep
    damped = armatures(robot, problem.pose.height, damped=dt)
    f = factor(robot, problem.pose, problem.inertia, damped)
    forces = added(problem.forces, push(robot, problem, acceleration))
    implicit = solve(robot, problem.pose, f, forces)
    velocity = [v + dt * a for v, a in zip(motion.velocity, implicit, strict=True)]
    position = [q + dt * v for q, v in zip(motion.position, velocity, strict=True)]
    return Motion(position, velocity, acceleration)


def posed(robot: Robot, motion: Motion, controls: Controls, tick: jax.Array) -> Problem:
    """Return the equations of a moment."""
    position, velocity, _ = motion
    at = pose(robot, position, tick)
    moving = twists(robot, at, velocity)
    forces = added(
        passive_forces(robot, position, velocity),
        motor_forces(robot, controls),
        [-force for force in bias_forces(robot, at, moving)],
    )
    return Problem(at, inertias(robot, at), forces, rows(robot, at, moving, position, velocity))


def without_bad(robot: Robot, controls: Controls) -> list[jax.Array]:
    """Clip controls to the motors' range; all are 0 if one is NaN."""
    bad = jnp.zeros(jnp.shape(controls[0]), bool)
    for control in controls:
        bad |= jnp.isnan(control)
    return [
        jnp.where(bad, 0.0, jnp.clip(control, motor.low, motor.high))
        for motor, control in zip(robot.motors, controls, strict=True)
    ]


def _any_bad(numbers: list[jax.Array]) -> jax.Array:
    good = jnp.ones(jnp.shape(numbers[0]), bool)
    for number in numbers:
        good &= jnp.abs(number) <= BEYOND
    return ~good
