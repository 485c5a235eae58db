"""Visited observations: one law gives noise, another law stands out."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from envwright.errors import EnvwrightError
from envwright.schema.results import as_json
from envwright.verify.transfer.visitation import visitation_divergence

FEW = st.integers(1, 12)


def normal(rows=2000, dims=4, seed=0, shift=0.0):
    return np.random.default_rng(seed).normal(shift, 1.0, (rows, dims))


def walks(episodes, seed, length=100):
    """Episodes whose rows hardly move: the start decides nearly everything."""
    rng = np.random.default_rng(seed)
    start = rng.normal(size=(episodes, 1, 2))
    rows = start + 0.05 * rng.normal(size=(episodes, length, 2))
    return rows.reshape(-1, 2), np.repeat(np.arange(episodes), length)


def test_one_law_gives_noise():
    found = visitation_divergence(normal(seed=0), normal(seed=1))
    assert found.jsd_mean == pytest.approx(found.noise, rel=0.5)
    assert found.jsd_max == pytest.approx(found.noise_max, rel=0.5)
    assert found.p > 0.05


def test_noise_falls_with_the_rows():
    few, many = (visitation_divergence(normal(n), normal(n, seed=1)) for n in (200, 5000))
    assert few.noise > 10 * many.noise


def test_a_shifted_law_is_far_above_noise():
    found = visitation_divergence(normal(), normal(seed=1, shift=0.5))
    assert found.jsd_mean > 5 * found.noise
    assert found.p == pytest.approx(2 / 100)


def test_one_shifted_column_of_many_shows_in_the_maximum():
    other = normal(dims=30, seed=1)
    other[:, 17] += 0.3
    found = visitation_divergence(normal(dims=30), other)
    assert found.jsd_max > 2 * found.noise_max
    assert found.p < 0.05


def test_p_is_calibrated_for_whole_episodes_but_not_for_single_rows():
    whole, single = [], []
    for seed in range(60):
        (a, ids_a), (b, ids_b) = walks(15, 2 * seed, 20), walks(15, 2 * seed + 1, 20)
        options = {"bins": 8, "shuffles": 39}
        found = visitation_divergence(a, b, episodes_a=ids_a, episodes_b=ids_b, **options)
        whole.append(found.p <= 0.1)
        single.append(visitation_divergence(a, b, **options).p <= 0.1)
    assert np.mean(whole) < 0.22  # 0.1 or less is promised; 60 trials, 1 in 1,000
    assert np.mean(single) > 0.9


def test_episode_ids_of_the_two_sides_are_not_confused():
    (a, ids), (b, _) = walks(20, 0), walks(20, 1)
    same = visitation_divergence(a, b, episodes_a=ids, episodes_b=ids)
    other = visitation_divergence(a, b, episodes_a=ids, episodes_b=ids + 1000)
    assert same == other


def test_one_episode_on_each_side_proves_nothing():
    a, b = normal(50), normal(50, shift=9.0)
    ids = np.zeros(50, int)
    found = visitation_divergence(a, b, episodes_a=ids, episodes_b=ids)
    assert found.jsd_mean > 0.9
    assert found.p == 1.0
    assert found.noise == pytest.approx(found.jsd_mean)


def test_disjoint_visits_are_one_bit_apart():
    found = visitation_divergence(normal(), normal(shift=100.0))
    assert found.jsd_mean > 0.95
    coins = np.zeros((50, 1)), np.ones((70, 1))
    assert visitation_divergence(*coins).jsd_max == 1.0


def test_the_divergence_of_two_coins_is_the_textbook_value():
    a, b = (np.repeat([0.0, 1.0], n)[:, None] for n in ([50, 50], [100, 0]))
    expected = (np.log2(4 / 3) + 0.5 * np.log2(2 / 3) + 0.5 * np.log2(2.0)) / 2
    assert visitation_divergence(a, b).jsd_mean == pytest.approx(expected)


@settings(max_examples=60)
@given(st.data(), st.integers(1, 3))
def test_the_divergence_is_symmetric_and_between_zero_and_one(data, dims):
    values = st.floats(-1e3, 1e3, width=32)
    a, b = (data.draw(arrays(np.float32, (data.draw(FEW), dims), elements=values)) for _ in "ab")
    there, back = (visitation_divergence(*s, bins=4, shuffles=3) for s in ((a, b), (b, a)))
    assert there.jsd_mean == pytest.approx(back.jsd_mean, abs=1e-12)
    assert there.jsd_max == pytest.approx(back.jsd_max, abs=1e-12)
    assert 0 <= there.jsd_mean <= there.jsd_max <= 1
    assert 0 < there.p <= 1


def test_the_mean_of_equal_divergences_is_their_maximum():
    """0.1 + 0.1 + 0.1 is more than 0.3: a rounded mean can exceed what it is the mean of."""
    for ones in range(1, 40):
        a, b = (np.repeat([0.0, 1.0], [40 - n, n])[:, None].repeat(3, axis=1) for n in (0, ones))
        found = visitation_divergence(a, b, shuffles=1)
        assert found.jsd_max * (1 - 1e-15) <= found.jsd_mean <= found.jsd_max


@settings(max_examples=30)
@given(arrays(np.float32, st.tuples(FEW, FEW), elements=st.floats(-9, 9, width=32)))
def test_a_sample_is_at_no_distance_from_itself(rows):
    assert visitation_divergence(rows, rows[::-1], bins=4, shuffles=2).jsd_max == 0.0


def test_equal_constants_agree_and_different_ones_do_not():
    ones = np.ones((30, 2))
    assert visitation_divergence(ones, ones).jsd_max == 0.0
    assert visitation_divergence(ones, ones * [1, 2]).jsd_max == 1.0
    assert visitation_divergence(ones, ones * [1, 2]).jsd_mean == 0.5


def test_last_digits_are_not_another_value():
    tenth = np.full((40, 1), 0.1)
    noisy = (tenth * (1 + 1e-7 * np.random.default_rng(0).normal(size=(40, 1)))).astype(np.float32)
    assert visitation_divergence(tenth, noisy).jsd_max == 0.0
    assert visitation_divergence(tenth, tenth + 0.001).jsd_max == 1.0


def test_a_value_that_is_often_hit_has_a_bin_of_its_own():
    """Half of the reference's rows are clipped to 0; the twin's lie just above."""
    rng = np.random.default_rng(0)
    clipped = np.maximum(rng.normal(size=(4000, 1)), 0.0)
    leaking = np.where(clipped == 0, 1e-3 * rng.random((4000, 1)), clipped)
    assert visitation_divergence(clipped, leaking).jsd_max > 0.4


def test_many_dimensions_are_projected_and_a_shift_still_shows():
    same = visitation_divergence(normal(dims=100), normal(dims=100, seed=1))
    moved = visitation_divergence(normal(dims=100), normal(dims=100, seed=1, shift=0.3))
    assert (same.dims, same.compared) == (100, 32)
    assert same.p > 0.05
    assert moved.jsd_mean > 3 * moved.noise


def test_projection_ignores_units_and_constant_columns():
    units = np.concatenate([[0.0, 1e6], np.ones(48)])
    shift = np.concatenate([[0.0, 0.0], np.ones(48)])
    found = visitation_divergence(
        normal(dims=50) * units + 0.1, (normal(dims=50, seed=1) + shift) * units + 0.1
    )
    assert found.jsd_mean > 3 * found.noise


def test_projection_does_not_magnify_last_digits():
    """49 constant columns, which the twin rounds the other way, beside one that varies."""
    a, b = (np.full((500, 50), 0.1, np.float32) for _ in "ab")
    b[:, 1:] = np.nextafter(np.float32(0.1), np.float32(1))
    a[:, 0], b[:, 0] = normal(500)[:, 0], normal(500, seed=1)[:, 0]
    assert visitation_divergence(a, b).p > 0.05


def test_images_are_flattened():
    images = np.random.default_rng(0).integers(0, 255, (40, 8, 8), dtype=np.uint8)
    assert visitation_divergence(images, images).dims == 64


def test_the_same_call_gives_the_same_numbers_and_they_fit_into_json():
    found = visitation_divergence(normal(300), normal(200, seed=1))
    assert found == visitation_divergence(normal(300), normal(200, seed=1))
    assert json.loads(json.dumps(as_json(found), allow_nan=False))["rows"] == [300, 200]


@pytest.mark.parametrize(
    ("a", "b", "options", "words"),
    [
        (np.zeros((0, 2)), np.zeros((3, 2)), {}, "no observations"),
        (np.zeros((3, 2)), np.zeros((3, 4)), {}, "2 and 4 dimensions"),
        (np.zeros((3, 2)), np.full((3, 2), np.nan), {}, "NaN"),
        (np.zeros((3, 2)), np.full((3, 2), 1e300), {}, "infinity"),
        (np.zeros((3, 2)), np.zeros((3, 2)), {"episodes_a": [0, 1]}, "one integer per row"),
        (np.zeros((3, 2)), np.zeros((3, 2)), {"bins": 1}, "bins"),
    ],
)
def test_senseless_visits_are_refused_in_words(a, b, options, words):
    with pytest.raises(EnvwrightError, match=words):
        visitation_divergence(a, b, **options)
