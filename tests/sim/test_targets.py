"""What a name can be trained on."""

import gymnasium
import pytest
from tests.games import SlipperyWalk
from tests.train.twins import RandomRing

from envwright._native import CounterVecEnv
from envwright.core import registry
from envwright.core.env import Env
from envwright.core.native import NativeVectorEnv
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.sim.hosts import GymnasiumLanes, NativeLanes
from envwright.sim.targets import as_target, open_target, simulator_name


class NativeCounter(NativeVectorEnv):
    """A native room: it says its spaces itself."""

    id, version = "counter", 1
    observation_space, action_space = Box(-1, 1, (2,)), Discrete(3)

    def __init__(self, num_envs: int = 1, bound: int = 4) -> None:
        super().__init__(CounterVecEnv(num_envs, bound=bound))


@pytest.fixture
def counter(monkeypatch):
    spec = registry.Room("counter", 1, "Counter", "", {"rust": f"{__name__}:NativeCounter"})
    monkeypatch.setitem(registry._ROOMS, spec.name, spec)


def test_a_zoo_environment_is_a_jax_one():
    env = open_target("envwright:cartpole")
    assert isinstance(env, Env) and env.id == "cartpole"
    assert open_target("envwright:cartpole?sutton_barto_reward=true").sutton_barto_reward is True


def test_a_native_room_becomes_lanes_with_its_spaces(counter):
    lanes = open_target("envwright:counter?bound=7")(5)
    assert isinstance(lanes, NativeLanes) and lanes.num_envs == 5
    assert "bound 7" in lanes.env.identity
    assert lanes.action_space == Discrete(3)


def test_a_gymnasium_id_becomes_lanes_with_its_options():
    lanes = open_target("gymnasium:CartPole-v1?sutton_barto_reward=true")(3)
    assert isinstance(lanes, GymnasiumLanes) and lanes.num_envs == 3
    lanes.reset([0, 1, 2])
    assert all(env.unwrapped._sutton_barto_reward for env in lanes.envs)
    lanes.close()


def test_a_python_path_may_hold_either():
    env = open_target("python:tests.games:SlipperyWalk?length=12")
    assert isinstance(env, Env) and env.length == 12
    lanes = open_target("python:tests.train.twins:RandomRing")(2)
    assert isinstance(lanes, GymnasiumLanes) and lanes.num_envs == 2
    walk = SlipperyWalk()
    assert as_target(walk, "walk") is walk
    assert isinstance(as_target(RandomRing, "ring")(4), GymnasiumLanes)


class Offers:
    """Neither of these, but it has lanes of its own to offer."""

    def __init__(self, bound: int = 4) -> None:
        self.bound = bound

    def lanes(self, num_envs: int) -> NativeLanes:
        env = NativeCounter(num_envs, self.bound)
        return NativeLanes(env, env.observation_space, env.action_space)


def test_what_offers_lanes_is_asked_for_them_with_its_options():
    lanes = open_target(f"python:{__name__}:Offers?bound=6")(3)
    assert isinstance(lanes, NativeLanes) and lanes.num_envs == 3
    assert "bound 6" in lanes.env.identity


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("cartpole", "'cartpole' cannot be trained on; write envwright:NAME"),
        ("envwright:cartpol", "did you mean 'cartpole'"),
        ("envwright:cartpole?backend=cuda", "cartpole-v1 has no backend 'cuda'; use jax"),
        ("envwright:cartpole?wheels=4", "cartpole-v1 has no option 'wheels'"),
        ("gymnasium:CartPool-v1", "Gymnasium cannot make 'CartPool-v1'"),
        ("gymnasium:CartPole-v1?wheels=4", "Gymnasium cannot make 'CartPole-v1'"),
        ("python:tests.games:Nothing", "tests.games has no attribute 'Nothing'"),
        ("python:tests.games:LINES", "cannot be trained on; give an Env or what makes"),
        ("python:builtins:dict", "makes a dict; give an Env or a Gymnasium one"),
    ],
)
def test_what_cannot_be_trained_on_is_refused_in_one_sentence(name, sentence):
    with pytest.raises(EnvwrightError) as told:
        open_target(name)
    assert sentence in str(told.value) and "\n" not in str(told.value)


def test_a_reference_is_one_of_the_backends():
    assert simulator_name("cartpole") == simulator_name("cartpole", "jax") == "envwright:cartpole"
    reference = simulator_name("cartpole", "reference")
    assert reference.startswith("gymnasium:CartPole-v1")
    assert gymnasium.spec("CartPole-v1").id in reference
    with pytest.raises(EnvwrightError, match="has no backend 'cuda'; use jax or reference"):
        simulator_name("cartpole", "cuda")


def test_without_a_reference_that_is_said(counter):
    with pytest.raises(EnvwrightError, match="counter-v1 names no reference; use rust"):
        simulator_name("counter", "reference")
