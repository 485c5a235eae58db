"""The environment in Rust is the one on PyBoy, and the emulator is PyBoy."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from tests.zoo.gameboy.roms import HOMEBREW, homebrew

pytest.importorskip("pyboy", reason="the reference: pip install envwright[reference]")

import envwright
from envwright._native import GameBoys
from envwright.errors import EnvwrightError
from envwright.zoo.gameboy import emberkeep
from envwright.zoo.gameboy.checks.l1_instructions import check_instructions
from envwright.zoo.gameboy.checks.l2_scenarios import check_scenarios
from envwright.zoo.gameboy.checks.l3_frames import check_emberkeep, verify_rom
from envwright.zoo.gameboy.checks.workloads import WORKLOADS
from envwright.zoo.gameboy.red import PokemonRed
from envwright.zoo.gameboy.reference import GameBoyReference
from envwright.zoo.gameboy.reference.environment import opened, pictured
from envwright.zoo.gameboy.reference.pyboy_lanes import PyBoyLanes
from envwright.zoo.gameboy.reference.splitmix import SplitMix64


def told(result) -> str:
    return "\n".join(map(str, result.divergences))


def test_every_instruction_equals_pyboys():
    result = check_instructions(count=8)
    assert result.verdict == "equal", told(result)


def test_programs_of_some_parts_equal_pyboys():
    result = check_scenarios(frames=6, programs=2, parts=WORKLOADS[::8])
    assert result.verdict == "equal", told(result)


@pytest.mark.slow
def test_programs_of_every_part_equal_pyboys():
    result = check_scenarios(frames=6, programs=2)
    assert result.verdict == "equal", told(result)


@pytest.mark.parametrize("cgb", [False, True], ids=["dmg", "cgb"])
def test_emberkeep_equals_pyboy_frame_by_frame(cgb):
    result = check_emberkeep(seeds=2, frames=150, models=[cgb])
    assert result.verdict == "equal", told(result)


@pytest.mark.parametrize("rom", ["2048gb.gb", "libbet.gb", "rebound.gbc"])
def test_a_homebrew_game_equals_pyboy_for_a_while(rom):
    report = verify_rom(homebrew(rom), 200, 2)
    assert not report.partings, str(report.partings[0])


@pytest.mark.slow
@pytest.mark.parametrize("rom", HOMEBREW)
def test_a_homebrew_game_equals_pyboy(rom):
    report = verify_rom(homebrew(rom), 3000, 10)
    assert not report.partings, str(report.partings[0])


@pytest.mark.parametrize("observation", ["small", "gray", "index", "rgb"])
def test_rust_and_pyboy_play_the_same_episodes(observation):
    options = {"observation": observation, "max_steps": 12}
    env = envwright.make("gameboy", num_envs=2, threads=1, **options)
    settings, rom = opened("emberkeep", None)
    lanes = PyBoyLanes(settings.changed(observation, None, 12), rom, 2)
    assert np.array_equal(env.reset([3, 4]), lanes.reset([3, 4]).obs)
    rng = np.random.default_rng(0)
    for _ in range(30):  # over the ends of two episodes
        actions = rng.integers(7, size=2).astype(np.int32)
        ours, theirs = env.step(actions), lanes.step(actions)
        assert np.array_equal(ours.obs, theirs.view.obs)
        assert np.array_equal(ours.reward, theirs.reward)
        assert np.array_equal(ours.truncated, theirs.truncated)
        assert np.array_equal(ours.terminated, theirs.terminated)
    lanes.close()


def test_results_do_not_depend_on_threads_and_go_on_after_a_snapshot():
    envs = [envwright.make("gameboy", num_envs=5, threads=threads) for threads in (1, 2)]
    rng = np.random.default_rng(1)
    first, second = (env.reset(9).copy() for env in envs)
    assert np.array_equal(first, second)
    for _ in range(6):
        actions = rng.integers(7, size=5).astype(np.int32)
        one, two = (env.step(actions).obs for env in envs)
        assert np.array_equal(one, two)
    kept = envs[0].snapshot()
    later = envs[0].step(actions).obs.copy()
    envs[0].restore(kept)
    assert np.array_equal(envs[0].step(actions).obs, later)


def test_a_state_can_be_read_and_set():
    env = envwright.make("gameboy", num_envs=2, threads=1)
    env.reset(0)
    state = {name: column[0] for name, column in env.state().items()}
    assert set(state) == {"steps", "random", "values", "machine"}
    env.load(1, state)
    assert np.array_equal(*env.observe())
    with pytest.raises(ValueError, match="cannot be played"):
        env.load(1, state | {"machine": np.zeros_like(state["machine"])})
    env.load(1, state)  # a refusal is not remembered


def test_lanes_of_pyboy_go_on_after_a_snapshot_with_the_buttons_that_were_down():
    settings, rom = opened("emberkeep", None)
    lanes = PyBoyLanes(settings, rom, 1)
    lanes.reset([7])
    for action in (1, 1, 2):
        lanes.step(np.array([action]))
    kept, walk = lanes.snapshot(), (3, 0, 4, 1, 2)
    first = [lanes.step(np.array([action])).view.obs.copy() for action in walk]
    values = list(lanes.games[0].console.peek_bytes(0xC0A0, 64))
    lanes.restore(kept)
    again = [lanes.step(np.array([action])).view.obs.copy() for action in walk]
    assert np.array_equal(first, again)
    assert list(lanes.games[0].console.peek_bytes(0xC0A0, 64)) == values  # HELD is among them
    lanes.close()


def test_shades_of_a_color_screen_are_those_of_the_reference():
    rom = emberkeep.ROM.read_bytes()
    boys = GameBoys(rom, cgb=True)
    boys.tick(200)
    rgb, index = np.zeros((1, 144, 160, 3), np.uint8), np.zeros((1, 144, 160), np.uint8)
    boys.screens(rgb, "rgb")
    boys.screens(index, "index")
    assert len(np.unique(rgb.reshape(-1, 3), axis=0)) > 2
    assert np.array_equal(index[0], pictured(rgb[0], "index")[..., 0])


def test_pokemon_reds_rules_run_on_any_cartridge_and_begin_anew_at_the_limit():
    env = PokemonRed(2, 1, rom=emberkeep.ROM, max_steps=3)
    first = env.reset()
    for step in range(1, 4):
        obs, reward, terminated, truncated, final = env.step([0, 4])
        assert obs["screens"].shape == (2, 72, 80, 3)
        assert reward.shape == (2,) and not terminated.any()
        assert truncated.all() == (step == 3)
    assert np.array_equal(obs["screens"], first["screens"])
    assert np.array_equal(obs["recent_actions"], first["recent_actions"])
    assert final["recent_actions"].tolist() == [[1, 1, 1], [5, 5, 5]]
    with pytest.raises(EnvwrightError, match="pass 2 actions from 0 to 6"):
        env.step([0, 7])


def test_gymnasium_makes_a_vector_of_it():
    env = gymnasium.make_vec("envwright/GameBoy-v1", num_envs=3)
    obs, _ = env.reset(seed=0)
    assert obs.shape == (3, 72, 80, 1)
    assert env.single_action_space == gymnasium.spaces.Discrete(7)
    env.action_space.seed(0)
    assert env.step(env.action_space.sample())[1].shape == (3,)
    env.close()


def test_spaces_are_those_of_the_reference():
    env, reference = envwright.make("gameboy"), GameBoyReference()
    assert env.observation_space.to_gymnasium() == reference.observation_space
    assert env.action_space.to_gymnasium() == reference.action_space


LATE = """
title = "late"
roms = ["emberkeep.gb"]
observation = "small"
frame_skip = 4
max_steps = 2
actions = [["a"], ["b"]]

