"""Attributes that a step writes are state, also if nobody saw them change."""

import gymnasium
import numpy as np

from envwright.sim.gymnasium_env import GymnasiumSimulator
from envwright.sim.written import written_in_steps


class Vault(gymnasium.Env):
    """It opens only after a long time, and then `open` changes for the first time."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (1,), np.float32)

    def __init__(self):
        self.size = 3
        self.seen = [0, 0]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.open, self.hours, self.seen = False, 0, [0, 0]
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.hours += 1
        self._look()
        return np.zeros(1, np.float32), 0.0, self.open, False, {}

    def _look(self):
        if self.hours > 500:
            self.open, self.seen[0] = True, 1

    def render(self):
        self.picture = 1


def test_the_source_tells_what_a_step_writes():
    assert written_in_steps(Vault) == {"hours", "open", "seen"}


def test_what_changes_rarely_is_state_too():
    with GymnasiumSimulator(Vault(), "vault") as vault:
        vault.reset(0)
        assert set(vault.state()) == {"hours", "open", "seen"}
        vault.load({**vault.state(), "open": np.asarray(True)})
        assert bool(vault.step(0)["terminated"])


def test_a_class_without_source_writes_nothing_that_is_known():
    made = type("Made", (gymnasium.Env,), {})
    assert written_in_steps(made) == set()


class Stamps(Vault):
    """Its count of stamps grows for the first time in the last episode that is watched."""

    episodes = 0

    def reset(self, *, seed=None, options=None):
        self.episodes += 1
        self.stamps = 0
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self.stamps += self.episodes > 2
        return super().step(action)


def test_what_a_reset_begins_anew_is_state_and_what_it_does_not_is_a_count_of_all_time():
    with GymnasiumSimulator(Stamps(), "stamps") as stamps:
        stamps.reset(0)
        assert "stamps" in stamps.state() and "episodes" not in stamps.state()
