"""Observations of simulators that only a file names are bounded."""

import numpy as np
import pytest
from gymnasium import spaces

from envwright.errors import EnvwrightError
from envwright.sim.resolve import open_simulator
from envwright.sim.sizes import elements, require_small

BOX = spaces.Box(0, 1, (3, 4))
SPACES = [
    (spaces.Discrete(1000), 1),
    (BOX, 12),
    (spaces.MultiDiscrete([5, 5]), 2),
    (spaces.MultiBinary(7), 7),
    (spaces.Dict(a=BOX, b=spaces.Discrete(2)), 13),
    (spaces.Tuple([BOX, spaces.Tuple([BOX])]), 24),
    (spaces.Box(0, 255, (), np.uint8), 1),
]


@pytest.mark.parametrize(("space", "count"), SPACES)
def test_elements_of_nested_spaces_are_added(space, count):
    assert elements(space) == count


def test_a_larger_simulator_is_refused():
    with open_simulator("gymnasium:CartPole-v1") as small:
        require_small(small)
        with pytest.raises(EnvwrightError, match="an observation of gymnasium:CartPole-v1 has 4"):
            require_small(small, 3)
