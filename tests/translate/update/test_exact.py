"""Texts are equal if the values are, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from envwright.translate.update.exact import exact, first_difference, shown, value_of


def same(one, other):
    return exact(one) == exact(other)


def test_the_last_bit_the_dtype_and_the_shape_count():
    assert not same(1.0, np.nextafter(1.0, 2.0))
    assert not same(np.float32(1), np.float64(1))
    assert not same(np.zeros((2, 3)), np.zeros((3, 2)))
    assert not same(0.0, -0.0)


def test_all_nan_are_one():
    quiet, other = np.array([0x7FF8000000000000, 0xFFF8000000000001], np.uint64).view(np.float64)
    assert same(quiet, other) and not same(quiet, 0.0)


@pytest.mark.parametrize("value", [3, True, "text", np.arange(6).reshape(2, 3), np.zeros(0)])
def test_a_value_comes_back_as_it_was(value):
    assert np.array_equal(value_of(exact(value)), np.asarray(value))


def test_of_a_large_array_only_a_digest_is_kept():
    text = exact(np.zeros(5000))
    assert len(text) < 100 and value_of(text) is None and "5000" in shown(text)
    assert not same(np.zeros(5000), np.ones(5000))


def test_a_difference_names_field_element_and_both_values():
    old = {"obs": exact(np.array([1.0, 2.0])), "reward": exact(1.0)}
    assert first_difference(old, dict(old)) == ""
    assert first_difference(old, old | {"obs": exact(np.array([1.0, 2.5]))}) == (
        "obs: element 1: 2.0 → 2.5"
    )
    assert first_difference(old, {"obs": old["obs"]}) == "reward is gone"
    assert "<f8 → <f4" in first_difference(old, old | {"reward": exact(np.float32(1))})
