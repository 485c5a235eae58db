"""The tape: recording changes nothing, misses nothing, and is put away afterwards."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import seeding

from envwright.sim.resolve import open_simulator
from envwright.sim.tape import RecordingGenerator, recording_seeds

CALLS = {
    "random": (lambda g: g.random(3), "random"),
    "random float32": (lambda g: g.random(dtype=np.float32), "random"),
    "integers": (lambda g: g.integers(2, 9, size=4), "integers"),
    "uniform": (lambda g: g.uniform(low=-1, high=1, size=(2, 2)), "uniform"),
    "normal": (lambda g: g.normal(0, 2), "normal"),
    "choice": (lambda g: g.choice([3, 5, 7], p=[0.2, 0.3, 0.5]), "choice"),
    "permutation": (lambda g: g.permutation(6), "permutation"),
    "bytes": (lambda g: g.bytes(5), "bytes"),
    "multivariate": (lambda g: g.multivariate_normal([0, 0], np.eye(2)), "multivariate_normal"),
}


@pytest.mark.parametrize(("call", "method"), CALLS.values(), ids=CALLS)
def test_a_recording_generator_draws_what_a_plain_one_draws_and_writes_it_down_once(call, method):
    recording = RecordingGenerator(np.random.default_rng(7))
    value = call(recording)
    np.testing.assert_array_equal(value, call(np.random.default_rng(7)))
    (draw,) = recording.tape
    assert draw.method == method
    np.testing.assert_array_equal(draw.value, value)


@pytest.mark.parametrize("by_name", [False, True])
def test_a_shuffle_is_written_down_as_what_it_left_behind(by_name):
    recording, deck = RecordingGenerator(np.random.default_rng(7)), list(range(9))
    recording.shuffle(x=deck) if by_name else recording.shuffle(deck)
    (draw,) = recording.take()
    assert draw.value.tolist() == deck != list(range(9))
    deck.reverse()
    assert draw.value.tolist() != deck


def test_every_method_that_draws_is_recorded():
    quiet = {"spawn", "bit_generator"}  # makes generators; is an attribute
    drawing = {n for n in dir(np.random.Generator) if not n.startswith("_")} - quiet
    assert {n for n in drawing if n in vars(RecordingGenerator)} == drawing


def test_a_plain_generator_goes_on_where_a_recording_one_stopped():
    source, other = np.random.default_rng(3), np.random.default_rng(3)
    RecordingGenerator(source).random(5)
    other.random(5)
    assert source.random() == other.random()


def test_taking_the_tape_empties_it():
    recording = RecordingGenerator(np.random.default_rng(0))
    first = recording.random()
    assert [d.value for d in recording.take()] == [first]
    assert recording.take() == ()


def test_environments_seeded_meanwhile_record_and_draw_the_same():
    plain, recorded = gymnasium.make("CartPole-v1"), gymnasium.make("CartPole-v1")
    with recording_seeds():
        shown, _ = recorded.reset(seed=5)
    np.testing.assert_array_equal(shown, plain.reset(seed=5)[0])
    (draw,) = recorded.unwrapped.np_random.take()
    assert (draw.method, draw.value.shape) == ("uniform", (4,))


def test_gymnasiums_seeding_is_put_back_also_after_an_error():
    plain = seeding.np_random
    with pytest.raises(RuntimeError), recording_seeds():
        assert seeding.np_random is not plain
        raise RuntimeError
    assert seeding.np_random is plain
    assert type(seeding.np_random(0)[0]) is np.random.Generator


def test_a_simulator_tells_the_draws_of_its_last_step_only():
    lake = open_simulator("gymnasium:FrozenLake-v1")
    lake.reset(0)
    assert [d.method for d in lake.draws()] == ["random"]
    for _ in range(2):
        lake.step(0)
    assert [d.method for d in lake.draws()] == ["random"]
    assert lake.draws() == ()
