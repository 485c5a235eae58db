"""Vector environments: ours are sound, and every way of losing a step is found."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from msgspec.structs import replace
from tests.verify.worlds import RIM, Marble

from envwright.errors import EnvwrightError, Exit
from envwright.schema.divergence import load_divergence
from envwright.schema.tolerance import Tol, Tolerances
from envwright.verify.pair import PairSpec
from envwright.verify.replay import replay
from envwright.verify.vector.check import verify_vector

FLOAT32 = Tolerances(Tol(1e-6, 4, "float32 against float64"))


class Lanes(gymnasium.vector.VectorEnv):
    """Many marbles, as they should be; subclasses break one thing each."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int = 1, **options) -> None:
        self.num_envs = num_envs
        single = Marble()
        self.single_action_space = single.action_space
        self.single_observation_space = single.observation_space
        self.action_space = batch_space(single.action_space, num_envs)
        self.observation_space = batch_space(single.observation_space, num_envs)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position = self.starts(self.num_envs)
        self.velocity = np.zeros(self.num_envs)
        self.ended = np.zeros(self.num_envs, bool)
        return self.shown(), {}

    def step(self, actions):
        waiting = self.ended & (self.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP)
        moving = self.moving(waiting)
        velocity = 0.9 * self.velocity + 0.05 * self.position + 0.05 * (actions - 1)
        self.velocity = np.where(moving, velocity, self.velocity)
        self.position = np.where(moving, self.position + velocity, self.position)
        self.start_over(waiting)
        ended = (np.abs(self.position) > RIM) & ~waiting
        reward = np.where(np.abs(self.position) < RIM / 2, 1.0, 0.0)
        reward = np.where(waiting, self.pay_for_reset(), reward)
        info = {}
        if ended.any() and self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP:
            info = self.final(ended)
            self.start_over(ended)
        self.ended = ended
        return self.shown(), reward, ended, np.zeros(self.num_envs, bool), info

    def shown(self):
        return np.stack([self.position, self.velocity], axis=-1).astype(np.float32)

    # What may go wrong:

    def starts(self, count):
        return self.np_random.uniform(-0.5, 0.5, count)

    def start_over(self, lanes):
        if lanes.any():
            self.position = np.where(lanes, self.starts(self.num_envs), self.position)
            self.velocity = np.where(lanes, 0.0, self.velocity)

    def moving(self, waiting):
        return ~waiting

    def final(self, ended):
        return {"final_obs": list(self.shown()), "_final_obs": ended}

    def pay_for_reset(self):
        return 0.0


class NextStepLanes(Lanes):
    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012


class NoFinal(Lanes):
    """Loses the observation that ended the episode."""

    def final(self, ended):
        return {}


class StaleFinal(Lanes):
    """Hands out the observation of the new start as the final one."""

    def final(self, ended):
        self.start_over(ended)
        return super().final(ended)


class ReusedStart(Lanes):
    """Starts over from the very first start."""

    def reset(self, *, seed=None, options=None):
        shown = super().reset(seed=seed)
        self.first = self.position.copy()
        return shown

    def start_over(self, lanes):
        self.position = np.where(lanes, self.first, self.position)
        self.velocity = np.where(lanes, 0.0, self.velocity)


class Elsewhere(Lanes):
    """Forgets to stop the marble when it starts over."""

    def start_over(self, lanes):
        self.position = np.where(lanes, self.starts(self.num_envs), self.position)


class LostTransition(NextStepLanes):
    """While one lane starts over, no other lane moves."""

    def moving(self, waiting):
        return ~waiting & ~waiting.any()


class PaidReset(NextStepLanes):
    """Pays for the step that starts over."""

    def pay_for_reset(self):
        return 1.0


class Leftover(NextStepLanes):
    """A reset that does not forget who was waiting."""

    def reset(self, *, seed=None, options=None):
        waiting = getattr(self, "ended", np.zeros(self.num_envs, bool))
        shown = super().reset(seed=seed)
        self.ended = waiting
        return shown


