import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from envwright.verify.adequacy.decisions.pieces import in_pieces

TABLE = np.arange(3, dtype=np.float32)


def winding(x, key):
    """Constants, calls, loops, results used late, an input and a literal among the outputs."""
    early = x * 2
    drawn = jax.random.uniform(key, (3,))
    x = jax.jit(jnp.sin)(x) + jnp.asarray(TABLE)
    unused = jnp.linalg.inv(jnp.outer(x, x))
    del unused
    x = lax.fori_loop(0, 4, lambda i, c: c + i, x) + drawn
    return jnp.cos(x) + early, 7, early, key


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_pieces_of_any_size_give_the_same(size):
    args = (jnp.arange(3.0), jax.random.key(1))
    expected = winding(*args)
    closed = jax.make_jaxpr(winding)(*args)
    out = in_pieces(closed, size)(args)
    assert out[3] == expected[3]
    for ours, theirs in zip(out[:3], expected[:3], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_what_no_output_needs_does_not_run():
    ran = []

    def fn(x):
        jax.pure_callback(lambda v: ran.append(v) or v, jax.ShapeDtypeStruct((), jnp.float32), x)
        return x + 1

    (out,) = in_pieces(jax.make_jaxpr(fn)(1.0), 1)([jnp.float32(1)])
    assert (float(out), ran) == (2.0, [])
