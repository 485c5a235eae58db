"""Learning from Emberkeep: the emulator and PyBoy teach the same, bit for bit."""

import jax
import numpy as np
import pytest

from envwright.schema.names import split_options
from envwright.sim.hosts.simulator_lanes import transfer_target
from envwright.sim.targets import simulator_name, training_options
from envwright.train import PPOConfig, RunSpec, train
from envwright.train.settings import recommended
from envwright.verify.room import load_room
from envwright.zoo.gameboy.reference import PyBoyLanes

SMALL = PPOConfig(
    steps=64, num_envs=4, rollout=8, epochs=1, minibatches=1, network="4@8/8x8", gamma=0.95
)
# Two steps to an episode: the ends of episodes are learnt from, too.
OPTIONS = "?frame_skip=24&max_steps=3"


@pytest.mark.slow
def test_agents_trained_in_rust_and_in_pyboy_are_the_same():
    agents = []
    for backend in ("rust", "reference"):
        simulator = simulator_name(f"gameboy{OPTIONS}", backend)
        target = transfer_target(simulator)
        result = train(RunSpec(simulator, SMALL, (0, 1)), target=target)
        assert sum(line["episodes"][0] for line in result.curve) > 10
        agents.append(result.policies.agent.params)
    ours, theirs = (jax.tree.leaves(agent) for agent in agents)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert any(np.ptp(leaf) > 0 for leaf in ours)


def test_level_4_trains_on_pyboys_side_by_side_that_can_be_saved():
    lanes = transfer_target(load_room("gameboy").everyday_check.reference)(2)
    try:
        assert isinstance(lanes, PyBoyLanes)
        lanes.reset([1, 2])
        assert lanes.snapshot() is not None
    finally:
        lanes.close()


def test_level_4_trains_as_training_does_but_in_one_keep():
    check = load_room("gameboy").everyday_check
    for name in (check.reference, check.twin):
        options = split_options(name)[1]
        assert options.pop("game") == "emberkeep-one"
        assert options == training_options("gameboy")


def test_another_game_is_trained_as_its_own_file_says():
    assert simulator_name("gameboy", "rust").endswith("?frame_skip=24&max_steps=200")
    assert simulator_name("gameboy?frame_skip=8", "rust").endswith("?frame_skip=8&max_steps=200")
    assert simulator_name("gameboy?game=2048", "rust") == "envwright:gameboy?game=2048"


def test_level_4_has_ten_agents_a_side_and_the_margin_that_was_fixed_first():
    plan = load_room("gameboy").transfer
    assert plan is not None
    assert (plan.seeds, plan.reference_seeds, plan.margin) == (10, 10, 4.0)
    assert plan.horizon >= training_options("gameboy")["max_steps"], "no episode is cut off"
    assert plan.config.network == recommended("gameboy")["network"]


@pytest.mark.parametrize("kind", ["small", "gray", "index"])
def test_pictures_of_pyboy_are_not_views_of_its_screen(kind):
    from envwright.zoo.gameboy.reference.environment import pictured

    screen = np.random.default_rng(0).integers(0, 256, (144, 160, 4), np.uint8)
    picture = pictured(screen, kind)
    before = picture.copy()
    screen[:] = 7
    np.testing.assert_array_equal(picture, before)


def test_a_small_picture_is_every_second_pixel_of_the_gray_one():
    from envwright.zoo.gameboy.reference.environment import pictured

    screen = np.random.default_rng(0).integers(0, 256, (144, 160, 4), np.uint8)
    np.testing.assert_array_equal(pictured(screen, "small"), pictured(screen, "gray")[::2, ::2])
