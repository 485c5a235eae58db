"""Spaces sample what they contain, and say the same as Gymnasium's."""

from functools import cache

import gymnasium
import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwright.core.spaces import (
    Box,
    Dict,
    Discrete,
    DiscreteTuple,
    MultiBinary,
    MultiDiscrete,
    Tuple,
    from_gymnasium,
)
from envwright.errors import EnvwrightError

KEYS = jax.random.split(jax.random.key(0), 32)
INF = np.inf

SPACES = [
    Discrete(7),
    Discrete(3, start=-1),
    MultiDiscrete((2, 5, 3)),
    MultiDiscrete([[2, 3], [4, 5]], start=[[0, 1], [-2, 0]]),
    MultiBinary(4),
    MultiBinary((2, 3)),
    Box(-1, 1, (3,)),
    Box([-INF, 0, -2, -INF], [INF, INF, 5, 1]),
    Box(-3.4e38, 3.4e38, (4,)),
    Box(0, 255, (2, 2), np.uint8),
    Box(-(2**31), 2**31 - 1, (8,), np.int32),
    Box(0, 2**32 - 1, (8,), np.uint32),
    Box([-5, 0], [-3, 0], dtype=np.int32),
    Dict({"a": Discrete(3), "b": Box(0, 1, (2,))}),
    Tuple((Discrete(3), Box(0, 1, (2,)))),
]
ARRAYS = [space for space in SPACES if not isinstance(space, Dict | Tuple)]


@cache
def samples(space):
    """One from each key."""
    return jax.jit(jax.vmap(space.sample))(KEYS)


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_samples_are_elements_here_and_in_gymnasium(space):
    theirs = space.to_gymnasium()
    sample = samples(space)
    for i in range(len(KEYS)):
        one = jax.tree.map(lambda x: np.asarray(x[i]), sample)  # noqa: B023
        assert space.contains(one)
        assert theirs.contains(one)


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_gymnasiums_samples_are_elements_here(space):
    theirs = space.to_gymnasium()
    theirs.seed(0)
    assert all(space.contains(theirs.sample()) for _ in range(20))


@pytest.mark.parametrize("space", [*SPACES, DiscreteTuple((3, 2), (1, 0))], ids=repr)
def test_a_space_survives_the_way_to_gymnasium_and_back(space):
    assert from_gymnasium(space.to_gymnasium()) == space
    assert hash(from_gymnasium(space.to_gymnasium())) == hash(space)


def test_spaces_without_a_fixed_shape_are_bad_input():
    letters = gymnasium.spaces.Sequence(gymnasium.spaces.Discrete(3))
    with pytest.raises(EnvwrightError, match="no fixed shape; wrap the environment"):
        from_gymnasium(letters)


@pytest.mark.parametrize("space", ARRAYS, ids=repr)
def test_samples_have_the_declared_shape_and_dtype(space):
    drawn = samples(space)
    assert (drawn.shape[1:], drawn.dtype) == (space.shape, space.dtype)


def test_discrete_samples_reach_every_element():
    assert set(np.asarray(samples(Discrete(7))).tolist()) == set(range(7))


def test_integer_boxes_reach_both_bounds_and_fill_wide_ranges():
    small = np.asarray(samples(Box([-5, 0], [-3, 0], dtype=np.int32)))
    assert set(small[:, 0].tolist()) == {-5, -4, -3} and set(small[:, 1].tolist()) == {0}
    wide = np.asarray(samples(Box(0, 2**32 - 1, (8,), np.uint32)))
    assert len(np.unique(wide & 0xFF)) > 120, "the low bits are random too"
    assert wide.min() < 2**29 and wide.max() > 2**32 - 2**29


def test_real_boxes_spread_over_their_bounds():
    drawn = np.asarray(samples(Box(-1, 1, (3,))))
    assert abs(drawn.mean()) < 0.25 and drawn.min() < -0.9 and drawn.max() > 0.9


def test_a_float64_box_samples_float64_where_jax_has_it():
    real, integer = Box(0, 1, (2,), np.float64), Box(0, 2**62, (2,), np.int64)
    dtypes = lambda: [jax.eval_shape(box.sample, KEYS[0]).dtype for box in (real, integer)]  # noqa: E731
    with jax.enable_x64(True):
        assert dtypes() == [np.float64, np.int64]
    assert dtypes() == [np.float32, np.int32]


@pytest.mark.parametrize(
    ("space", "stranger"),
    [
        (Discrete(3), 3),
        (Discrete(3), -1),
        (Discrete(3), 1.0),
        (Discrete(3), [1]),
        (MultiDiscrete((2, 5)), [1, 5]),
        (MultiDiscrete((2, 5)), [1]),
        (MultiDiscrete((2, 5)), [0.0, 1.0]),
        (Box(0, 1, (2,)), [0.5, 1.5]),
        (Box(0, 1, (2,)), [0.5, np.nan]),
        (Box(0, 1, (2,)), [0.5]),
        (Box(0, 9, (1,), np.int32), [0.5]),
        (Dict({"a": Discrete(2)}), {"a": 2}),
        (Dict({"a": Discrete(2)}), {"b": 1}),
        (Dict({"a": Discrete(2)}), 1),
    ],
)
def test_a_stranger_is_no_element(space, stranger):
    assert not space.contains(stranger)


def test_bounds_are_elements():
    box = Box([-1, 0], [1, INF])
    assert box.contains(box.low) and box.contains(box.high)
    assert box.contains(np.array([0.5, 3.0])), "float64 is of the same kind"


@settings(max_examples=50)
@given(st.integers(1, 50), st.integers(-60, 60))
def test_discrete_agrees_with_gymnasium(n, x):
    assert Discrete(n).contains(x) == Discrete(n).to_gymnasium().contains(x)


@settings(max_examples=50)
@given(st.lists(st.floats(-3, 3, width=32), min_size=3, max_size=3))
def test_box_agrees_with_gymnasium(x):
    box, value = Box([-1, -INF, 0], [1, 2, INF]), np.array(x, np.float32)
    assert box.contains(value) == box.to_gymnasium().contains(value)


def test_spaces_are_equal_by_value_and_can_be_keys():
    for make in (
        lambda: Discrete(3),
        lambda: MultiDiscrete((1, 2)),
        lambda: Box(0, 1, (2,)),
        lambda: Dict({"a": Box(0, 1, (2,))}),
    ):
        assert make() == make() and len({make(), make()}) == 1
    assert Box(0, 1, (2,)) != Box(0, 2, (2,))
    assert Dict({"a": Discrete(2)}) != Dict({"a": Discrete(3)})
    assert repr(Box(0, 1, (2,))) == "Box(0.0, 1.0, (2,), float32)"
