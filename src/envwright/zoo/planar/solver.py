"""The accelerations that inertia, forces and constraints agree on.

They minimise a cost: half the squared distance from free motion, measured by the mass matrix,
and for each constraint that is violated half of its weight times the violation squared. Between
the places where a constraint begins or ceases to push, the cost is quadratic, and one solution
of a linear system finds its minimum (Newton's method). Where the constraints that push there are
those that were assumed, this is the minimum of all.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp

from envwright.zoo.planar.constraints import Contact, Rows
from envwright.zoo.planar.dynamics import Inertia, added, factor, gathered, plus, solve
from envwright.zoo.planar.kinematics import Joints, Pose, Twist, twists
from envwright.zoo.planar.line_search import Edge, length_of_step
from envwright.zoo.planar.materialize import materialize
from envwright.zoo.planar.model import Robot, Tip

QUICK_ITERATIONS = 8
MOST_ITERATIONS = 50
# The search ends at a step that moves each acceleration by less than this share of the largest.
_CLOSE = {"float32": 3e-6, "float64": 1e-14}


class Problem(NamedTuple):
    """The problem to solve."""

    pose: Pose
    inertia: list[Inertia]
    forces: Joints  # without constraints
    rows: Rows


class Violation(NamedTuple):
    """The violation of every row: acceleration less target; it pushes where this is negative."""

    limits: list[jax.Array]
    normals: list[jax.Array]
    slides: list[jax.Array]  # added on the forward edge, taken away on the backward one


Trial = tuple[Joints, Violation]  # accelerations, and their violation


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def solve_constrained(robot: Robot, problem: Problem, guess: Joints) -> Joints:
    """Solve for accelerations, starting from a guess.

    Whole Newton steps nearly always arrive. If they do not, they may cycle: then every step goes
    only as far as it lowers the cost.
    """

    def unsettled(carry: tuple) -> jax.Array:
        _, settled, iteration = carry
        return (iteration < MOST_ITERATIONS) & ~jnp.all(settled)

    def improve(carry: tuple) -> tuple:
        x, settled, iteration = carry
        target, here, there, now_settled = _newton(robot, problem, x)
        better = jax.lax.cond(
            iteration < QUICK_ITERATIONS,
            lambda: target,
            lambda: _not_too_far(robot, problem, (x, here), (target, there), now_settled),
        )
        x = [jnp.where(settled, a, b) for a, b in zip(x, better, strict=True)]
        return x, settled | now_settled, iteration + 1

    settled = jnp.zeros(jnp.shape(guess[0]), bool)
    x, _, _ = jax.lax.while_loop(unsettled, improve, (guess, settled, 0))
    return x


@solve_constrained.defjvp
def _solve_constrained_jvp(robot: Robot, primals: tuple, tangents: tuple) -> tuple:
    """Differentiate one Newton step from the solution, which depends on the problem alike."""
    problem, guess = primals
    x = solve_constrained(robot, problem, guess)
    _, moved = jax.jvp(lambda problem: _minimum(robot, problem, x)[0], (problem,), tangents[:1])
    return x, moved


def _newton(
    robot: Robot, problem: Problem, x: Joints
) -> tuple[Joints, Violation, Violation, jax.Array]:
    """Return a Newton step's end, violations at both ends, and whether nothing better is found."""
    target, here = _minimum(robot, problem, x)
    there = violation(robot, problem, target)
    same = jnp.ones(jnp.shape(x[0]), bool)
    for edge in _edges(problem.rows, here, there):
        same &= edge.keeps()
    most, moved = jnp.abs(target[0]), jnp.abs(target[0] - x[0])
    for a, b in zip(x[1:], target[1:], strict=True):
        most, moved = jnp.maximum(most, jnp.abs(b)), jnp.maximum(moved, jnp.abs(b - a))
    # NaN settles, too: nothing better will be found.
    return target, here, there, same | ~(moved > _CLOSE[str(most.dtype)] * most)


def _not_too_far(
    robot: Robot, problem: Problem, start: Trial, end: Trial, settled: jax.Array
) -> Joints:
    """Return nearly the lowest place on the way; its end if that is settled."""
    (x, here), (target, there) = start, end
    step = [b - a for a, b in zip(x, target, strict=True)]
    length = length_of_step(_edges(problem.rows, here, there), _energy(robot, problem, step))
    whole = settled | (length == 1)
    return [jnp.where(whole, b, a + length * d) for a, b, d in zip(x, target, step, strict=True)]


def _minimum(robot: Robot, problem: Problem, x: Joints) -> tuple[Joints, Violation]:
    """Return the minimum of the cost if the rows that push at `x` were springs both ways."""
    here = violation(robot, problem, x)
    inertia, diagonal, pulls = _assumed(robot, problem, here)
    f = factor(robot, problem.pose, inertia, diagonal)
    return solve(robot, problem.pose, f, added(problem.forces, pulls)), here


def violation(robot: Robot, problem: Problem, x: Joints) -> Violation:
    """Return how far accelerations are from the rows' targets."""
    moving = twists(robot, problem.pose, x)
    normals, slides = [], []
    for tip, contact in zip(robot.tips, problem.rows.contacts, strict=True):
        at = moving[tip.link].at(contact.place)
        normals.append(at.z - contact.normal)
        slides.append(tip.friction * at.x - contact.slide)
    limits = [
        row.sign * x[2 + i] - row.target
        for i, row in zip(robot.limited, problem.rows.limits, strict=True)
    ]
    return materialize(Violation(limits, normals, slides), problem.pose.tick)