SOUND = (Lanes, NextStepLanes)
BROKEN = (NoFinal, StaleFinal, ReusedStart, Elsewhere, LostTransition, PaidReset, Leftover)


@pytest.fixture(scope="module", autouse=True)
def registered():
    names = {f"tests/{cls.__name__}-v0": cls for cls in SOUND + BROKEN}
    for name, cls in names.items():
        gymnasium.register(name, entry_point=Marble, vector_entry_point=cls)
    yield
    for name in names:
        del gymnasium.registry[name]


def check(cls, episodes=40, lanes=5):
    name = f"gymnasium:tests/{cls.__name__}-v0"
    spec = PairSpec("python:tests.verify.worlds:Marble", name)
    return verify_vector(spec, episodes=episodes, lanes=lanes)


def finding(cls):
    """What level 2 found, once."""
    (found,) = check(cls).levels[0].divergences
    return found


@pytest.mark.parametrize("cls", SOUND)
def test_sound_lanes_are_equal_with_either_kind_of_reset(cls):
    report = check(cls)
    assert report.exit_code == Exit.EQUAL
    assert [level.level for level in report.levels] == [2, 3]
    assert all(level.tally.episodes >= 40 for level in report.levels)
    kind = "same step" if cls is Lanes else "next step"
    assert f"5 lanes, {kind} reset" in report.levels[0].notes


@pytest.mark.parametrize(
    ("cls", "field", "hint"),
    [
        (NoFinal, "final_obs", "final observation is lost"),
        (StaleFinal, "obs", ""),
        (ReusedStart, "start", "used again"),
        (Elsewhere, "start", "started over elsewhere"),
        (LostTransition, "obs", "transition was lost"),
        (PaidReset, "reward", "starts over pays"),
        (Leftover, "obs", "left something behind"),
    ],
)
def test_every_way_of_losing_a_step_is_found_and_named(cls, field, hint):
    found = finding(cls)
    assert found.level == 2 and found.lane in range(5)
    assert found.field.startswith(field)
    assert hint in found.hint


def test_a_lost_transition_names_the_lane_that_started_over():
    hint = finding(LostTransition).hint
    other = int(hint.partition("when lane ")[2].split()[0].rstrip(","))
    assert other != finding(LostTransition).lane


def test_a_finding_is_shortened():
    assert len(finding(PaidReset).actions) < 30


@pytest.mark.parametrize("cls", [ReusedStart, Leftover])
def test_a_finding_is_kept_in_a_file_and_shows_again(cls, tmp_path):
    saved = load_divergence(finding(cls).save(tmp_path).path)
    assert replay(saved, trust=True).shows
    sound = replace(
        saved,
        twin=f"gymnasium:tests/{cls.__mro__[1].__name__}-v0",
        reference=f"gymnasium:tests/{cls.__mro__[1].__name__}-v0",
    )
    assert not replay(sound, trust=True).shows


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "strategy",
    [pytest.param("inline", marks=SLOW), "compact", pytest.param("pool", marks=SLOW)],
)
def test_our_auto_reset_is_sound_with_every_strategy(strategy):
    spec = PairSpec(
        "gymnasium:CartPole-v1",
        f"envwright:cartpole?auto_reset={strategy}",
        "python:envwright.zoo.cartpole.bridge:BRIDGE",
        FLOAT32,
    )
    report = verify_vector(spec, episodes=20, lanes=5)
    assert report.exit_code == Exit.EQUAL, report.divergences
    assert all(level.tally.episodes >= 20 for level in report.levels)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (PairSpec(Marble, "gymnasium:CartPole-v1"), "compared by name"),
        (PairSpec("gymnasium:CartPole-v1", "python:tests.verify.worlds:Marble"), "no vector form"),
        (PairSpec("gymnasium:CartPole-v1", "envwright:cartpole?auto_reset=never"), "strategy"),
    ],
)
def test_what_has_no_vector_form_is_refused(spec, sentence):
    with pytest.raises(EnvwrightError, match=sentence):
        verify_vector(spec, episodes=1)
