"""The crate `numpy-random` draws what NumPy and Python draw, bit for bit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.core.numpy_random import tables
from tests.core.numpy_random.numpys import CALLS, Crate, bits_of, drawn

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
    lists = 10 if "sample" in call or "permutation" in call else 1  # of numbers in a draw
    count = MANY // (400 if call.startswith("sample 1000") else lists)
    asked = [(kind, call, seed, count) for seed in (7, 1_000_003)]
    for question, ours in zip(asked, Crate("--release").draw(asked), strict=True):
        theirs = drawn(*question, at_once=True)
        assert np.array_equal(ours, theirs), np.flatnonzero(ours != theirs)[:5]


@pytest.mark.slow
def test_laws_with_random_parameters_are_those_of_numpy():
    rng = np.random.default_rng(20_261_119)
    calls = [call for _ in range(50) for call in _random_calls(rng)]
    seeds = rng.integers(2**63, size=len(calls)).tolist()
    asked = [
        ("Generator", words, seed, 2000) for (words, _), seed in zip(calls, seeds, strict=True)
    ]
    for question, ours, (_, draw) in zip(asked, Crate("--release").draw(asked), calls, strict=True):
        theirs = bits_of(draw(np.random.default_rng(question[2]), 2000))
        assert np.array_equal(ours, theirs), question


def _random_calls(rng):
    """Yield the crate's words for a method with parameters over many magnitudes, and the call."""
    small, large = np.exp(rng.uniform(np.log(1e-4), np.log(1e4), 2)).tolist()
    rate, p = float(np.exp(rng.uniform(-7, 14))), float(rng.random())
    n = int(np.exp(rng.uniform(0, 16)))
    low = int(rng.integers(-(2**62), 2**62))
    high = low + 1 + int(np.exp(rng.uniform(0, 42)))
    shares = rng.dirichlet(np.ones(int(rng.integers(2, 8)))).tolist()
    listed = " ".join(map(repr, shares))
    yield f"gamma {small!r} {large!r}", lambda g, size: g.gamma(small, large, size)
    yield f"beta {small!r} {large!r}", lambda g, size: g.beta(small, large, size)
    yield f"normal {small!r} {large!r}", lambda g, size: g.normal(small, large, size)
    yield f"poisson {rate!r}", lambda g, size: g.poisson(rate, size)
    yield f"binomial {n} {p!r}", lambda g, size: g.binomial(n, p, size)
    yield f"geometric {p!r}", lambda g, size: g.geometric(p, size)
    yield f"integers {low} {high}", lambda g, size: g.integers(low, high, size)
    yield f"multinomial {n} {listed}", lambda g, size: g.multinomial(n, shares, size)
    yield f"weighted {listed}", lambda g, size: g.choice(len(shares), size, p=shares)
    yield f"dirichlet 0.5 {listed}", lambda g, size: g.dirichlet([0.5, *shares], size)
