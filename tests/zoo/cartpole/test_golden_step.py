"""What Gymnasium's own `CartPoleEnv.step` answered, kept in a file, against ours.

So the comparison means something where the reference is not installed, and a reference that
changes is noticed. The file is made by running this module.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.zoo.cartpole.pinned import PINNED

from envwright.schema.tolerance import Tolerances
from envwright.sim.serve import call
from envwright.verify.golden import compare_golden, instrumented, load_golden, save_golden, table
from envwright.zoo.cartpole.rules import Physics

GOLDEN = Path(__file__).parent / "golden" / f"step-gymnasium-{PINNED}.npz"
OURS = "envwright.zoo.cartpole.bridge:golden_step"
TARGET = "gymnasium.envs.classic_control.cartpole:CartPoleEnv.step"
EPISODES, EDGES = 10, 200


def edge_states(rng):
    """States around the limits, some of them beyond."""
    physics = Physics()
    limits = np.array([physics.x_limit, 3.0, physics.theta_limit, 3.0])
    states = rng.uniform(-1.05, 1.05, (EDGES, 4)) * limits
    states[::4, [1, 3]] = 0.0  # at rest, the next position is the present one
    states[::8, 0] = limits[0] * rng.choice([-1, 1], len(states[::8]))
    states[4::8, 2] = limits[2] * rng.choice([-1, 1], len(states[4::8]))
    return states


def record():
    """Whole episodes under random actions, then single steps from states around the limits."""
    from envwright.sim.resolve import open_simulator

    simulator, rng = open_simulator("gymnasium:CartPole-v1"), np.random.default_rng(2026)
    with instrumented(TARGET, ("state",)) as calls:
        for seed in range(EPISODES):
            simulator.reset(seed)
            while not simulator.step(int(rng.integers(2)))["terminated"]:
                pass
        for state in edge_states(rng):
            simulator.load({"state": state, "time": np.asarray(0)})
            simulator.step(int(rng.integers(2)))
    return calls


@pytest.fixture(scope="module")
def golden():
    return load_golden(GOLDEN)


def test_our_step_gives_the_golden_outputs_bit_for_bit(golden):
    found = compare_golden(golden, partial(call, OURS), Tolerances())
    assert found is None, str(found)


def test_the_golden_file_holds_both_outcomes_of_every_limit(golden):
    inputs, outputs = golden
    terminated, after = outputs["result.2"], outputs["self.state"]
    physics = Physics()
    assert 300 < len(terminated) < 600
    assert set(inputs["action"]) == {0, 1}
    for column, limit in ((0, physics.x_limit), (2, physics.theta_limit)):
        assert np.any(after[:, column] == limit) and np.any(after[:, column] == -limit)
        assert np.any(terminated & (after[:, column] > limit))
        assert np.any(terminated & (after[:, column] < -limit))
    assert np.any(~terminated)


def test_a_wrong_step_does_not_give_the_golden_outputs(golden):
    def heavy(inputs):
        return call(OURS, inputs | {"self.state": inputs["self.state"] * (1 + 2**-52)})

    row, _, mismatch = compare_golden(golden, heavy, Tolerances())
    assert row == 0 and mismatch.field.startswith(("self.state", "result.0"))


def test_the_reference_still_gives_the_golden_outputs(golden):
    pytest.importorskip("gymnasium")
    for kept, now in zip(golden, table(record()), strict=True):
        assert kept.keys() == now.keys()
        for name in kept:
            assert kept[name].dtype == now[name].dtype
            np.testing.assert_array_equal(kept[name], now[name], err_msg=name)


if __name__ == "__main__":
    save_golden(GOLDEN, record())
    print(f"{GOLDEN.name}: {len(load_golden(GOLDEN)[0]['action'])} calls")
