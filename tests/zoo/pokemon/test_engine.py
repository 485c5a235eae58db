"""The engine against recorded battles of the reference, and against itself under JAX."""

from pathlib import Path

import numpy as np
import pytest

from envwright.zoo.pokemon.checks.compare import WAIT, differences
from envwright.zoo.pokemon.checks.engines import JaxEngine, NumpyEngine
from envwright.zoo.pokemon.engine.numbers import chain, modify
from envwright.zoo.pokemon.pool import load_pool
from envwright.zoo.pokemon.reference.trace import load
from envwright.zoo.pokemon.start import seeds

TRACES = Path(__file__).parent / "traces"


LONG = 60  # decisions: a batch is played for as long as its longest battle


# found: games in which the engine once differed from the reference, up to where it did
@pytest.mark.parametrize("names", [("duels", "drills"), ("games", "found")])
def test_recorded_battles_are_played_number_for_number(names):
    found = differences(NumpyEngine(), [t for t in recorded(*names) if t.decisions <= LONG])
    assert not found, "\n".join(map(str, found))


@pytest.mark.slow
def test_long_battles_are_played_number_for_number():
    long = [t for t in recorded("games", "found") if t.decisions > LONG]
    found = differences(NumpyEngine(), long)
    assert long and not found, "\n".join(map(str, found))


def recorded(*names):
    return [trace for name in names for trace in load(TRACES / f"{name}.xz")]


def test_lanes_know_nothing_of_each_other():
    games = recorded("duels")[::8]
    engine = NumpyEngine()
    assert not differences(engine, games)
    assert not differences(engine, games[::-1][:7])


@pytest.mark.parametrize(
    ("value", "modifier", "result"),
    # half is rounded down, a little more is rounded up
    [(100, 4096, 100), (101, 2048, 50), (103, 6144, 154), (57, 5324, 74), (1, 2048, 0)],
)
def test_a_value_times_a_modifier_rounds_half_down(value, modifier, result):
    assert modify(value, modifier) == result


def test_modifiers_are_chained_to_the_nearest_4096th():
    assert chain(6144, 5324) == 7986
    assert chain(4915, 5325) == 6390


def test_a_battle_that_is_over_stays_as_it_is():
    engine, games = NumpyEngine(), recorded("games")
    state = _played(engine, min(games, key=lambda trace: trace.decisions))
    assert state.winner[0] != 0
    after = engine.step(state, np.full((2, 1), WAIT, np.int32))
    for name in state._fields:
        np.testing.assert_array_equal(getattr(state, name), getattr(after, name), err_msg=name)
    assert engine.masks(after).tolist() == [[1 << WAIT], [1 << WAIT]]


def _played(engine, trace):
    from envwright.zoo.pokemon.roster import encode
    from envwright.zoo.pokemon.teams import read

    first, second = (encode([read(team)]) for team in trace.teams)
    state = engine.begin(seeds([trace.seed]), first, second)
    for pair in trace.actions:
        state = engine.step(state, pair.astype(np.int32)[:, None])
    return state


@pytest.mark.slow
def test_numpy_and_jax_play_the_same_battles_bit_for_bit():
    lanes, pool = 32, load_pool()
    generator = np.random.default_rng(3)
    teams = generator.integers(0, pool.species.shape[-1], (2, lanes))
    numbers = generator.integers(0, 1 << 32, (2, lanes), np.uint32)
    engines = NumpyEngine(), JaxEngine()
    states = [e.begin(numbers, pool.pick(teams[0]), pool.pick(teams[1])) for e in engines]
    for _ in range(60):
        for name in states[0]._fields:
            plain, compiled = (np.asarray(getattr(state, name)) for state in states)
            np.testing.assert_array_equal(plain, compiled, err_msg=name)
        legal = engines[0].masks(states[0])
        drawn = [[_one_of(word, generator) for word in row] for row in legal]
        actions = np.asarray(drawn, np.int32)
        states = [
            engine.step(state, actions) for engine, state in zip(engines, states, strict=True)
        ]


def _one_of(word: int, generator: np.random.Generator) -> int:
    return int(generator.choice([a for a in range(WAIT + 1) if int(word) >> a & 1]))
