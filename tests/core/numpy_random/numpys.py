"""What NumPy draws, and what the crate draws, as bits."""

from __future__ import annotations

import random

import numpy as np

# Method and arguments of the crate, and the call of `Generator` that draws the same.
GENERATOR = {
    "random_raw": lambda g: np.uint64(g.bit_generator.random_raw()),
    "random": lambda g: g.random(),
    "uniform -3.5 7.25": lambda g: g.uniform(-3.5, 7.25),
    "integers 0 1": lambda g: g.integers(1),
    "integers 0 10": lambda g: g.integers(10),
    "integers -5 6": lambda g: g.integers(-5, 5, endpoint=True),
    "integers 0 7": lambda g: g.integers(7, dtype=np.int32),
    "integers 0 3000000000": lambda g: g.integers(3_000_000_000),
    "integers 0 4294967296": lambda g: g.integers(2**32),
    "integers 0 4294967297": lambda g: g.integers(2**32 + 1),
    "integers 0 6000000000000000000": lambda g: g.integers(6 * 10**18),
    "integers -9223372036854775808 9223372036854775807": lambda g: g.integers(-(2**63), 2**63 - 1),
    "standard_normal": lambda g: g.standard_normal(),
    "normal 1.5 0.25": lambda g: g.normal(1.5, 0.25),
    "lognormal 0.5 0.75": lambda g: g.lognormal(0.5, 0.75),
    "exponential 1": lambda g: g.standard_exponential(),
    "exponential 0.3": lambda g: g.exponential(0.3),
    "gamma 1 2": lambda g: g.gamma(1, 2),
    "gamma 0.3 1.5": lambda g: g.gamma(0.3, 1.5),
    "gamma 0.9 1": lambda g: g.gamma(0.9, 1),
    "gamma 4.5 0.1": lambda g: g.gamma(4.5, 0.1),
    "beta 0.5 0.5": lambda g: g.beta(0.5, 0.5),
    "beta 0.001 0.002": lambda g: g.beta(0.001, 0.002),
    "beta 1e-110 2e-110": lambda g: g.beta(1e-110, 2e-110),
    "beta 0.5 2": lambda g: g.beta(0.5, 2),
    "beta 3 7": lambda g: g.beta(3, 7),
    "triangular -1 0.5 4": lambda g: g.triangular(-1, 0.5, 4),
    "dirichlet 0.5 1 3": lambda g: g.dirichlet([0.5, 1, 3]),
    "dirichlet 0.02 0.3": lambda g: g.dirichlet([0.02, 0.3]),
    "poisson 0": lambda g: g.poisson(0),
    "poisson 0.2": lambda g: g.poisson(0.2),
    "poisson 3.5": lambda g: g.poisson(3.5),
    "poisson 10": lambda g: g.poisson(10),
    "poisson 123.4": lambda g: g.poisson(123.4),
    "poisson 1000000": lambda g: g.poisson(1e6),
    "binomial 10 0.3": lambda g: g.binomial(10, 0.3),
    "binomial 10 0.8": lambda g: g.binomial(10, 0.8),
    "binomial 1 0.5": lambda g: g.binomial(1, 0.5),
    "binomial 1000 0.01": lambda g: g.binomial(1000, 0.01),
    "binomial 100 0.4": lambda g: g.binomial(100, 0.4),
    "binomial 100000 0.7": lambda g: g.binomial(100000, 0.7),
    "binomial 1000000000 0.5": lambda g: g.binomial(10**9, 0.5),
    "geometric 0.5": lambda g: g.geometric(0.5),
    "geometric 1": lambda g: g.geometric(1),
    "geometric 0.05": lambda g: g.geometric(0.05),
    "multinomial 20 0.2 0.3 0.5": lambda g: g.multinomial(20, [0.2, 0.3, 0.5]),
    "multinomial 200 0.1 0 0.4 0.5": lambda g: g.multinomial(200, [0.1, 0, 0.4, 0.5]),
    "weighted 0.1 0 0.6 0.3": lambda g: g.choice(4, p=[0.1, 0, 0.6, 0.3]),
    "sample 10 3": lambda g: g.choice(10, 3, replace=False),
    "sample 5 5": lambda g: g.choice(5, 5, replace=False),
    "sample 1000 400": lambda g: g.choice(1000, 400, replace=False),
    "sample 10001 250": lambda g: g.choice(10001, 250, replace=False),
    "weighted_sample 3 0.1 0.2 0.3 0.4": lambda g: g.choice(
        4, 3, replace=False, p=[0.1, 0.2, 0.3, 0.4]
    ),
    "permutation 1": lambda g: g.permutation(1),
    "permutation 10": lambda g: g.permutation(10),
}

