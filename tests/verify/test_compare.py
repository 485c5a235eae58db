"""Records, tolerances, and what counts as a difference between two records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.schema.tolerance import EXACT, Tol, Tolerances
from envwright.sim.records import flatten, is_over, outcome, stack, state_of, unstack
from envwright.verify.compare import differences, mismatches, rows_that_differ
from envwright.verify.tolerance import agrees, ulp_distance

WHY = "a test"


def same(a, b, tol=EXACT):
    return bool(np.all(agrees(np.asarray(a), np.asarray(b), tol)))


def differing(reference, twin, tolerances=Tolerances()):
    """Names of the fields that differ, worst first."""
    arrays = [{k: np.asarray(v) for k, v in side.items()} for side in (reference, twin)]
    return [m.field for m in mismatches(*arrays, tolerances)]


def next_float(x, count=1, dtype=np.float64):
    x = dtype(x)
    for _ in range(count):
        x = np.nextafter(x, dtype(np.inf))
    return x


# --- records ---------------------------------------------------------------------------


class Hand(NamedTuple):
    cards: np.ndarray
    bet: int


def test_nested_values_get_dotted_names():
    value = {"hand": Hand(np.arange(2), 5), "open": (np.zeros(2), True)}
    assert list(flatten("obs", value)) == [
        "obs.hand.cards",
        "obs.hand.bet",
        "obs.open.0",
        "obs.open.1",
    ]


def test_a_tuple_of_numbers_is_one_vector():
    assert flatten("obs", (3, 10, 0))["obs"].tolist() == [3, 10, 0]


def test_a_record_keeps_its_values_when_the_environment_reuses_its_buffer():
    buffer = np.zeros(2)
    record = outcome(buffer, 0.0, False, False, {"x": buffer})
    buffer += 1
    assert record["obs"].tolist() == record["state.x"].tolist() == [0, 0]


def test_a_step_that_terminates_is_not_also_truncated():
    record = outcome(0, 0.0, terminated=True, truncated=True)
    assert bool(record["terminated"]) and not bool(record["truncated"])


@pytest.mark.parametrize(("terminated", "truncated"), [(True, False), (False, True)])
def test_either_end_ends_an_episode(terminated, truncated):
    assert is_over(outcome(0, 0.0, terminated, truncated))
    assert not is_over(outcome(0, 0.0, False, False))


def test_tables_and_rows_are_inverse():
    rows = [outcome(np.array([i, 2.5]), i, False, False, {"x": i}) for i in range(3)]
    again = unstack(stack(rows))
    assert [state_of(r)["x"] for r in again] == [0, 1, 2]
    assert all(np.array_equal(a[k], b[k]) for a, b in zip(rows, again, strict=True) for k in a)


# --- tolerances ------------------------------------------------------------------------


def test_exact_means_every_bit():
    assert same(0.1, 0.1)
    assert not same(0.1, next_float(0.1))


def test_an_absolute_tolerance_is_inclusive():
    tol = Tol(atol=0.25, why=WHY)
    assert same(1.0, 1.25, tol)
    assert not same(1.0, next_float(1.25), tol)


def test_ulps_are_counted_in_the_coarser_dtype():
    tol = Tol(ulp=2, why=WHY)
    assert same(np.float64(1.0), next_float(1.0, 2, np.float32), tol)
    assert not same(np.float64(1.0), next_float(1.0, 3, np.float32), tol)
    assert not same(np.float64(1.0), np.float64(next_float(1.0, 2, np.float32)), tol)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x", [1.5, -1.5, 1e-30, 0.0])
def test_neighbouring_floats_are_one_ulp_apart(x, dtype):
    a = np.asarray(dtype(x))
    assert ulp_distance(a, np.nextafter(a, dtype(np.inf))) == 1


def test_nan_agrees_only_with_nan():
    wide = Tol(atol=1e9, ulp=10**9, why=WHY)
    assert same(np.nan, np.nan)
    assert not same(np.nan, 0.0, wide)
    assert not same(0.0, np.nan, wide)


@pytest.mark.parametrize("finite", [0.0, -np.inf, 1e300, np.finfo(np.float32).max])
def test_infinity_agrees_only_with_itself(finite):
    wide = Tol(atol=1e9, ulp=10**9, why=WHY)
    assert same(np.inf, np.float32(np.inf))
    assert not same(finite, np.float32(np.inf), wide)
    assert not same(np.float32(np.inf), finite, wide)


def test_an_integer_agrees_with_the_float_of_its_value():
    assert same(np.int64(1), np.float32(1.0))
    assert not same(np.int64(1), np.float32(1.5))


def test_no_tolerance_applies_to_integers_and_booleans():
    wide = Tol(atol=5.0, ulp=5, why=WHY)
    assert not same(3, 4, wide)
    assert not same(True, False, wide)


@pytest.mark.parametrize("numbers", [{"atol": 1e-9}, {"ulp": 1}])
def test_a_tolerance_without_reason_is_refused(numbers):
    with pytest.raises(EnvwrightError, match="needs its reason"):
        Tol(**numbers)


@pytest.mark.parametrize(
    "numbers", [{"atol": -1.0}, {"ulp": -1}, {"atol": np.nan}, {"atol": np.inf}]
)
def test_a_tolerance_is_a_number_from_zero_up(numbers):
    with pytest.raises(EnvwrightError, match="not negative and not infinite"):
        Tol(**numbers, why=WHY)


def test_a_tolerance_says_itself_with_its_reason():
    assert str(Tol(1e-5, 4, "float32")) == "1e-05 absolute or 4 ulp (float32)"
    assert str(EXACT) == "exact"


def test_a_field_takes_its_own_tolerance_then_a_pattern_then_the_default():
    own, pattern, default = (Tol(atol=x, why=WHY) for x in (1e-3, 1e-2, 1e-1))
    tolerances = Tolerances(default, {"state.*": pattern, "state.x": own})
    assert [tolerances.of(n) for n in ("state.x", "state.y", "obs")] == [own, pattern, default]


def test_tolerances_are_exact_only_if_all_of_them_are():
    assert Tolerances().exact
    assert not Tolerances(EXACT, {"obs": Tol(ulp=1, why=WHY)}).exact


# --- comparison ------------------------------------------------------------------------


def test_equal_records_have_no_mismatch():
    record = outcome(np.array([1.0, np.nan]), 1.0, False, False, {"x": 3})
    assert mismatches(record, record, Tolerances()) == []


def test_the_worst_field_comes_first_and_names_its_worst_element():
    reference = {"obs": np.array([[0.0, 0.0], [0.0, 0.0]]), "reward": np.asarray(0.0)}
    twin = {"obs": np.array([[0.0, 0.1], [3.0, 0.0]]), "reward": np.asarray(1.0)}
    worst, second = mismatches(reference, twin, Tolerances())
    assert (worst.field, worst.reference, worst.twin) == ("obs[1,0]", 0.0, 3.0)
    assert second.field == "reward"


def test_an_element_within_tolerance_is_not_the_one_that_is_named():
    tolerances = Tolerances(EXACT, {"obs": Tol(atol=0.5, why=WHY)})
    (found,) = mismatches(
        {"obs": np.array([0.0, np.nan])}, {"obs": np.array([0.4, 0.0])}, tolerances
    )
    assert found.field == "obs[1]"
    assert found.size == np.inf


def test_values_that_differ_in_the_last_bit_do_not_print_alike():
    (found,) = mismatches({"x": np.asarray(0.1)}, {"x": np.asarray(next_float(0.1))}, Tolerances())
    reference, twin = str(found).removeprefix("x: reference ").split(", twin ")
    assert reference != twin


def test_a_different_shape_is_a_mismatch():
    (found,) = mismatches({"obs": np.zeros(3)}, {"obs": np.zeros((3, 1))}, Tolerances())
    assert (found.reference, found.twin) == ("shape (3,)", "shape (3, 1)")


def test_a_field_that_only_one_side_has_is_a_mismatch():
    assert differing({"obs.map": 0, "obs.hp": 1}, {"obs.map": 0}) == ["obs.hp"]
    assert differing({"obs.map": 0}, {"obs.map": 0, "obs.hp": 1}) == ["obs.hp"]


def test_nobody_has_to_show_the_others_whole_state():
    assert differing({"obs": 0, "state.x": 1}, {"obs": 0, "state.y": 2}) == []
    assert differing({"obs": 0, "state.x": 1}, {"obs": 0, "state.x": 2}) == ["state.x"]


def test_texts_are_compared_as_they_are():
    assert differing({"obs": "left"}, {"obs": "left"}) == []
    assert differing({"obs": "left"}, {"obs": "right"}) == ["obs"]


def test_each_field_is_held_to_its_own_tolerance():
    tolerances = Tolerances(EXACT, {"state.*": Tol(atol=0.1, why=WHY)})
    reference = {"obs": 1.0, "state.x": 1.0}
    assert differing(reference, {"obs": 1.0, "state.x": 1.05}, tolerances) == []
    assert differing(reference, {"obs": 1.05, "state.x": 1.05}, tolerances) == ["obs"]


def test_rows_that_differ_are_the_rows_with_a_mismatch():
    rng = np.random.default_rng(0)
    reference = {"obs": rng.integers(0, 2, (40, 2)), "reward": rng.integers(0, 2, 40) * 1.0}
    twin = {"obs": rng.integers(0, 2, (40, 2)), "reward": rng.integers(0, 2, 40) * 1.0}
    by_row = [
        i
        for i, (a, b) in enumerate(zip(unstack(reference), unstack(twin), strict=True))
        if mismatches(a, b, Tolerances())
    ]
    assert 0 < len(by_row) < 40
    assert rows_that_differ(reference, twin, Tolerances()).tolist() == by_row


@pytest.mark.parametrize(
    "twin", [{}, {"obs": np.zeros((3, 2))}, {"obs": np.zeros(3), "more": np.zeros(3)}]
)
def test_all_rows_differ_where_a_field_is_missing_added_or_of_another_shape(twin):
    assert rows_that_differ({"obs": np.zeros(3)}, twin, Tolerances()).tolist() == [0, 1, 2]


def test_gaps_are_finite_where_both_sides_are_nan_and_infinite_where_one_is():
    reference = {"a": np.array([np.nan, 1.0]), "b": np.array([np.nan]), "n": np.array([1])}
    twin = {"a": np.array([np.nan, 1.25]), "b": np.array([0.0]), "n": np.array([2])}
    found = differences(reference, twin)
    assert {k: v.absolute.largest for k, v in found.items()} == {"a": 0.25, "b": np.inf}
