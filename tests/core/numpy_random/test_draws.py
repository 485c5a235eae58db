"""The crate `numpy-random` draws what NumPy and Python draw, bit for bit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.core.numpy_random import tables
from tests.core.numpy_random.numpys import CALLS, Crate, drawn

GOLDEN = Path(__file__).with_name("golden.json")
SEEDS = [0, 20_261_119, 2**32 - 1]
FEW, MANY = 150, 1_000_000

pytestmark = pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")


@pytest.fixture(scope="module")
def crate():
    return Crate()


def test_seeded_draws_are_those_of_numpy_and_python(crate):
    asked = [(*call, seed, FEW) for call in CALLS for seed in SEEDS]
    for question, ours in zip(asked, crate.draw(asked), strict=True):
        assert np.array_equal(ours, drawn(*question)), question


def test_seeds_of_64_bits_are_mixed_as_numpy_and_python_do(crate):
    seeds = [2**32, 2**40 + 5, 2**64 - 1]
    asked = [(kind, "random", seed, 20) for kind in ("Generator", "Random") for seed in seeds]
    for question, ours in zip(asked, crate.draw(asked), strict=True):
        assert np.array_equal(ours, drawn(*question)), question


def test_draws_are_the_recorded_ones_whatever_numpy_is_installed(crate):
    golden = json.loads(GOLDEN.read_text())
    asked = [(*row["call"], row["seed"], row["count"]) for row in golden]
    for row, ours in zip(golden, crate.draw(asked), strict=True):
        assert [f"{number:x}" for number in ours.tolist()] == row["drawn"], row


@pytest.mark.skipif(not tables.LIBRARY.exists(), reason="NumPy has no libnpyrandom.a here")
def test_the_tables_are_those_of_numpy():
    assert tables.TABLES.read_text() == tables.source()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "call"), CALLS)
def test_a_million_draws_are_those_of_numpy_and_python(kind, call):
    count = MANY // (400 if call.startswith("sample 1000") else 10 if "sample" in call else 1)
    asked = [(kind, call, seed, count) for seed in (7, 1_000_003)]
    for question, ours in zip(asked, Crate("--release").draw(asked), strict=True):
        theirs = drawn(*question, at_once=True)
        assert np.array_equal(ours, theirs), np.flatnonzero(ours != theirs)[:5]