def push(robot: Robot, problem: Problem, x: Joints) -> Joints:
    """Return the constraints' forces in the joints."""
    v = violation(robot, problem, x)
    wrenches = _no_wrenches(robot, problem)
    for i, (tip, contact) in enumerate(zip(robot.tips, problem.rows.contacts, strict=True)):
        normal, slide = v.normals[i], v.slides[i]
        ahead, behind = jnp.minimum(normal + slide, 0.0), jnp.minimum(normal - slide, 0.0)
        up = -contact.weight * (ahead + behind + 2 * jnp.minimum(normal, 0.0))
        along = -contact.weight * tip.friction * (ahead - behind)
        wrenches[tip.link] = plus(wrenches[tip.link], _wrench(contact, along, up))
    forces = gathered(robot, problem.pose, wrenches)
    for i, row, value in zip(robot.limited, problem.rows.limits, v.limits, strict=True):
        forces[2 + i] -= row.sign * (row.weight * jnp.minimum(value, 0.0))
    return forces


def _no_wrenches(robot: Robot, problem: Problem) -> list[Twist]:
    zero = jnp.zeros_like(problem.pose.height)
    return [Twist(zero, zero, zero)] * len(robot.links)


def _wrench(contact: Contact, along: jax.Array, up: jax.Array) -> Twist:
    return Twist(contact.place.z * along - contact.place.x * up, along, up)


def _assumed(robot: Robot, problem: Problem, v: Violation) -> tuple[list[Inertia], Joints, Joints]:
    """Return inertias, diagonal and forces if the rows that push now were springs both ways."""
    inertia, wrenches = list(problem.inertia), _no_wrenches(robot, problem)
    for i, (tip, contact) in enumerate(zip(robot.tips, problem.rows.contacts, strict=True)):
        matrix, wrench = _as_spring(tip, contact, v.normals[i], v.slides[i])
        inertia[tip.link] = plus(inertia[tip.link], matrix)
        wrenches[tip.link] = plus(wrenches[tip.link], wrench)
    diagonal = armatures(robot, problem.pose.height)
    forces = gathered(robot, problem.pose, wrenches)
    for i, row, value in zip(robot.limited, problem.rows.limits, v.limits, strict=True):
        weight = jnp.where(value < 0, row.weight, 0.0)
        diagonal[2 + i] += weight
        forces[2 + i] += row.sign * (weight * row.target)
    return materialize((inertia, diagonal, forces), problem.pose.tick)


def armatures(robot: Robot, like: jax.Array, damped: float = 0.0) -> Joints:
    """Return what the hinges add to the diagonal: armature, and damping over a time."""
    own = [0.0, 0.0] + [link.armature + damped * link.damping for link in robot.links]
    return [jnp.full_like(like, number) for number in own]


def _as_spring(
    tip: Tip, contact: Contact, normal: jax.Array, slide: jax.Array
) -> tuple[Inertia, Twist]:
    """Return what a contact adds to inertia and force if the edges that push now were springs."""
    mu, (x, z) = tip.friction, contact.place
    ahead = jnp.where(normal + slide < 0, contact.weight, 0.0)
    behind = jnp.where(normal - slide < 0, contact.weight, 0.0)
    upright = jnp.where(normal < 0, 2 * contact.weight, 0.0)
    nn = ahead + behind + upright
    ns = (ahead - behind) * mu
    ss = (ahead + behind) * (mu * mu)
    turning = nn * (x * x) - 2 * ns * (x * z) + ss * (z * z)
    matrix = Inertia(turning, ss * z - ns * x, ns * z - nn * x, ss, ns, nn)
    forward, backward = contact.normal + contact.slide, contact.normal - contact.slide
    up = ahead * forward + behind * backward + upright * contact.normal
    along = (ahead * forward - behind * backward) * mu
    return matrix, _wrench(contact, along, up)


def _edges(rows: Rows, here: Violation, there: Violation) -> list[Edge]:
    """Return every row's weight, and its violation at both ends of a step."""
    found = [
        Edge(row.weight, a, b)
        for row, a, b in zip(rows.limits, here.limits, there.limits, strict=True)
    ]
    for i, contact in enumerate(rows.contacts):
        na, nb, sa, sb = here.normals[i], there.normals[i], here.slides[i], there.slides[i]
        found.append(Edge(contact.weight, na + sa, nb + sb))
        found.append(Edge(contact.weight, na - sa, nb - sb))
        found.append(Edge(2 * contact.weight, na, nb))
    return found


def _energy(robot: Robot, problem: Problem, x: Joints) -> jax.Array:
    """x' M x."""
    total = jnp.zeros_like(x[0])
    for m, v in zip(problem.inertia, twists(robot, problem.pose, x), strict=True):
        w = m @ v
        total = total + v.turn * w.turn + v.x * w.x + v.z * w.z
    for link, a in zip(robot.links, x[2:], strict=True):
        total = total + link.armature * a * a
    return total
