"""The simulator's random numbers without 64-bit integers."""

import numpy as np
import pytest

from envwright.zoo.pokemon import rng

FULL = 1 << 64


def _plain(state: int) -> int:
    return (state * 0x5D588B656C078965 + 0x269EC3) % FULL


@pytest.mark.parametrize("seed", ["1,2,3,4", "0,0,0,0", "65535,65535,65535,65535", "0,0,65535,1"])
def test_a_pair_of_words_is_the_64_bit_generator(seed):
    hi, lo = rng.words(seed)
    state = hi << 32 | lo
    words = np.array([hi], np.uint32), np.array([lo], np.uint32)
    for _ in range(500):
        state = _plain(state)
        words = rng.advance(np, *words)
        assert int(words[0][0]) << 32 | int(words[1][0]) == state
        for bound in (2, 3, 16, 24, 100, 65536):
            scaled = (state >> 32) * bound >> 32
            assert int(rng.below(np, words[0], bound)[0]) == scaled


def test_bounds_may_differ_by_lane():
    number = np.array([0x80000000, 0xFFFFFFFF, 1], np.uint32)
    assert rng.below(np, number, np.array([2, 6, 6], np.int32)).tolist() == [1, 5, 0]


def test_numpy_and_jax_draw_the_same():
    jnp = pytest.importorskip("jax.numpy")
    generator = np.random.default_rng(5)
    hi, lo = generator.integers(0, 1 << 32, (2, 100), np.uint32)
    ours = rng.advance(np, hi, lo)
    theirs = rng.advance(jnp, jnp.asarray(hi), jnp.asarray(lo))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, np.asarray(b))


def test_a_seed_survives_its_text():
    assert rng.text(*rng.words("7,65535,0,12")) == "7,65535,0,12"
