"""Environments of dm_env and the old gym as references, with their state."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import gymnasium
import numpy as np
import pytest
from tests import kinds

from envwright.errors import EnvwrightError, MissingPackage
from envwright.sim.foreign import DmEnv, OldGym, open_gym, space_of
from envwright.sim.gymnasium_env import GymnasiumSimulator
from envwright.translate.proposal.subject import open_subject
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort, verify_pair

SMALL = Effort(episodes=4, visited=3, fuzzed=30, boundary=3, starts=50, examples=4)


class TimeStep(NamedTuple):
    """As dm_env has it."""

    step_type: int
    reward: float | None
    discount: float | None
    observation: object


def array(shape=(), dtype=np.int64, **bounds):
    return SimpleNamespace(shape=shape, dtype=np.dtype(dtype), **bounds)


class DmWalk:
    """`kinds.Walk` with the methods of dm_env, and its limit as a truncation."""

    def __init__(self, seed=None):
        self.rng = np.random.default_rng(seed)
        self.place = self.steps = 0

    def reset(self):
        self.place, self.steps = int(self.rng.integers(0, 3)), 0
        return TimeStep(0, None, None, {"place": self.place})

    def step(self, action):
        self.place = min(max(self.place + int(action) - 1, 0), kinds.LAST)
        self.steps += 1
        ended = self.place == kinds.LAST
        last = ended or self.steps == kinds.LIMIT
        return TimeStep(2 if last else 1, float(ended), float(not ended), {"place": self.place})

    def action_spec(self):
        return SimpleNamespace(num_values=3, shape=(), dtype=np.dtype(np.int32))

    def observation_spec(self):
        return {"place": array(minimum=0, maximum=kinds.LAST)}


class GymWalk(gymnasium.Env):
    """The same game for Gymnasium."""

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(3)
        place = gymnasium.spaces.Box(0, kinds.LAST, (), np.int64)
        self.observation_space = gymnasium.spaces.Dict({"place": place})
        self.walk = DmWalk()
        self.place = self.steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.steps = int(np.random.default_rng(seed).integers(0, 3)), 0
        return {"place": self.place}, {}

    def step(self, action):
        self.walk.place, self.walk.steps = self.place, self.steps
        after = self.walk.step(action)
        self.place, self.steps = self.walk.place, self.walk.steps
        ended = self.place == kinds.LAST
        return after.observation, after.reward, ended, after.step_type == 2 and not ended, {}


def test_an_environment_of_dm_env_is_compared_with_its_state():
    spec = PairSpec("dm_env:tests.sim.test_foreign:DmWalk", GymWalk)
    report = verify_pair(spec, effort=SMALL)
    assert [level.verdict for level in report.levels] == ["equal"] * 3, report
    assert "states have the same fields" in report.notes


def test_specs_become_spaces():
    spaces = gymnasium.spaces
    spec = {"a": [array((2,), np.float32)], "b": array((3,), bool), "c": array((), np.uint8)}
    assert space_of(spec) == spaces.Dict(
        {
            "a": spaces.Tuple([spaces.Box(-np.inf, np.inf, (2,), np.float32)]),
            "b": spaces.MultiBinary((3,)),
            "c": spaces.Box(0, 255, (), np.uint8),
        }
    )
    with pytest.raises(EnvwrightError, match="not a spec of numbers"):
        space_of(array((), object))


def test_what_is_not_an_environment_of_dm_env_is_bad_input():
    with pytest.raises(EnvwrightError, match="it has no action_spec"):
        DmEnv(kinds.Walk, {})


def test_an_environment_of_dm_env_is_surveyed_from_outside():
    subject = open_subject("dm_env:tests.sim.test_foreign:DmWalk")
    assert subject.env is None and subject.simulator.loads


class OldWalk:
    """`kinds.Walk` with the methods of gym 0.21."""

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(3)
        self.observation_space = gymnasium.spaces.Discrete(kinds.LAST + 1)
        self.walk, self.place, self.steps = DmWalk(), 0, 0

    @property
    def unwrapped(self):
        return self

    def seed(self, seed):
        self.walk = DmWalk(seed)

    def reset(self):
        self.place, self.steps = self.walk.reset().observation["place"], 0
        return self.place

    def step(self, action):
        self.walk.place, self.walk.steps = self.place, self.steps
        after = self.walk.step(action)
        self.place, self.steps = self.walk.place, self.walk.steps
        cut = after.step_type == 2 and after.discount != 0
        return self.place, after.reward, after.step_type == 2, {"TimeLimit.truncated": cut}


def old_walk():
    return GymnasiumSimulator(OldGym(OldWalk()), "gym:OldWalk")


class Plain(GymWalk):
    """The same with a number as the observation."""

    def __init__(self):
        super().__init__()
        self.observation_space = gymnasium.spaces.Discrete(kinds.LAST + 1)

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)[0]["place"], {}

    def step(self, action):
        obs, *rest = super().step(action)
        return obs["place"], *rest


def test_an_environment_of_the_old_gym_is_compared_with_its_state():
    report = verify_pair(PairSpec(old_walk, Plain), effort=SMALL)
    assert [level.verdict for level in report.levels] == ["equal"] * 3, report


def test_a_real_environment_of_gym_is_gymnasiums():
    pytest.importorskip("gym", reason="gym is not installed")
    report = verify_pair(PairSpec("gym:MountainCar-v0", "gymnasium:MountainCar-v0"), effort=SMALL)
    assert [level.verdict for level in report.levels] == ["equal"] * 3, report


def test_the_specs_of_dm_env_become_spaces():
    specs = pytest.importorskip("dm_env.specs", reason="dm_env is not installed")
    spaces = gymnasium.spaces
    assert space_of(specs.DiscreteArray(3)) == spaces.Discrete(3)
    bounded = specs.BoundedArray((2,), np.float32, -1, 1)
    assert space_of(bounded) == spaces.Box(-1, 1, (2,), np.float32)
    assert space_of(specs.Array((2,), np.uint8)) == spaces.Box(0, 255, (2,), np.uint8)


def test_without_gym_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gym", None)
    with pytest.raises(MissingPackage, match="needs the package 'gym'"):
        open_gym("CartPole-v1")
