"""Facts about a pole on a cart that hold for every motion."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from envwright.zoo.cartpole.rules import Motion, Physics, has_fallen, move

PHYSICS = Physics()
FIELDS = ("x", "x_dot", "theta", "theta_dot")
BATCH = 16  # motions that are moved together: one compilation for all examples

motions = arrays(np.float64, (BATCH, 4), elements=st.floats(-5, 5, allow_subnormal=False))
pushes = arrays(np.bool_, (BATCH,))
quick = settings(max_examples=40)


@pytest.fixture(scope="module")
def step():
    """Float64 motions `[B, 4]` one tick later."""
    moved = jax.jit(jax.vmap(move, (0, 0, None)))

    def later(table, right):
        with jax.enable_x64(True):
            after = moved(Motion(*jnp.asarray(table, jnp.float64).T), jnp.asarray(right), PHYSICS)
            return np.stack([getattr(after, name) for name in FIELDS], axis=-1)

    return later


@quick
@given(table=motions, right=pushes)
def test_the_mirrored_motion_moves_in_mirror_image(step, table, right):
    np.testing.assert_array_equal(step(-table, ~right), -step(table, right))


@quick
@given(table=motions, right=pushes)
def test_positions_follow_the_old_velocities_exactly(step, table, right):
    after = step(table, right)
    for position, velocity in ((0, 1), (2, 3)):
        expected = table[:, position] + PHYSICS.tick * table[:, velocity]
        np.testing.assert_array_equal(after[:, position], expected)


@quick
@given(table=motions, right=pushes, shift=st.floats(-100, 100))
def test_where_the_cart_is_does_not_change_how_it_accelerates(step, table, right, shift):
    moved = table + np.array([shift, 0, 0, 0])
    np.testing.assert_array_equal(step(moved, right)[:, 1:], step(table, right)[:, 1:])


@quick
@given(table=motions)
def test_a_push_to_the_right_drives_the_cart_right_and_an_upright_pole_left(step, table):
    table[:, 2] = np.clip(table[:, 2], -1.5, 1.5)  # above the horizon
    right, left = (step(table, np.full(BATCH, side)) for side in (True, False))
    assert np.all(right[:, 1] > left[:, 1])
    assert np.all(right[:, 3] <= left[:, 3])


@quick
@given(table=motions, right=pushes)
def test_the_step_is_the_textbooks_to_the_last_bit(step, table, right):
    x, x_dot, theta, theta_dot = table.T
    p = PHYSICS
    force = np.where(right, p.push, -p.push)
    sin, cos = np.sin(theta), np.cos(theta)
    temp = (force + p.pole_moment * np.square(theta_dot) * sin) / p.total_mass
    theta_acc = (p.gravity * sin - cos * temp) / (
        p.half_length * (4.0 / 3.0 - p.pole_mass * np.square(cos) / p.total_mass)
    )
    x_acc = temp - p.pole_moment * theta_acc * cos / p.total_mass
    expected = [
        x + p.tick * x_dot,
        x_dot + p.tick * x_acc,
        theta + p.tick * theta_dot,
        theta_dot + p.tick * theta_acc,
    ]
    np.testing.assert_array_equal(step(table, right), np.stack(expected, axis=-1))


def fallen(dtype, **where):
    with jax.enable_x64(True):
        still = {name: jnp.asarray(where.get(name, 0), dtype) for name in FIELDS}
        return bool(has_fallen(Motion(**still), PHYSICS))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(
    ("name", "limit"), [("x", PHYSICS.x_limit), ("theta", PHYSICS.theta_limit)]
)
def test_at_the_limit_it_is_still_up_and_one_float_beyond_it_has_fallen(name, limit, side, dtype):
    limit = dtype(side * limit)
    assert not fallen(dtype, **{name: limit})
    assert fallen(dtype, **{name: np.nextafter(limit, dtype(side * np.inf))})


@pytest.mark.parametrize("name", ["x_dot", "theta_dot"])
def test_no_speed_is_a_fall(name):
    assert not fallen(np.float64, **{name: 1e6})


def test_derived_quantities_follow_their_parts():
    heavy = Physics(cart_mass=2.0, pole_mass=0.5, half_length=0.25)
    assert (heavy.total_mass, heavy.pole_moment) == (2.5, 0.125)


def test_a_motion_keeps_its_dtype():
    still = Motion(*(jnp.float32(0),) * 4)
    after = move(still, jnp.bool_(True), PHYSICS)
    assert {getattr(after, name).dtype for name in FIELDS} == {np.dtype(np.float32)}
