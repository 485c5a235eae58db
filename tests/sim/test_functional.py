"""Tables of steps: each lane draws for itself."""

from __future__ import annotations

import jax
import numpy as np

from envwright.core.env import Env
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete
from envwright.sim.functional import EnvwrightSimulator

LANES, STEPS = 64, 8


@pytree_dataclass
class State:
    drawn: jax.Array  # float32[]


class Dice(Env[State, None]):
    """Shows what a step has drawn."""

    id, version, default_params = "dice", 0, None

    def draw_start(self, key, params):
        return jax.random.uniform(key)

    def start(self, noise, params):
        return State(noise)

    def draw(self, key, state, action, params):
        return jax.random.uniform(key)

    def transition(self, state, action, noise, params):
        return State(noise), noise, noise > 2, {}

    def observe(self, state, player=0):
        return state.drawn[None]

    def observation_space(self, params=None):
        return Box(np.zeros(1, np.float32), np.ones(1, np.float32))

    def action_space(self, params=None):
        return Discrete(2)


def test_lanes_of_a_table_draw_apart_and_those_of_the_next_again():
    simulator = EnvwrightSimulator(Dice())
    simulator.reset(0)
    states, actions = [simulator.state()] * LANES, np.zeros(LANES, int)
    drawn = [simulator.step_table(states, actions)["reward"] for _ in range(2)]
    assert len(np.unique(drawn)) == 2 * LANES


def test_steps_of_whole_episodes_draw_apart():
    simulator = EnvwrightSimulator(Dice())
    states = [simulator.state()] * LANES
    table = simulator.run_table(states, np.zeros((LANES, STEPS), int))
    assert len(np.unique(table["reward"])) == LANES * STEPS
