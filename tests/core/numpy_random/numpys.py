"""What NumPy and Python draw, as 64 bits a number, and what the crate draws."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[3]

# A method of the crate with its arguments, and the call that draws the same. `size` is None for
# one draw. Calls that ignore it are made again and again.
GENERATOR = {
    "random_raw": lambda g, size: g.bit_generator.random_raw(size),
    "random": lambda g, size: g.random(size),
    "uniform -3.5 7.25": lambda g, size: g.uniform(-3.5, 7.25, size=size),
    "integers 0 1": lambda g, size: g.integers(1, size=size),
    "integers 0 10": lambda g, size: g.integers(10, size=size),
    "integers -5 6": lambda g, size: g.integers(-5, 5, endpoint=True, size=size),
    "integers 0 7": lambda g, size: g.integers(7, dtype=np.int32, size=size),
    "integers 0 3000000000": lambda g, size: g.integers(3_000_000_000, size=size),
    "integers 0 4294967296": lambda g, size: g.integers(2**32, size=size),
    "integers 0 4294967297": lambda g, size: g.integers(2**32 + 1, size=size),
    "integers 0 6000000000000000000": lambda g, size: g.integers(6 * 10**18, size=size),
    "integers -9223372036854775808 9223372036854775807": lambda g, size: g.integers(
        -(2**63), 2**63 - 1, size=size
    ),
    "standard_normal": lambda g, size: g.standard_normal(size),
    "normal 1.5 0.25": lambda g, size: g.normal(1.5, 0.25, size=size),
    "lognormal 0.5 0.75": lambda g, size: g.lognormal(0.5, 0.75, size=size),
    "exponential 1": lambda g, size: g.standard_exponential(size),
    "exponential 0.3": lambda g, size: g.exponential(0.3, size=size),
    "gamma 1 2": lambda g, size: g.gamma(1, 2, size=size),
    "gamma 0.3 1.5": lambda g, size: g.gamma(0.3, 1.5, size=size),
    "gamma 0.9 1": lambda g, size: g.gamma(0.9, 1, size=size),
    "gamma 4.5 0.1": lambda g, size: g.gamma(4.5, 0.1, size=size),
    "beta 0.5 0.5": lambda g, size: g.beta(0.5, 0.5, size=size),
    "beta 0.001 0.002": lambda g, size: g.beta(0.001, 0.002, size=size),
    "beta 1e-110 2e-110": lambda g, size: g.beta(1e-110, 2e-110, size=size),
    "beta 0.5 2": lambda g, size: g.beta(0.5, 2, size=size),
    "beta 3 7": lambda g, size: g.beta(3, 7, size=size),
    "triangular -1 0.5 4": lambda g, size: g.triangular(-1, 0.5, 4, size=size),
    "dirichlet 0.5 1 3": lambda g, size: g.dirichlet([0.5, 1, 3], size=size),
    "dirichlet 0.02 0.3": lambda g, size: g.dirichlet([0.02, 0.3], size=size),
    "poisson 0": lambda g, size: g.poisson(0, size=size),
    "poisson 0.2": lambda g, size: g.poisson(0.2, size=size),
    "poisson 3.5": lambda g, size: g.poisson(3.5, size=size),
    "poisson 10": lambda g, size: g.poisson(10, size=size),
    "poisson 123.4": lambda g, size: g.poisson(123.4, size=size),
    "poisson 1000000": lambda g, size: g.poisson(1e6, size=size),
    "binomial 10 0.3": lambda g, size: g.binomial(10, 0.3, size=size),
    "binomial 10 0.8": lambda g, size: g.binomial(10, 0.8, size=size),
    "binomial 1 0.5": lambda g, size: g.binomial(1, 0.5, size=size),
    "binomial 1000 0.01": lambda g, size: g.binomial(1000, 0.01, size=size),
    "binomial 100 0.4": lambda g, size: g.binomial(100, 0.4, size=size),
    "binomial 100000 0.7": lambda g, size: g.binomial(100000, 0.7, size=size),
    "binomial 1000000000 0.5": lambda g, size: g.binomial(10**9, 0.5, size=size),
    "geometric 0.5": lambda g, size: g.geometric(0.5, size=size),
    "geometric 1": lambda g, size: g.geometric(1, size=size),
    "geometric 0.05": lambda g, size: g.geometric(0.05, size=size),
    "multinomial 20 0.2 0.3 0.5": lambda g, size: g.multinomial(20, [0.2, 0.3, 0.5], size=size),
    "multinomial 200 0.1 0 0.4 0.5": lambda g, size: g.multinomial(
        200, [0.1, 0, 0.4, 0.5], size=size
    ),
    "weighted 0.1 0 0.6 0.3": lambda g, size: g.choice(4, p=[0.1, 0, 0.6, 0.3], size=size),
    "sample 10 3": lambda g, _: g.choice(10, 3, replace=False),
    "sample 5 5": lambda g, _: g.choice(5, 5, replace=False),
    "sample 1000 400": lambda g, _: g.choice(1000, 400, replace=False),
    "sample 10001 250": lambda g, _: g.choice(10001, 250, replace=False),
    "weighted_sample 3 0.1 0.2 0.3 0.4": lambda g, _: g.choice(
        4, 3, replace=False, p=[0.1, 0.2, 0.3, 0.4]
    ),
    "permutation 1": lambda g, _: g.permutation(1),
    "permutation 10": lambda g, _: g.permutation(10),
}
STATE = {
    "rand": lambda s, size: s.random_sample(size),
    "uniform -3.5 7.25": lambda s, size: s.uniform(-3.5, 7.25, size=size),
    "randint 0 1": lambda s, size: s.randint(1, size=size),
    "randint 0 10": lambda s, size: s.randint(10, size=size),
    "randint -5 6": lambda s, size: s.randint(-5, 6, size=size),
    "randint 0 4294967296": lambda s, size: s.randint(2**32, size=size),
    "randint 0 6000000000000000000": lambda s, size: s.randint(6 * 10**18, size=size),
    "randint 0 7": lambda s, size: s.choice(7, size=size),
    "randn": lambda s, size: s.standard_normal(size),
    "normal 1.5 0.25": lambda s, size: s.normal(1.5, 0.25, size=size),
    "exponential 0.3": lambda s, size: s.exponential(0.3, size=size),
    "poisson 3.5": lambda s, size: s.poisson(3.5, size=size),
    "poisson 123.4": lambda s, size: s.poisson(123.4, size=size),
    "weighted 0.1 0 0.6 0.3": lambda s, size: s.choice(4, p=[0.1, 0, 0.6, 0.3], size=size),
    "weighted_sample 3 0.1 0.2 0.3 0.4": lambda s, _: s.choice(
        4, 3, replace=False, p=[0.1, 0.2, 0.3, 0.4]
    ),
    "permutation 10": lambda s, _: s.permutation(10),
    "permutation 7": lambda s, _: s.choice(7, 7, replace=False),
}


def _shuffled(generator, count):
    drawn = list(range(count))
    generator.shuffle(drawn)
    return drawn


PYTHON = {
    "random": lambda r, _: r.random(),
    "uniform -3.5 7.25": lambda r, _: r.uniform(-3.5, 7.25),
    "getrandbits 13": lambda r, _: r.getrandbits(13),
    "getrandbits 50": lambda r, _: r.getrandbits(50),
    "randrange -5 6": lambda r, _: r.randrange(-5, 6),
    "randint 1 6": lambda r, _: r.randint(1, 6),
    "randint 0 6000000000000000000": lambda r, _: r.randint(0, 6 * 10**18),
    "below 10": lambda r, _: r.choice(range(10)),
    "weighted 2 0 5 1": lambda r, _: r.choices(range(4), [2, 0, 5, 1])[0],
    "sample 10 4": lambda r, _: r.sample(range(10), 4),
    "sample 40 8": lambda r, _: r.sample(range(40), 8),
    "sample 300 8": lambda r, _: r.sample(range(300), 8),
    "gauss 1.5 0.25": lambda r, _: r.gauss(1.5, 0.25),
    "normalvariate 1.5 0.25": lambda r, _: r.normalvariate(1.5, 0.25),
    "expovariate 3": lambda r, _: r.expovariate(3),
    "shuffle 10": lambda r, _: _shuffled(r, 10),
}
KINDS = {
    "Generator": (np.random.default_rng, GENERATOR),
    "RandomState": (np.random.RandomState, STATE),
    "Random": (random.Random, PYTHON),
}
CALLS = [(kind, call) for kind, (_, calls) in KINDS.items() for call in calls]


def drawn(kind: str, call: str, seed: int, count: int, *, at_once: bool = False) -> np.ndarray:
    """Return what `count` calls draw one after the other, or one call for all of them."""
    make, calls = KINDS[kind]
    generator, draw = make(seed), calls[call]
    if at_once and "size" in draw.__code__.co_varnames:
        return bits_of(draw(generator, count))
    return np.concatenate([bits_of(draw(generator, None)) for _ in range(count)])


def bits_of(values) -> np.ndarray:
    """Return numbers as 64 bits each, in a row."""
    flat = np.asarray(values).ravel()
    if flat.dtype.kind == "f":
        return flat.astype(np.float64).view(np.uint64)
    return flat.astype(np.uint64)


class Crate:
    """The crate's example that draws for others."""

    def __init__(self, *options: str) -> None:
        command = ["cargo", "run", "--quiet", "--offline", "--locked", *options]
        self._command = [*command, "--package=envwright-numpy-random", "--example=draws"]

    def draw(self, asked: list[tuple[str, str, int, int]]) -> list[np.ndarray]:
        """Return the draws of each: a kind, a call, a seed and how often."""
        lines = [f"{seed} {count} {kind} {call}\n" for kind, call, seed, count in asked]
        done = subprocess.run(
            self._command, input="".join(lines), cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        answers = done.stdout.splitlines()
        assert len(answers) == len(asked)
        return [np.array([int(word, 16) for word in line.split()], np.uint64) for line in answers]
