"""A file may name what is registered: rooms, their references, and ids of Gymnasium and gymnax."""

from __future__ import annotations

import pytest

from envwright.core.registry import rooms
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.translation import room_translation
from envwright.sim.registered import is_registered, is_registered_bridge, require_registered

ALLOWED = [
    "envwright:cartpole",
    "envwright:cartpole-v1",
    "envwright:cartpole?dtype=float64&sutton_barto_reward=true",
    "envwright:cartpole?auto_reset=pool",
    "envwright:pong?backend=rust&frame_skip=8",
    "envwright:gameboy?game=emberkeep-one&observation=rgb",
    "envwright:tcgpocket?decks=sparks,dojo&opponent=greedy",
    "gymnasium:CartPole-v1",
    "gymnasium:FrozenLake-v1?is_slippery=false&map_name=8x8",
    "gymnasium:phys2d/CartPole-v1",
    "gymnasium:CartPole-v1?max_episode_steps=1000000",
    "gymnasium:Pendulum-v1?g=9.81",
    "gymnax:CartPole-v1?dtype=float64",
    "gymnax:CartPole-v1?max_steps_in_episode=10000",
    "gymnax:DeepSea-bsuite?size=20",
    "python:envwright.zoo.pong.reference:PongReference?frame_skip=8",
    "python:envwright.zoo.halfcheetah.reference.inside:ReferenceInside",
]
REFUSED = [
    "gymnasium:HalfCheetah-v5?frame_skip=1000000",
    "gymnasium:CartPole-v1?max_episode_steps=2000000000",
    "gymnasium:Pendulum-v1?g=1e999",
    "gymnasium:CartPole-v1?a",
    "",
    "envwright",
    "CartPole-v1",
    "nonsense:CartPole-v1",
    "command:true",
    "command:cartpole",
    "python:os:system?command=true",
    "python:envwright.core.files:os.system?command=true",
    "python:envwright.zoo.pong.reference:os.system?command=true",
    "python:envwright.zoo.pong.reference:PongReference.__init__.__globals__",
    "python:envwright.zoo.pong.rules:PongReference",
    "python: envwright.zoo.pong.reference:PongReference",
    "Python:envwright.zoo.pong.reference:PongReference",
    "envwright:nothing",
    "envwright:gameboy?rom=/etc/passwd",
    "envwright:gameboy?rom=passwd",
    "envwright:gameboy?boot=x",
    "envwright:gameboy?game=mine.toml",
    "envwright:gameboy?game=../../mine",
    "envwright:cartpole?dtype=os:system",
    'envwright:cartpole?dtype={"a":1}',
    "python:envwright.zoo.gameboy.reference:GameBoyReference?rom=x",
    "gymnasium:os:system",
    "gymnasium:os:CartPole-v1",
    "gymnasium:Nothing-v0",
    "gymnasium:CartPole-v1?render_mode=human",
    "gymnasium:HalfCheetah-v5?xml_file=x",
    "gymnasium:GymV26Environment-v0?env_id=os:system",
    'gymnasium:FrozenLake-v1?desc=["SF","FG"]',
    "gymnax:DeepSea-bsuite?size=100000",
    'gymnasium:CartPole-v1?"); import os #=1',
    "gymnasium:CartPole-v1?%22%29%3B%20import%20os%20%23=1",
    "gymnasium:CartPole-v1?a.b=1",
    "gymnasium:CartPole-v1?é=1",
    "gymnax:os:system",
    "gymnax:Nothing",
]


@pytest.mark.parametrize("name", ALLOWED)
def test_a_registered_simulator_needs_no_trust(name):
    assert is_registered(name)
    require_registered([name], "the file")


@pytest.mark.parametrize("name", REFUSED)
def test_any_other_name_needs_trust(name):
    assert not is_registered(name)
    with pytest.raises(EnvwrightError, match=r"the file asks to run .* not registered .* --trust"):
        require_registered(["envwright:cartpole", name], "the file")


def test_every_simulator_and_bridge_of_a_rooms_checks_is_registered():
    seen = 0
    for room in rooms():
        translation = room_translation(room)
        for check in translation.checks if translation else ():
            for name in filter(None, (check.reference, check.twin)):
                assert is_registered(name), name
            bridge = check.bridge if isinstance(check.bridge, str) else ""
            assert is_registered_bridge(bridge), bridge
            seen += 1
    assert seen > 10


@pytest.mark.parametrize(
    "bridge",
    [
        "python:os:system",
        "python:envwright.core.files:os",
        "python:envwright.zoo.pong.bridge:Columns",
        "envwright.zoo.pong.bridge:BRIDGE",
    ],
)
def test_any_other_bridge_needs_trust(bridge):
    assert not is_registered_bridge(bridge)


def test_a_name_does_not_lead_from_one_module_into_another():
    with pytest.raises(EnvwrightError, match=r"leads through the module os; .* such as os:NAME"):
        load_attribute("envwright.core.files:os.system")
    assert load_attribute("envwright.core.files:Path.home")
