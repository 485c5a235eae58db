"""`exact_div` and `rounded` are NumPy's arithmetic bit for bit, however they are compiled."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwright.core.exact import exact_div, rounded, scalar_power

SIZE = 4096
CONSTANTS = [1.1, 3.0, 10.0, 0.1, 1e-3, 7e5]


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def dtype(request):
    """Runs a test in this precision; x64 is on for its time only."""
    with jax.enable_x64(request.param is np.float64):
        yield np.dtype(request.param)


def numbers(dtype, seed=0):
    rng = np.random.default_rng(seed)
    spread = rng.normal(size=SIZE) * 10.0 ** rng.integers(-6, 6, SIZE)
    return spread.astype(dtype)


def wrong(got, want):
    """How many results differ from NumPy's in any bit."""
    got = np.asarray(got)
    assert got.dtype == want.dtype
    return int((got.view(f"u{got.itemsize}") != want.view(f"u{want.itemsize}")).sum())


COMPILED = {
    "jit": jax.jit,
    "vmap": lambda fn: jax.jit(jax.vmap(fn)),
    "eager": lambda fn: fn,
}


@pytest.mark.parametrize("way", COMPILED)
def test_division_by_constants_is_exact(way, dtype):
    x = numbers(dtype)
    divide = COMPILED[way](lambda a: tuple(exact_div(a, c) for c in CONSTANTS))
    for constant, got in zip(CONSTANTS, divide(x), strict=True):
        assert wrong(got, x / dtype.type(constant)) == 0


def test_division_by_a_traced_scalar_is_exact(dtype):
    x = numbers(dtype)
    divide = jax.jit(exact_div)
    over_lanes = jax.jit(jax.vmap(exact_div, (0, None)))
    for constant in CONSTANTS:
        want = x / dtype.type(constant)
        assert wrong(divide(x, dtype.type(constant)), want) == 0
        assert wrong(over_lanes(x, dtype.type(constant)), want) == 0


def test_division_of_arrays_is_exact(dtype):
    a, b = numbers(dtype, 1), numbers(dtype, 2)
    assert wrong(jax.jit(exact_div)(a, b), a / b) == 0


def test_division_of_integers_is_exact(dtype):
    x = np.arange(-2000, 2000, dtype=np.int32)
    divide = jax.jit(lambda a: exact_div(a, 10.0))
    assert wrong(divide(x), x.astype(dtype) / dtype.type(10)) == 0


def test_division_inside_a_loop_is_exact(dtype):
    def body(x, _):
        x = exact_div(x + 1, 1.1)
        return x, x

    start = numbers(dtype)[:64]
    _, got = jax.jit(lambda x: jax.lax.scan(body, x, None, length=20))(start)
    want = start
    for step in got:
        want = (want + dtype.type(1)) / dtype.type(1.1)
        assert wrong(step, want) == 0


@pytest.mark.parametrize("way", COMPILED)
def test_a_rounded_product_is_not_fused_with_the_sum(way, dtype):
    a, b, c = (numbers(dtype, seed) for seed in (1, 2, 3))
    # Cancellation shows a fused product best: b is chosen so that a * b nearly equals -c.
    c = -(a * b) + c * dtype.type(1e-7)
    fused_apart = COMPILED[way](lambda a, b, c: rounded(a * b) + c)
    assert wrong(fused_apart(a, b, c), a * b + c) == 0


def test_products_on_both_sides_of_a_difference_are_rounded(dtype):
    a, b, c, d = (numbers(dtype, seed) for seed in (1, 2, 3, 4))
    difference = jax.jit(lambda a, b, c, d: rounded(a * b) - rounded(c * d))
    assert wrong(difference(a, b, c, d), a * b - c * d) == 0


@pytest.mark.parametrize("way", COMPILED)
def test_a_rounded_product_of_a_whole_number_is_not_fused_either(way, dtype):
    whole = np.arange(1, 2001, dtype=np.int32)
    factor = dtype.type(0.1)
    c = -(whole.astype(dtype) * factor) + numbers(dtype)[:2000] * dtype.type(1e-7)
    apart = COMPILED[way](lambda n, c: rounded(n.astype(c.dtype) * factor, whole=True) + c)
    assert wrong(apart(whole, c), whole.astype(dtype) * factor + c) == 0


@pytest.mark.parametrize("power", [2, 3, -1, 0.5])
def test_a_power_of_single_numbers_is_the_system_s_in_float64(power):
    values = np.random.default_rng(0).uniform(0.1, 6, 5000)
    with jax.enable_x64(True):
        ours = np.asarray(jax.jit(lambda x: scalar_power(x, power))(values))
        base = jax.jit(lambda n: scalar_power(power + 1.5, n))(values[:100])
    assert wrong(ours, np.array([x**power for x in values])) == 0
    assert wrong(np.asarray(base), np.array([(power + 1.5) ** x for x in values[:100]])) == 0
    fast = jax.jit(lambda x: scalar_power(x, power))(values.astype(np.float32))
    np.testing.assert_allclose(fast, values**power, rtol=1e-6)


def test_special_values_pass_through(dtype):
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)
    with np.errstate(all="ignore"):
        want = special / dtype.type(3)
    got = np.asarray(jax.jit(lambda a: exact_div(a, 3.0))(special))
    assert np.array_equal(got, want, equal_nan=True)
    assert np.array_equal(np.signbit(got[:4]), np.signbit(want[:4]))
    for way in (rounded, partial(rounded, whole=True)):
        assert np.array_equal(np.asarray(jax.jit(way)(special)), special, equal_nan=True)
    assert np.isinf(jax.jit(lambda a: exact_div(a, 0.0))(dtype.type(1)))


def test_dtypes_stay_strong_and_narrow():
    half = jnp.zeros((), jnp.float32)
    for result in (exact_div(half, 3.0), rounded(half), exact_div(jnp.int32(1), 2)):
        assert result.dtype == jnp.float32 and not result.weak_type


def test_an_integer_product_stays_an_integer():
    assert rounded(jnp.int32(2**30 + 1)) == 2**30 + 1
    assert rounded(jnp.int32(3)).dtype == jnp.int32


@settings(max_examples=60)
@given(
    st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False),
    st.floats(2.0**-60, 2.0**60, width=32),
)
def test_any_two_numbers_divide_exactly(a, b):
    with np.errstate(all="ignore"):
        want = np.float32(a) / np.float32(b)
    got = np.asarray(_divide(np.float32(a), np.float32(b)))
    # XLA on CPUs may flush subnormal results to zero, which is no matter of rounding.
    assert got == want or abs(want) < np.finfo(np.float32).tiny


_divide = jax.jit(exact_div)


def test_why_they_exist_plain_arithmetic_may_differ_from_numpy():
    """No claim about a machine, which may be exact by itself: the counts tell what it does."""
    x, y, z = (numbers(np.float32, seed) for seed in (1, 2, 3))
    tenth, near = x / np.float32(10), -(x * y) + z
    barrier = jax.lax.optimization_barrier
    plain = {
        "a / 10": wrong(jax.jit(lambda a: a / 10.0)(x), tenth),
        "a / barrier(10)": wrong(jax.jit(lambda a: a / barrier(jnp.float32(10)))(x), tenth),
        "a * b + c": wrong(jax.jit(lambda a, b, c: a * b + c)(x, y, near), x * y + near),
    }
    print({expression: f"{count} of {SIZE} differ" for expression, count in plain.items()})
    assert wrong(jax.jit(partial(exact_div, b=10.0))(x), tenth) == 0 <= min(plain.values())
