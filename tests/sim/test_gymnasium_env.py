"""State access to Gymnasium environments is found, complete, and missed where it is not."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from tests.verify import worlds

from envwright.errors import EnvwrightError
from envwright.sim.actions import draw_action
from envwright.sim.records import is_over
from envwright.sim.resolve import as_simulator, open_simulator
from envwright.verify.character import load_is_complete
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort, verify_pair

STATES = {
    "CartPole-v1": {"state", "time"},
    "MountainCar-v0": {"state", "time"},
    "Acrobot-v1": {"state", "time"},
    "Pendulum-v1": {"state", "time"},
    "FrozenLake-v1": {"s", "time"},
    "Taxi-v4": {"s", "time"},
    "CliffWalking-v1": {"s"},
    "Blackjack-v1": {"dealer", "player"},
}


@pytest.fixture(scope="module", params=STATES)
def simulator(request):
    return open_simulator(f"gymnasium:{request.param}")


def continuation(sim, steps=15):
    """What follows from here under fixed actions and dice."""
    rng = np.random.default_rng(5)
    sim._env.unwrapped.np_random.bit_generator.state = np.random.PCG64(5).state
    records = []
    for _ in range(steps):
        records.append(sim.step(draw_action(rng, sim.action_space)))
        if is_over(records[-1]):
            break
    return records


def test_the_attributes_that_hold_the_state_are_found(simulator):
    expected = STATES[simulator.name.removeprefix("gymnasium:")]
    assert {name.split(".")[0] for name in simulator.state()} >= expected


def test_a_state_that_is_loaded_again_continues_as_the_original_did(simulator):
    rng = np.random.default_rng(0)
    for seed in range(3):
        simulator.reset(seed)
        for _ in range(int(rng.integers(1, 8))):
            if is_over(simulator.step(draw_action(rng, simulator.action_space))):
                simulator.reset(seed + 10)
        state = simulator.state()
        first = continuation(simulator)
        simulator.reset(99)
        continuation(simulator, 3)
        simulator.load(state)
        for name, value in simulator.state().items():
            assert value.dtype == state[name].dtype
            np.testing.assert_array_equal(value, state[name])
        second = continuation(simulator)
        assert len(first) == len(second)
        for a, b in zip(first, second, strict=True):
            for name in a:
                np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def test_reading_a_state_does_not_let_it_change_afterwards():
    sim = as_simulator(worlds.Marble)
    sim.reset(0)
    state = sim.state()
    before = state["position"].copy()
    sim.step(worlds.RIGHT)
    np.testing.assert_array_equal(state["position"], before)


def test_the_time_limits_counter_is_part_of_the_state():
    sim = open_simulator("gymnasium:CartPole-v1")
    sim.reset(0)
    assert sim.time_limit == 500
    sim.load(sim.state() | {"time": np.asarray(498)})
    assert [bool(sim.step(0)["truncated"]) for _ in range(2)] == [False, True]


def test_bookkeeping_is_put_back_by_a_load():
    sim = open_simulator("gymnasium:CartPole-v1")
    sim.reset(0)
    fallen = {"state": np.array([3.0, 0, 0, 0]), "time": np.asarray(0)}
    for _ in range(3):  # the second time, the reference would pay nothing
        sim.load(fallen)
        record = sim.step(0)
        assert record["terminated"] and record["reward"] == 1.0
        assert "steps_beyond_terminated" not in sim.state()


def test_what_is_only_counted_is_no_state():
    sim = as_simulator(worlds.CountingMarble)
    sim.reset(0)
    assert set(sim.state()) == {"position", "velocity"}
    PairSpec(worlds.CountingMarble, worlds.Marble).open()  # and so it reproduces itself


def test_an_observation_that_is_used_again_does_not_change_what_was_recorded():
    report = verify_pair(
        PairSpec(worlds.Marble, worlds.ReusingMarble),
        effort=Effort(episodes=5, visited=3, fuzzed=50, boundary=10, starts=500, examples=5),
    )
    assert [level.verdict for level in report.levels] == ["equal"] * 3


@pytest.mark.parametrize(
    ("twin", "verdict"), [(worlds.snake, "equal"), (worlds.long_snake, "different")]
)
def test_a_state_whose_shape_varies_is_compared_all_the_same(twin, verdict):
    report = verify_pair(
        PairSpec(worlds.snake, twin),
        effort=Effort(episodes=20, visited=10, fuzzed=50, boundary=0, starts=500, examples=15),
    )
    assert [level.verdict for level in report.levels] == [verdict] * 3


def test_a_hidden_counter_shows_as_incomplete_state():
    assert load_is_complete(as_simulator(worlds.Marble))
    assert not load_is_complete(as_simulator(worlds.RestlessMarble))


def test_a_reference_with_hidden_state_is_told_and_still_compared_from_its_starts():
    pair = PairSpec(worlds.RestlessMarble, worlds.RestlessMarble).open()
    assert not pair.transplants
    assert "cannot be put back into a state by its attributes" in pair.notes[0]
    assert pair.starts_by == "seed"


def test_an_environment_without_plain_attributes_does_not_load():
    sim = as_simulator(worlds.BoxedMarble)
    assert not sim.loads
    assert list(sim.reset(0)) == ["obs"]


def test_starts_follow_from_one_seed_and_differ_from_each_other():
    sim = open_simulator("gymnasium:CartPole-v1")
    first, again = sim.starts(3, 20)["obs"], sim.starts(3, 20)["obs"]
    np.testing.assert_array_equal(first, again)
    assert len({row.tobytes() for row in first}) == 20


def test_options_reach_the_environment():
    sim = open_simulator("gymnasium:FrozenLake-v1?is_slippery=false&map_name=8x8")
    assert sim.observation_space == gymnasium.spaces.Discrete(64)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gymnasium:CartPoll-v1", "gymnasium:CartPoll-v1: .*CartPoll"),
        ("gymnasium:CartPole-v99", "gymnasium:CartPole-v99: .*v99"),
        ("gymnasium:CartPole-v1?colour=red", "colour"),
        ("gymnasium:", "does not name a simulator"),
        ("cartpole", "does not name a simulator"),
        ("atari:Pong", "unknown kind of simulator 'atari'"),
        ("gymnax:CartPoll-v1", "gymnax knows no environment 'CartPoll-v1'"),
        ("envwright:cartpoll", "did you mean 'cartpole'"),
        ("python:tests.verify.worlds", "not of the form module:attribute"),
        ("python:no_such_module:Env", "no module 'no_such_module'"),
        ("python:tests.verify.worlds:Marvel", "no attribute 'Marvel'"),
        ("python:tests.verify.worlds:RIM", "is not a simulator"),
        ("python:tests.verify.worlds:Marble?colour=red", "colour"),
    ],
)
def test_a_name_that_opens_nothing_gets_one_sentence(name, sentence):
    with pytest.raises(EnvwrightError, match=sentence) as caught:
        open_simulator(name)
    assert "\n" not in str(caught.value)
