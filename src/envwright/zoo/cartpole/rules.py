"""A pole on a cart: the motion, and when it has fallen, without anything about RL.

The order of every operation is the reference's, so that float64 agrees with it bit for
bit; `rounded` and `exact_div` keep the compiler from fusing or replacing them.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from envwright.core.exact import exact_div, rounded
from envwright.core.pytree import pytree_dataclass


@pytree_dataclass
class Physics:
    """The cart, the pole and the track."""

    gravity: jax.Array | float = 9.8
    cart_mass: jax.Array | float = 1.0
    pole_mass: jax.Array | float = 0.1
    half_length: jax.Array | float = 0.5  # of the pole
    push: jax.Array | float = 10.0  # newtons
    tick: jax.Array | float = 0.02  # seconds between states
    x_limit: jax.Array | float = 2.4
    theta_limit: jax.Array | float = 12 * 2 * math.pi / 360

    @property
    def total_mass(self) -> jax.Array | float:
        return self.pole_mass + self.cart_mass

    @property
    def pole_moment(self) -> jax.Array | float:
        return self.pole_mass * self.half_length


@pytree_dataclass
class Motion:
    """Positions and velocities of the cart and the pole."""

    x: jax.Array  # float[], metres from the middle of the track
    x_dot: jax.Array  # float[]
    theta: jax.Array  # float[], radians from upright
    theta_dot: jax.Array  # float[]


def accelerations(m: Motion, force: jax.Array, p: Physics) -> tuple[jax.Array, jax.Array]:
    """Return the accelerations of the cart and of the pole, under a force on the cart."""
    cos, sin = jnp.cos(m.theta), jnp.sin(m.theta)
    swing = rounded(p.pole_moment * jnp.square(m.theta_dot) * sin)
    cart_if_pole_were_still = exact_div(force + swing, p.total_mass)
    torque = rounded(p.gravity * sin) - rounded(cos * cart_if_pole_were_still)
    share = exact_div(p.pole_mass * jnp.square(cos), p.total_mass)
    theta_acc = torque / (p.half_length * (4.0 / 3.0 - share))
    x_acc = cart_if_pole_were_still - exact_div(p.pole_moment * theta_acc * cos, p.total_mass)
    return x_acc, theta_acc


def move(m: Motion, push_right: jax.Array, p: Physics) -> Motion:
    """Take one step of explicit Euler: positions follow the *old* velocities."""
    force = jnp.where(push_right, p.push, -p.push).astype(m.x.dtype)
    x_acc, theta_acc = accelerations(m, force, p)
    return Motion(
        x=m.x + rounded(p.tick * m.x_dot),
        x_dot=m.x_dot + rounded(p.tick * x_acc),
        theta=m.theta + rounded(p.tick * m.theta_dot),
        theta_dot=m.theta_dot + rounded(p.tick * theta_acc),
    )


def has_fallen(m: Motion, p: Physics) -> jax.Array:
    """Return whether it is off the track or too far from upright; a limit itself is still fine."""
    return (
        (m.x < -p.x_limit)
        | (m.x > p.x_limit)
        | (m.theta < -p.theta_limit)
        | (m.theta > p.theta_limit)
    )