STATE = {
    "rand": lambda s: s.rand(),
    "uniform -3.5 7.25": lambda s: s.uniform(-3.5, 7.25),
    "randint 0 1": lambda s: s.randint(1),
    "randint 0 10": lambda s: s.randint(10),
    "randint -5 6": lambda s: s.randint(-5, 6),
    "randint 0 4294967296": lambda s: s.randint(2**32),
    "randint 0 6000000000000000000": lambda s: s.randint(6 * 10**18),
    "randint 0 7": lambda s: s.choice(7),
    "randn": lambda s: s.randn(),
    "normal 1.5 0.25": lambda s: s.normal(1.5, 0.25),
    "exponential 0.3": lambda s: s.exponential(0.3),
    "poisson 3.5": lambda s: s.poisson(3.5),
    "poisson 123.4": lambda s: s.poisson(123.4),
    "weighted 0.1 0 0.6 0.3": lambda s: s.choice(4, p=[0.1, 0, 0.6, 0.3]),
    "weighted_sample 3 0.1 0.2 0.3 0.4": lambda s: s.choice(
        4, 3, replace=False, p=[0.1, 0.2, 0.3, 0.4]
    ),
    "permutation 10": lambda s: s.permutation(10),
    "permutation 7": lambda s: s.choice(7, 7, replace=False),
}


def _shuffled(generator, count):
    drawn = list(range(count))
    generator.shuffle(drawn)
    return drawn


PYTHON = {
    "random": lambda r: r.random(),
    "uniform -3.5 7.25": lambda r: r.uniform(-3.5, 7.25),
    "getrandbits 13": lambda r: r.getrandbits(13),
    "getrandbits 50": lambda r: r.getrandbits(50),
    "randrange -5 6": lambda r: r.randrange(-5, 6),
    "randint 1 6": lambda r: r.randint(1, 6),
    "randint 0 6000000000000000000": lambda r: r.randint(0, 6 * 10**18),
    "below 10": lambda r: r.choice(range(10)),
    "weighted 2 0 5 1": lambda r: r.choices(range(4), [2, 0, 5, 1])[0],
    "sample 10 4": lambda r: r.sample(range(10), 4),
    "sample 40 8": lambda r: r.sample(range(40), 8),
    "sample 300 8": lambda r: r.sample(range(300), 8),
    "gauss 1.5 0.25": lambda r: r.gauss(1.5, 0.25),
    "normalvariate 1.5 0.25": lambda r: r.normalvariate(1.5, 0.25),
    "expovariate 3": lambda r: r.expovariate(3),
    "shuffle 10": lambda r: _shuffled(r, 10),
}
KINDS = {
    "Generator": (np.random.default_rng, GENERATOR),
    "RandomState": (np.random.RandomState, STATE),
    "Random": (random.Random, PYTHON),
}


def as_bits(values) -> np.ndarray:
    """Return numbers as 64 bits each."""
    flat = np.asarray(values).ravel()
    if flat.dtype == np.uint64:
        return flat
    return np.ascontiguousarray(flat, np.float64 if flat.dtype.kind == "f" else np.int64).view(
        np.uint64
    )


def drawn_by_numpy(call, generator, count: int) -> np.ndarray:
    """Return what `count` calls draw, one after the other."""
    return as_bits(np.array([call(generator) for _ in range(count)]))
