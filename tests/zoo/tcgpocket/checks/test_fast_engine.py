"""The fast engine in the levels, small; `envwright verify tcgpocket` is the whole of it."""

import random

import numpy as np
import pytest

from envwright.zoo.tcgpocket.checks import engines, games, levels, sequences, states
from envwright.zoo.tcgpocket.checks.compare import differences
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import STATE


@pytest.mark.parametrize(
    ("check", "more"),
    [
        (levels.check_effects, {"times": 2}),
        (levels.check_cards, {"count": 30}),
        (levels.check_sequences, {"count": 60}),
        (levels.check_games, {"episodes": 6}),
        pytest.param(levels.check_sequences, {"count": 200}, marks=pytest.mark.slow),
        pytest.param(levels.check_games, {"episodes": 25}, marks=pytest.mark.slow),
    ],
)
def test_a_level_finds_both_engines_equal(check, more):
    result = check(seed=7, make=engines.on_numpy, **more)
    assert result.divergences == [] and result.verdict == "equal", result.inconclusive
    assert result.notes and result.tally.steps > 100


def test_records_of_whole_games_load_as_they_are():
    trace = games.play(3, 5)
    records = np.frombuffer(b"".join(trace.records), STATE)
    batch = engines.on_numpy(Settings())
    batch.load(records)
    assert batch.records.tobytes() == records.tobytes()
    masks = np.unpackbits(np.frombuffer(b"".join(trace.masks), np.uint8)).reshape(-1, 128)
    assert (batch.masks == masks).all()
    assert all(drawn == [] for drawn in batch.draws)


@pytest.mark.slow
def test_the_compiled_program_agrees_too():
    traces = list(sequences.traces(5, 200)) + [games.play(5, number) for number in range(30)]
    default = [trace for trace in traces if trace.start.rules == sequences.DEFAULT]
    assert differences(engines.compiled, default) == []


def test_stirred_states_are_legal_and_differ():
    drawn = [states.position(random.Random(number)) for number in range(50)]
    assert len({state.tobytes() for state in drawn}) == 50
    batch = engines.on_numpy(Settings())
    batch.load(np.stack(drawn))
    assert (batch.records["players"]["cards"] == np.stack(drawn)["players"]["cards"]).all()
