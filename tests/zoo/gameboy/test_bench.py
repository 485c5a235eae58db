"""The benchmark of PPO on a Game Boy: the same game, network and work on both sides."""

from __future__ import annotations

import numpy as np
import pytest

from envwright.bench import Kind, run_bench
from envwright.bench.implementation import Role
from envwright.bench.ppo import NativePPO
from envwright.errors import EnvwrightError
from envwright.train.settings import recommended
from envwright.zoo.gameboy.bench.implementations import implementations
from envwright.zoo.gameboy.bench.pyboy_workers import PyBoyWorkers, described
from envwright.zoo.gameboy.reference import PyBoyLanes

OPTIONS = {"frame_skip": 8, "max_steps": 5, "observation": "small"}
LANES, STEPS = 3, 12


def trained() -> dict:
    return {each.name: each for each in implementations() if Kind.PPO in each.kinds}


def test_ppo_has_pyboy_with_and_without_sound_and_the_network_it_is_trained_with():
    found = trained()
    assert set(found) == {"pyboy", "envwright-rust", "pyboy-silent"}
    assert found["pyboy"].role == Role.REFERENCE and found["pyboy-silent"].role == Role.PEER
    network = recommended("gameboy")["network"]
    assert {each.config(8).network for each in found.values()} == {network}


@pytest.mark.parametrize("sound", [True, False])
def test_processes_play_what_one_process_plays(sound):
    settings, rom = described(OPTIONS)
    workers = PyBoyWorkers(settings, LANES, OPTIONS | {"sound": sound})
    alone = PyBoyLanes(settings, rom, LANES, threads=1, sound=sound)
    rng = np.random.default_rng(0)
    try:
        seeds = [5, 6, 2**32 - 1]
        np.testing.assert_array_equal(workers.reset(seeds).obs, alone.reset(seeds).obs)
        ended = 0
        for _ in range(STEPS):
            actions = rng.integers(0, workers.action_space.n, LANES).astype(np.int32)
            ours, theirs = workers.step(actions), alone.step(actions)
            np.testing.assert_array_equal(ours.view.obs, theirs.view.obs)
            np.testing.assert_array_equal(ours.final_obs, theirs.final_obs)
            for name in ("reward", "terminated", "truncated"):
                np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
            ended += int(ours.truncated.sum())
        assert ended == LANES * (STEPS // OPTIONS["max_steps"])
        assert workers.spent() > 0
    finally:
        workers.close()
        alone.close()
    assert all(process.returncode == 0 for process in workers.processes)


@pytest.mark.slow
def test_networks_that_differ_are_not_compared():
    those = [
        NativePPO("gameboy", network=network, max_steps=5, frame_skip=1)
        for network in ("4@8/8x8", "4@8/8x16")
    ]
    those[1].name = "another"
    with pytest.raises(EnvwrightError, match="must train the same network"):
        run_bench("gameboy", [4], 1, kind="rollout", seconds=1e-3, implementations=those)
