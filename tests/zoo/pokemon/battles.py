"""Battles under way for tests, on NumPy: no compilation."""

from __future__ import annotations

from functools import cache

import numpy as np

from envwright.zoo.pokemon import battle, knowledge, pool
from envwright.zoo.pokemon.checks.engines import NumpyEngine
from envwright.zoo.pokemon.knowledge import Known
from envwright.zoo.pokemon.reference import seed_words
from envwright.zoo.pokemon.start import seeds
from envwright.zoo.pokemon.state import State

LANES = 24


@cache
def engine() -> NumpyEngine:
    return NumpyEngine()


def legal(state: State) -> np.ndarray:
    """bool[2, 14, B]."""
    return battle.legal_actions(np, engine().rules, state)


def random_actions(state: State, rng: np.random.Generator) -> np.ndarray:
    allowed = legal(state)
    return np.where(allowed, rng.random(allowed.shape), -1).argmax(1).astype(np.int32)


@cache
def under_way(decisions: int = 12, seed: int = 0) -> tuple[State, Known]:
    """A batch after some random decisions, and what each side has shown."""
    rng = np.random.default_rng(seed)
    teams = rng.integers(0, pool.load_pool().species.shape[-1], (2, LANES))
    generators = seeds([seed_words(int(n)) for n in rng.integers(0, 1 << 40, LANES)])
    state = engine().begin(generators, *(pool.load_pool().pick(row) for row in teams))
    known = knowledge.look(np, knowledge.nothing(np, LANES), state, state)
    for _ in range(decisions):
        after = engine().step(state, random_actions(state, rng))
        known = knowledge.look(np, known, state, after)
        state = after
    return state, known


def lane(state: State, number: int = 0) -> State:
    """One battle of a batch."""
    return State(*(np.asarray(field)[..., number] for field in state))
