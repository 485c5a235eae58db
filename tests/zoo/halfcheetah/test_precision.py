"""How precise a step is: beside MuJoCo's in 100,000 states, and where no policy comes to."""

from __future__ import annotations

import numpy as np
import pytest

from envwright.sim.records import stack
from envwright.verify.policies import find_policy
from envwright.zoo.halfcheetah.native import NativeHalfCheetah

STATES = 20_000


def wild_states() -> dict[str, np.ndarray]:
    """Limbs far beyond their limits, trunks in the ground, speeds of 10 rad/s and more."""
    rng = np.random.default_rng(0)
    drawn = {
        "position": rng.uniform(-1.5, 1.5, (STATES, 9)) * ([1.0, 0.3] + [1.0] * 7),
        "velocity": rng.normal(size=(STATES, 9)) * 10,
        "acceleration": np.zeros((STATES, 9)),
    }
    return {name: part.astype(np.float32) for name, part in drawn.items()}


def after_a_step(dtype: type, states: dict[str, np.ndarray], actions: np.ndarray) -> np.ndarray:
    env = NativeHalfCheetah(len(actions), dtype=dtype)
    env.reset(0)
    shared = {k: v for k, v in states.items() if k != "time"}
    env.load_all({**env.state(), **{name: part.astype(dtype) for name, part in shared.items()}})
    env.step_raw(actions)
    return env.state()["position"].astype(np.float64)


def test_float32_positions_are_near_after_a_step():
    states = wild_states()
    actions = np.random.default_rng(1).uniform(-1, 1, (STATES, 6)).astype(np.float32)
    answers = [after_a_step(dtype, states, actions) for dtype in (np.float32, np.float64)]
    error = np.abs(answers[0] - answers[1]).max(axis=1)
    assert np.median(error) < 2e-6
    assert np.quantile(error, 0.99) < 2e-4 and np.quantile(error, 0.999) < 5e-4
    # Contacts count as inertia about the trunk, far from the foot that they hold; where several
    # hold, half of float32's digits are lost. One state of these is 3e-3 off.
    assert 1e-5 < error.max() < 1e-2


POLICIES = (
    "random",
    "sticky",
    "python:envwright.zoo.halfcheetah.policies:gallop",
    "python:envwright.zoo.halfcheetah.policies:slam",
    "python:envwright.zoo.halfcheetah.policies:rest",
)


def many_steps(reference, episodes: int, fuzzed: int) -> tuple:
    """States, actions and MuJoCo's next positions: whole episodes, and near what they visited."""
    states, actions, after = [], [], []

    def take(state, action) -> dict:
        record = reference.step(action)
        states.append(state), actions.append(action), after.append(record["state.position"])
        return record

    for seed in range(episodes):
        policy = find_policy(POLICIES[seed % len(POLICIES)])
        rng, memory, record = np.random.default_rng(seed), {}, reference.reset(seed)
        for t in range(1000):
            action = policy(rng, reference.action_space, record["obs"], t, memory)
            record = take(reference.state(), np.asarray(action, np.float32))
    rng = np.random.default_rng(0)
    low, high = (f([s["velocity"] for s in states], axis=0) for f in (np.min, np.max))
    for i in rng.integers(len(states), size=fuzzed):
        moved = states[i]["position"] + rng.normal(size=9) * ([0, 0.05] + [0.2] * 7)
        state = {**states[i], "position": moved, "velocity": rng.uniform(low, high)}
        reference.load(state)
        take(state, rng.uniform(-1, 1, 6).astype(np.float32))
    return stack(states), np.stack(actions), np.stack(after)


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [None, 1e-12], ids=["as it is", "solver to the end"])
def test_a_step_is_mujocos_in_100_000_states(tolerance):
    pytest.importorskip("mujoco")
    from envwright.zoo.halfcheetah.reference import CheetahReference

    reference = CheetahReference(tolerance)
    states, actions, expected = many_steps(reference, episodes=90, fuzzed=10_000)
    assert len(actions) == 100_000
    double, single = (
        np.abs(after_a_step(dtype, states, actions) - expected).max(axis=1)
        for dtype in (np.float64, np.float32)
    )
    assert np.quantile(double, 0.999) <= 1e-8 and double.max() <= 1e-6
    if tolerance is not None:
        assert double.max() <= 1e-8
    assert single.max() <= 1e-3 and np.quantile(single, 0.999) <= 1e-4


def test_at_hundreds_of_turns_a_step_is_as_far_off_as_mujoco_is_from_itself():
    """Five sub-steps at 800 rad/s make 1e-13 into metres, in any order of sums."""
    pytest.importorskip("mujoco", reason="the reference: pip install envwright[reference]")
    from envwright.zoo.halfcheetah.reference import CheetahReference

    rng, count = np.random.default_rng(0), 1500
    reference = CheetahReference(tolerance=1e-12)
    position = rng.uniform(-3, 3, (count, 9))
    position[:, 1] = rng.uniform(-0.5, 1, count)
    velocity = rng.uniform(-1, 1, (count, 9)) * rng.choice([50, 200, 800], (count, 1))
    actions = rng.uniform(-1, 1, (count, 6)).astype(np.float32)

    def stepped(i: int, nudge: float = 0.0) -> np.ndarray:
        state = {"position": position[i], "velocity": velocity[i]}
        near = {k: v * (1 + nudge * rng.standard_normal(9)) for k, v in state.items()}
        reference.load({**near, "acceleration": np.zeros(9), "time": 0})
        reference.step(actions[i])
        return reference.state()["position"].copy()

    still = {"position": position, "velocity": velocity, "acceleration": np.zeros((count, 9))}
    ours = after_a_step(np.float64, still, actions)
    theirs = np.array([stepped(i) for i in range(count)])
    error = np.abs(ours - theirs).max(axis=1)
    assert np.median(error) < 1e-12
    far = np.flatnonzero(error > 1e-6)
    assert len(far) > 20
    for i in far:
        # Inside one sub-step accelerations of 10,000 differ by 6e-9: by 6e-13 of themselves.
        moved = max(np.abs(stepped(i, 6e-13) - theirs[i]).max() for _ in range(8))
        assert error[i] < 5 * moved
