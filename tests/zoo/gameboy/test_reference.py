"""The environment on PyBoy keeps the rules of its file; what RAM says is read as it is meant."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pyboy", reason="the reference: pip install envwright[reference]")

from envwright.zoo.gameboy.emberkeep import Mode, Ram
from envwright.zoo.gameboy.reference import GameBoyReference, PyBoyLanes
from envwright.zoo.gameboy.reference.environment import opened, pictured
from envwright.zoo.gameboy.reference.rules import holds, read, reward_of
from envwright.zoo.gameboy.reference.splitmix import SplitMix64
from envwright.zoo.gameboy.settings import Condition, Number, Reward

BYTES = {0xC000: 0x12, 0xC001: 0x34, 0xC002: 0x56}


@pytest.mark.parametrize(
    ("encoding", "value"),
    [
        ("little", 0x563412),
        ("big", 0x123456),
        ("bcd-little", 563412),
        ("bcd-big", 123456),
        ("bits", 9),
    ],
)
def test_a_number_in_ram(encoding, value):
    assert read(Number(0xC000, 3, encoding), BYTES.__getitem__) == value


@pytest.mark.parametrize(
    ("test", "value", "met"),
    [("==", 0x12, 1), ("!=", 0x12, 0), ("<", 0x13, 1), (">", 0x12, 0), ("&", 0x02, 1), ("&", 1, 0)],
)
def test_a_condition(test, value, met):
    assert holds(Condition(0xC000, test=test, value=value), BYTES.__getitem__) == bool(met)


def test_a_reward_is_the_sum_of_changes_and_levels():
    terms = [Reward(0, scale=2.0), Reward(0, scale=0.5, kind="level")]
    assert reward_of(terms, [3, 10], [5, 20]) == np.float32(2 * 2 + 0.5 * 20)


def test_the_generator_is_the_published_one():
    random = SplitMix64(1_234_567)
    assert random.bits() == 6457827717110365317
    assert {SplitMix64(seed).below(5) for seed in range(50)} == set(range(5))


@pytest.fixture(scope="module")
def emberkeep():
    reference = GameBoyReference(max_steps=20)
    yield reference
    reference.close()


def test_an_episode_begins_in_play_and_seeds_make_keeps(emberkeep):
    exits = set()
    for seed in range(3):
        obs = emberkeep.reset(seed)["obs"]
        assert emberkeep.observation_space.contains(obs)
        console = emberkeep.game.console
        assert console.peek(Ram.MODE) == Mode.PLAY
        exits.add(console.peek_bytes(Ram.EXITS, 16))
    assert len(exits) == 3


def test_the_same_seed_and_actions_give_the_same_episode(emberkeep):
    def played():
        rng = np.random.default_rng(3)
        records = [emberkeep.reset(5)]
        return records + [emberkeep.step(rng.integers(7)) for _ in range(20)]

    first, again = played(), played()
    for one, other in zip(first, again, strict=True):
        assert all(np.array_equal(one[name], other[name]) for name in one)
    assert first[-1]["truncated"]


def test_the_score_is_the_reward_and_the_end_of_a_game_ends_the_episode(emberkeep):
    emberkeep.reset(1)
    console = emberkeep.game.console
    console.poke(Ram.SCORE, console.peek(Ram.SCORE) + 3)
    assert emberkeep.step(6)["reward"] == 3
    console.poke(Ram.DONE, 1)
    assert emberkeep.step(6)["terminated"]


def test_pictures_of_a_screen():
    rgba = np.zeros((144, 160, 4), np.uint8)
    rgba[0, :4, :3] = np.array([0xFF, 0x99, 0x55, 0x00])[:, None]
    assert pictured(rgba, "index")[0, :4, 0].tolist() == [0, 1, 2, 3]
    assert pictured(rgba, "gray")[0, :4, 0].tolist() == [0xFF, 0x99, 0x55, 0x00]
    assert pictured(rgba, "small").shape == (72, 80, 1)
    assert pictured(rgba, "small")[0, 1, 0] == 0x55
    assert pictured(rgba, "rgb").shape == (144, 160, 3)


def test_lanes_play_what_single_games_play_and_go_on_after_a_snapshot():
    settings, rom = opened("emberkeep", None)
    lanes = PyBoyLanes(settings.changed(max_steps=3), rom, 2)
    single = GameBoyReference(max_steps=3)
    view = lanes.reset([7, 8])
    assert np.array_equal(view.obs[0], single.reset(7)["obs"])
    for action in (1, 2):
        step = lanes.step(np.array([action, 0]))
        assert np.array_equal(step.view.obs[0], single.step(action)["obs"])
    kept = lanes.snapshot()
    last = lanes.step(np.array([3, 3]))
    assert last.truncated.all()
    assert np.array_equal(last.final_obs[0], single.step(3)["obs"])
    fresh = last.view.obs.copy()
    lanes.restore(kept)
    assert np.array_equal(lanes.step(np.array([3, 3])).view.obs, fresh)
    lanes.close()
    single.close()
