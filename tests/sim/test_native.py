"""Rust environments as simulators: read, set, stepped alone and in tables."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from envwright._native import CounterVecEnv
from envwright.core import registry
from envwright.core.native import NativeVectorEnv
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.sim import native as native_simulators
from envwright.sim.records import stack, state_of
from envwright.sim.resolve import open_simulator
from envwright.verify.character import load_is_complete, require_reproducible
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort, verify_pair
from envwright.verify.vector.check import verify_vector

NAME = "envwright:counter?backend=rust"
SMALL = Effort(episodes=12, visited=6, fuzzed=100, boundary=20, starts=500, examples=10)
STATE = ("position", "steps", "random")


class NativeCounter(NativeVectorEnv):
    """A native room: it says its spaces itself."""

    id, version = "counter", 1
    observation_space, action_space = Box(-1, 1, (2,)), Discrete(3)

    def __init__(self, num_envs: int = 1, threads: int = 2, bound: int = 4) -> None:
        super().__init__(CounterVecEnv(num_envs, threads, bound=bound, max_steps=9))


class LazyCounter(NativeCounter):
    """It never goes left."""

    def step_raw(self, actions):
        return super().step_raw(np.maximum(actions, 1))


class ForgetfulCounter(NativeCounter):
    """As a batch it loses lane 0's move whenever some lane ends."""

    def step(self, actions):
        before = {k: v[0] for k, v in self.state().items()}
        step = super().step(actions)
        if (step.terminated | step.truncated)[1:].any():
            self.load(0, before)
            step.obs[0] = self.observe()[0]
        return step


@pytest.fixture(autouse=True)
def rooms(monkeypatch):
    for name in ("counter", "lazy", "forgetful"):
        room = f"{__name__}:{'Native' if name == 'counter' else name.title()}Counter"
        spec = registry.Room(name, 1, name.title(), "", {"rust": room})
        monkeypatch.setitem(registry._ROOMS, spec.name, spec)
    for cls, name in ((LazyCounter, "lazy"), (ForgetfulCounter, "forgetful")):
        monkeypatch.setattr(cls, "id", name)


@pytest.fixture
def sim():
    return open_simulator(NAME)


def test_a_native_room_is_a_simulator_with_its_options():
    sim = open_simulator(f"{NAME}&bound=7")
    assert isinstance(sim, native_simulators.NativeSimulator)
    assert "bound 7" in sim._env.identity and sim._env.threads == 1
    assert sim.action_space == gymnasium.spaces.Discrete(3)
    assert sim.observation_space == gymnasium.spaces.Box(-1, 1, (2,))
    require_reproducible(sim)


def test_records_hold_arrays_of_their_own(sim):
    start = sim.reset(3)
    assert {k: v.shape for k, v in start.items()} == {
        "obs": (2,),
        **{f"state.{name}": () for name in STATE},
    }
    kept = {k: v.copy() for k, v in start.items()}
    record = sim.step(2)
    assert set(record) == set(start) | {"reward", "terminated", "truncated"}
    assert all(isinstance(v, np.ndarray) for v in state_of(record).values())
    assert all(np.array_equal(start[k], v) for k, v in kept.items())
    assert record["state.position"] == start["state.position"] + 1


def test_nothing_starts_over_by_itself(sim):
    sim.reset(0)
    sim.load({"position": np.int32(3)})
    ended = sim.step(2)
    assert ended["terminated"] and ended["reward"] == 1 and ended["obs"][0] == 1
    assert sim.state()["position"] == 4 and sim.step(1)["terminated"]


def test_fields_that_are_not_named_have_their_start_values(sim):
    sim.reset(0)
    start = sim.state()
    sim.step(2)
    sim.load({"position": np.int32(2)})
    assert sim.state() == start | {"position": 2}
    assert sim.observe()["obs"].tolist() == [0.5, 0.0]


def test_loading_is_complete_although_nobody_has_to_ask(sim, monkeypatch):
    monkeypatch.setattr(type(sim), "draws_unseen", False)
    assert load_is_complete(sim)


def test_many_steps_at_once_are_the_single_ones(sim, monkeypatch):
    monkeypatch.setattr(native_simulators, "BATCH", 16)
    rng = np.random.default_rng(0)
    states = [
        {
            "position": np.int32(rng.integers(-4, 5)),
            "steps": np.uint32(rng.integers(9)),
            "random": np.uint64(rng.integers(2**63)),
        }
        for _ in range(50)
    ]
    actions = list(rng.integers(3, size=50))
    together = sim.step_many(states, actions)
    assert len(together) == 50
    for state, action, got in zip(states, actions, together, strict=True):
        sim.load(state)
        alone = sim.step(action)
        assert alone.keys() == got.keys()
        assert all(np.array_equal(alone[k], got[k]) for k in alone)
        assert all(alone[k].dtype == got[k].dtype for k in alone)


def test_whole_episodes_run_from_their_starts(sim):
    rng = np.random.default_rng(1)
    starts = [state_of(sim.reset(seed)) for seed in range(6)]
    actions = rng.integers(3, size=(6, 8))
    table = sim.run_table(starts, actions)
    for lane, start in enumerate(starts):
        sim.load(start)
        alone = stack([sim.step(action) for action in actions[lane]])
        assert all(np.array_equal(table[k][lane], alone[k]) for k in alone)


def test_starts_are_spread_over_all_seeds_and_the_same_for_the_same_one(sim):
    table, again, other = sim.starts(10, 300), sim.starts(10, 300), sim.starts(11, 300)
    assert set(table) == set(sim.reset(0))
    assert all(np.array_equal(table[k], again[k]) for k in table)
    assert not np.array_equal(table["state.random"], other["state.random"])
    assert table["state.random"].min() < 2**60 and table["state.random"].max() > 2**63
    assert set(table["state.position"]) == {-2, -1, 0, 1, 2} and not table["state.steps"].any()


def test_two_native_simulators_are_compared_like_any_others():
    report = verify_pair(PairSpec(NAME, NAME), effort=SMALL)
    assert [level.verdict for level in report.levels] == ["equal"] * 3
    report = verify_pair(PairSpec(NAME, "envwright:lazy"), effort=SMALL)
    assert "different" in [level.verdict for level in report.levels]


def test_lanes_of_a_native_room_play_as_it_does_alone():
    report = verify_vector(PairSpec(NAME, NAME), episodes=60)
    assert [level.verdict for level in report.levels] == ["equal", "equal"]
    report = verify_vector(PairSpec(NAME, "envwright:forgetful"), episodes=60)
    (found, *_) = report.levels[0].divergences
    assert "lane 0" in str(found) or "lost" in found.hint


def test_how_large_a_batch_is_is_not_for_a_name_to_say():
    for name in (f"{NAME}&num_envs=4", "envwright:counter?num_envs=4"):
        with pytest.raises(EnvwrightError, match="leave num_envs out of its name"):
            open_simulator(name)
    with pytest.raises(EnvwrightError, match="has no option 'wheels'"):
        open_simulator(f"{NAME}&wheels=4")
    with pytest.raises(EnvwrightError, match="has no backend 'cuda'; use rust"):
        open_simulator("envwright:counter?backend=cuda")
