"""Differences that hide: small constant errors, history, unseen starts, lanes that remember."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.classic_control.cartpole import CartPoleEnv, CartPoleVectorEnv
from gymnasium.wrappers import TimeLimit

from envwright.errors import EnvwrightError
from envwright.schema.tolerance import Tol, Tolerances
from envwright.verify.pair import PairSpec
from envwright.verify.results import VerifyReport
from envwright.verify.run import Effort, verify_pair
from envwright.verify.vector.check import verify_vector

CARTPOLE = "gymnasium:CartPole-v1"
LOOSE = Tolerances(Tol(1e-5, why="room for rounding"))
LITTLE = Effort(episodes=12, visited=8, fuzzed=100, boundary=20, examples=30, starts=3000)


def compared(reference, twin, tolerances=LOOSE, **options) -> VerifyReport:
    return verify_pair(PairSpec(reference, twin, tolerances=tolerances, **options), effort=LITTLE)


def verdicts(report: VerifyReport) -> list[str]:
    return [level.verdict for level in report.levels]


class Drifting(CartPoleEnv):
    """Adds a little less than two tolerances to the position at every step."""

    def step(self, action):
        _, *rest = super().step(action)
        self.state = self.state + np.array([1.8e-5, 0, 0, 0])
        return self.state.astype(np.float32), *rest


class Tiring(CartPoleEnv):
    """Pushes twice as hard after the eighth step of an episode."""

    def reset(self, **options):
        self.played = 0
        return super().reset(**options)

    def step(self, action):
        self.played += 1
        self.force_mag = 20.0 if self.played > 8 else 10.0
        return super().step(action)


class Memo:
    """An object that attributes cannot look into."""


class Secretive(CartPoleEnv):
    """Right, but its true state is in an object."""

    def reset(self, **options):
        shown = super().reset(**options)
        self.memo = Memo()
        self.memo.state = self.state.copy()
        return shown

    def step(self, action):
        self.state = self.memo.state.copy()
        shown = super().step(action)
        self.memo.state = self.state.copy()
        return shown


def limited(kind):
    return lambda: TimeLimit(kind(), 500)


class Pendulous(gymnasium.Env):
    """Walks to a target that nobody sees, and that changes sides at every step."""

    observation_space = spaces.Box(-100, 100, (1,), np.float64)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = float(self.np_random.uniform(-1, 1))
        self.target = self.drawn()
        return np.array([self.x]), {}

    def drawn(self):
        return int(self.np_random.integers(-3, 4))

    def step(self, action):
        self.x += 0.5 * (2 * int(action) - 1)
        reward = -abs(self.x - self.target)
        self.target = -self.target
        return np.array([self.x]), reward, abs(self.x) > 3, False, {}


class PendulousNearby(Pendulous):
    """The same game with nearer targets."""

    def drawn(self):
        return int(np.sign(super().drawn()))


class FewPlaces(gymnasium.Env):
    """Starts from one of three places."""

    observation_space = spaces.Box(-100, 100, (1,), np.float64)
    action_space = spaces.Discrete(2)
    dtype = np.float64

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.t = self.dtype(self.np_random.choice([0.1, 0.2, 0.3])), 0
        return np.array([self.x], self.dtype), {}

    def step(self, action):
        self.t += 1
        self.x = self.dtype(self.x + self.dtype(0.1) * (2 * int(action) - 1))
        return np.array([self.x], self.dtype), 1.0, False, self.t >= 20, {}


class FewPlaces32(FewPlaces):
    dtype = np.float32


class Phased(gymnasium.Env):
    """A part of its state first changes far from the start."""

    observation_space = spaces.Box(-1e6, 1e6, (1,), np.float64)
    action_space = spaces.Discrete(2)
    phase = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.t, self.phase = float(self.np_random.uniform(-1, 1)), 0, 0
        return np.array([self.x]), {}

    def step(self, action):
        self.t += 1
        self.note(1 if self.x > 6 else self.phase)
        self.x += (1 + self.phase) * (0.5 if action else -0.4)
        return np.array([self.x]), 1.0, False, self.t >= 200, {}


class LatePhase(Phased):
    """Written as usual."""

    def note(self, phase):
        self.phase = phase


class HiddenPhase(Phased):
    """Written in a way that its source does not show."""

    def note(self, phase):
        vars(self)["phase"] = phase


def test_an_error_of_less_than_two_tolerances_at_every_step_is_not_excused():
    report = compared(CARTPOLE, limited(Drifting))
    assert verdicts(report) == ["different"] * 3
    assert sum(level.tally.near_boundary for level in report.levels) == 0


def test_rules_that_change_with_history_are_found_despite_a_tolerance():
    report = compared(CARTPOLE, limited(Tiring))
    assert report.levels[1].verdict == "different"
    assert report.levels[1].divergences[0].step == 8
    assert any("also holds" in note and "played" in note for note in report.notes)


def test_a_right_twin_that_cannot_be_put_back_is_not_accused():
    report = compared(CARTPOLE, limited(Secretive))
    assert verdicts(report) == ["equal"] * 3
    assert any("cannot be put back" in note for note in report.notes)


def test_the_law_of_a_start_that_is_not_observed_is_compared():
    report = compared(Pendulous, PendulousNearby, Tolerances())
    first = report.levels[0].divergences[0]
    assert (first.kind, first.field) == ("law", "law of state.target[0] at reset")
    assert verdicts(compared(Pendulous, Pendulous, Tolerances())) == ["equal"] * 3


def test_starts_from_few_places_have_one_law_however_they_are_rounded():
    assert verdicts(compared(FewPlaces, FewPlaces32)) == ["equal"] * 3


def test_a_part_that_shows_late_is_known_from_the_source():
    assert verdicts(compared(LatePhase, LatePhase, Tolerances())) == ["equal"] * 3


def test_a_reference_with_a_part_that_nobody_sees_is_never_called_different_from_itself():
    report = compared(HiddenPhase, HiddenPhase, Tolerances())
    assert "different" not in verdicts(report)
    assert any("part of its state is hidden" in level.inconclusive for level in report.levels)


@pytest.mark.parametrize("pattern", ["obs[1]", "state.thetta"])
def test_a_tolerance_for_a_field_that_nobody_has_is_refused(pattern):
    tolerances = Tolerances(fields={pattern: Tol(1e-3, why="a slip")})
    with pytest.raises(EnvwrightError, match=r"the fields are obs, reward, state\.state"):
        compared(CARTPOLE, CARTPOLE, tolerances)


class ThreeZeros:
    """A bridge to nowhere."""

    def to_twin(self, state):
        return {"nowhere": np.zeros(3)}

    def to_reference(self, state):
        return state


def test_a_bridge_that_does_not_fit_is_no_difference_of_the_twin():
    with pytest.raises(EnvwrightError, match=r"the bridge sets 'nowhere', but .* has state, time"):
        compared(CARTPOLE, CARTPOLE, bridge=ThreeZeros())


class KeepsCounting(CartPoleVectorEnv):
    """An auto-reset that does not set the lane's step counter back."""

    def step(self, actions):
        over, counted = self.prev_done.copy(), self.steps.copy()
        shown = super().step(actions)
        self.steps[over] = counted[over]
        return shown


@pytest.mark.parametrize(
    ("vector", "verdict"), [(CartPoleVectorEnv, "equal"), (KeepsCounting, "different")]
)
def test_a_lane_must_start_over_in_a_fresh_state_not_only_show_one(vector, verdict):
    name = f"{vector.__name__}-v0"
    single = "gymnasium.envs.classic_control.cartpole:CartPoleEnv"
    gymnasium.register(name, entry_point=single, vector_entry_point=vector, max_episode_steps=60)
    try:
        spec = PairSpec("gymnasium:CartPole-v1?max_episode_steps=60", f"gymnasium:{name}")
        report = verify_vector(spec, episodes=30)
    finally:
        gymnasium.registry.pop(name)
    assert [level.verdict for level in report.levels] == [verdict] * 2
