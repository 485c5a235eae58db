"""Any simulator can be a side of level 4: lanes that step one after the other."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest
from tests.verify.transfer import poles
from tests.verify.transfer.plans import CARTPOLE, TINY
from tests.verify.transfer.poles import HERE

from envwright.core.env import Env
from envwright.errors import EnvwrightError
from envwright.sim.hosts import GymnasiumLanes
from envwright.sim.hosts.simulator_lanes import SimulatorLanes, transfer_target
from envwright.sim.resolve import open_simulator
from envwright.verify.l4_transfer import check_transfer
from envwright.verify.transfer.jobs import EvaluateJob, training_jobs

pytestmark = pytest.mark.usefixtures("compile_quickly")
EXAMPLE = Path(__file__).parents[3] / "examples" / "command_simulator.py"
MOUNTAIN_CAR = f"command:{sys.executable} {EXAMPLE}"
FEW = replace(TINY, episodes=2, horizon=20)


@pytest.fixture
def lanes():
    made = SimulatorLanes(poles.Wrapped, 3)
    yield made
    made.close()


def start(seed):
    """The first observation of a lane with this seed, and the seed of its second episode."""
    rng = np.random.default_rng(seed)
    first, second = (int(rng.integers(2**31)) for _ in range(2))
    return open_simulator("gymnasium:CartPole-v1").reset(first)["obs"], second


# --- lanes -----------------------------------------------------------------------------


def test_every_lane_starts_from_its_own_seed_and_does_so_again(lanes):
    first = lanes.reset([1, 2, 3]).obs
    np.testing.assert_array_equal(first, np.stack([start(seed)[0] for seed in (1, 2, 3)]))
    assert len(np.unique(first, axis=0)) == 3
    np.testing.assert_array_equal(lanes.reset([1, 2, 3]).obs, first)


def test_lanes_play_what_single_simulators_play(lanes):
    lanes.reset([1, 2, 3])
    alone = open_simulator("gymnasium:CartPole-v1")
    alone.reset(int(np.random.default_rng(2).integers(2**31)))
    for time in range(8):
        actions = np.array([time % 2, 1, 0])
        step = lanes.step(actions)
        expected = alone.step(1)
        np.testing.assert_array_equal(step.final_obs[1], expected["obs"])
        assert (step.reward[1], step.terminated[1]) == (1.0, expected["terminated"])


def test_an_ended_lane_shows_its_end_and_then_its_next_start(lanes):
    lanes.reset([1, 2, 3])
    for _ in range(60):
        step = lanes.step(np.array([1, 1, 1]))
        if step.terminated[0]:
            break
    assert abs(step.final_obs[0][2]) > 0.2  # fallen
    expected = open_simulator("gymnasium:CartPole-v1").reset(start(1)[1])["obs"]
    np.testing.assert_array_equal(step.view.obs[0], expected)


def test_lanes_that_are_not_active_stand_still(lanes):
    before = lanes.reset([1, 2, 3]).obs
    step = lanes.step(np.array([1, 1, 1]), np.array([True, False, True]))
    np.testing.assert_array_equal(step.view.obs[1], before[1])
    assert not np.array_equal(step.view.obs[0], before[0])
    assert step.reward.tolist() == [1.0, 0.0, 1.0]


def test_what_was_shown_is_not_overwritten_by_the_next_step(lanes):
    before = lanes.reset([1, 2, 3]).obs
    copy = before.copy()
    lanes.step(np.array([1, 1, 1]))
    np.testing.assert_array_equal(before, copy)


# --- targets ---------------------------------------------------------------------------


def test_names_are_opened_in_the_fastest_way_there_is():
    assert isinstance(transfer_target(CARTPOLE), Env)
    assert isinstance(transfer_target(f"{HERE}:pole?gravity=15"), Env)
    assert transfer_target(f"{HERE}:pole?gravity=15").default_params.physics.gravity == 15
    for name, kind in (
        ("gymnasium:CartPole-v1", GymnasiumLanes),
        (f"{HERE}:Brittle", GymnasiumLanes),
        (f"{HERE}:Wrapped", SimulatorLanes),
        ("gymnax:CartPole-v1", SimulatorLanes),
    ):
        made = transfer_target(name)(2)
        assert type(made) is kind, name
        made.close()


def test_double_precision_is_what_it_says():
    """A fused program would compute it in float32, and call it by its name."""
    lanes = transfer_target(f"{CARTPOLE}?dtype=float64")(1)
    lanes.reset([0])
    lanes.step(np.array([1]))
    state = lanes.simulators[0].state()
    assert state["motion.x"].dtype == np.float64
    assert not jax.config.jax_enable_x64


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (f"{HERE}:ONE_SIMULATOR", "is one simulator and level 4 runs many; name its class"),
        (f"{HERE}:HERE", "cannot be trained on; give an Env or what makes environments"),
        (f"{HERE}:nothing", "has no attribute 'nothing'"),
    ],
)
def test_what_cannot_be_run_is_told_in_a_sentence(name, sentence, monkeypatch):
    monkeypatch.setattr(poles, "ONE_SIMULATOR", poles.Wrapped(), raising=False)
    with pytest.raises(EnvwrightError, match=sentence):
        transfer_target(name)


# --- as a side of level 4 --------------------------------------------------------------


@pytest.mark.lax("gymnax promotes")
@pytest.mark.slow
def test_gymnax_is_a_twin_for_given_policies(beginners):
    result = check_transfer(CARTPOLE, "gymnax:CartPole-v1", FEW, policies=beginners)
    assert result.directions[0].mean_twin > 5
    assert result.tally.episodes == 6 * 2 * 3


def test_a_simulator_of_ones_own_is_a_twin_for_given_policies(beginners):
    result = check_transfer(CARTPOLE, f"{HERE}:Wrapped", FEW, policies=beginners)
    assert result.directions[0].mean_twin > 5


@pytest.mark.slow
def test_a_program_is_trained_in_and_evaluated(tmp_path):
    """Nobody reaches the top of the mountain by chance: the returns are saturated."""
    plan = replace(TINY, config=replace(TINY.config, steps=64, num_envs=2), stages=(1.0,))
    (job,) = training_jobs(MOUNTAIN_CAR, plan, 3, tmp_path)
    job.run()
    plan = replace(plan, episodes=2, horizon=300)
    result = check_transfer("gymnasium:MountainCar-v0", MOUNTAIN_CAR, plan, policies=tmp_path)
    assert {(p.trained_in, p.return_reference, p.return_twin) for p in result.policies} == {
        (MOUNTAIN_CAR, -200.0, -200.0)
    }
    assert (result.verdict, result.directions[0].case) == ("inconclusive", "saturated")


def test_a_twin_that_raises_is_named_in_a_sentence(beginners):
    (run,) = (path.parent for path in beginners.rglob("run.json"))
    job = EvaluateJob(run, f"{HERE}:Brittle", "twin", TINY, 0, None)
    with pytest.raises(EnvwrightError) as error:
        job.run()
    assert str(error.value) == (
        f"{HERE}:Brittle raised ZeroDivisionError: the pole is tilted; levels 1 to 3 show where"
    )
