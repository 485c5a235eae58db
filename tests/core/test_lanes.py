"""Functions of batches inside vmaps: one call with all lanes, however many vmaps there are."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.core.lanes import lanes_first, lanes_last, over_lanes
from envwright.errors import EnvwrightError

TABLE = {"step": jnp.float32(10)}


def counting(axis):
    """Adds a number of a table, and gives places of lanes; tells how many lanes there were."""
    called = []

    def batched(shared, x, y):
        lanes = x.shape[axis]
        called.append(lanes)
        shape = [1] * x.ndim
        shape[axis] = lanes
        place = jnp.arange(lanes, dtype=x.dtype).reshape(shape)
        return {"sum": x + y + shared["step"], "place": jnp.zeros_like(x) + place}

    return over_lanes(batched, axis), called


@pytest.mark.parametrize("axis", [-1, 0])
def test_one_lane_is_a_batch_of_one(axis):
    function, called = counting(axis)
    result = function(TABLE, jnp.ones(3), jnp.ones(3))
    assert called == [1]
    assert result["sum"].tolist() == [12, 12, 12] and result["place"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("axis", [-1, 0])
def test_a_vmap_is_one_call(axis):
    function, called = counting(axis)
    x = jnp.arange(12.0).reshape(4, 3)
    result = jax.vmap(lambda x: function(TABLE, x, jnp.ones(3)))(x)
    assert called[-1] == 4  # traced once for one lane before that
    assert np.array_equal(result["sum"], x + 11)
    assert result["place"].tolist() == [[lane] * 3 for lane in range(4)]


@pytest.mark.parametrize("axis", [-1, 0])
def test_two_vmaps_are_one_call_of_all_lanes(axis):
    function, called = counting(axis)
    x = jnp.arange(24.0).reshape(2, 4, 3)
    result = jax.vmap(jax.vmap(lambda x: function(TABLE, x, jnp.ones(3))))(x)
    assert called[-1] == 8
    assert np.array_equal(result["sum"], x + 11)
    assert result["place"][:, :, 0].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_tables_of_their_own_for_each_lane_are_refused():
    function, _ = counting(0)
    with pytest.raises(EnvwrightError, match="shared by all lanes"):
        jax.vmap(function)({"step": jnp.ones(4)}, jnp.ones((4, 3)), jnp.ones((4, 3)))


def test_lanes_move_to_the_end_and_back():
    tree = {"a": jnp.ones((5, 2, 3)), "b": jnp.ones(5)}
    assert lanes_last(tree)["a"].shape == (2, 3, 5)
    assert jax.tree.all(jax.tree.map(np.array_equal, lanes_first(lanes_last(tree)), tree))