[start]
until = [{{ address = 0xCF80, value = {value} }}]
patience = 3

[start.seed]
address = 0xCF80
bytes = 1
"""


def test_an_episode_that_does_not_begin_is_the_same_error_on_both_sides(tmp_path):
    """The game waits for what it was seeded with, and only that of seed 0 is awaited."""
    values = [1 + SplitMix64(seed).below(255) for seed in range(2)]
    assert values[0] != values[1]
    file = tmp_path / "late.toml"
    file.write_text(LATE.format(value=values[0]))
    said = "late.* did not (begin|start) within 3 frames; change its start"
    lanes = PyBoyLanes(*opened(str(file), emberkeep.ROM), 1)
    lanes.reset([0])
    with pytest.raises(EnvwrightError, match=said):
        lanes.reset([1])
    lanes.close()
    env = envwright.make("gameboy", num_envs=1, game=str(file), rom=emberkeep.ROM)
    env.reset(0)
    with pytest.raises(EnvwrightError, match=said):
        env.reset(1)
    with pytest.raises(RuntimeError, match="call reset or restore first"):
        env.step([0])
    env.reset(0)
    with pytest.raises(EnvwrightError, match=said):  # the second episode's seed is another
        [env.step([0]) for _ in range(2)]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"game": "tetris"}, "there is no game 'tetris'"),
        ({"rom": "nowhere.gb"}, "there is no ROM nowhere.gb"),
        ({"observation": "colour"}, "observation is gray or index"),
        ({"frame_skip": 0}, "frame_skip is 0"),
        ({"num_envs": 10_000_000}, "MB are free; choose at most"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(options, sentence):
    with pytest.raises(EnvwrightError, match=sentence):
        envwright.make("gameboy", **options)
