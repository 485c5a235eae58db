"""HalfCheetah in Rust: the reference's steps, whatever the batch; starts and ends; refusals."""

from __future__ import annotations

import numpy as np
import pytest
from tests.zoo.halfcheetah.episodes import ODD, odd_step, recorded

import envwright
from envwright.zoo.halfcheetah.native import NativeHalfCheetah

PARTS = ("position", "velocity", "acceleration")


@pytest.fixture(scope="module")
def reference():
    pytest.importorskip("mujoco")
    from envwright.zoo.halfcheetah.reference import CheetahReference

    return CheetahReference(tolerance=1e-12)


@pytest.fixture(scope="module")
def episodes(reference):
    return recorded(reference)


@pytest.mark.parametrize(
    ("dtype", "bounds"),
    [
        (np.float64, {"position": 1e-9, "velocity": 1e-7, "acceleration": 1e-3}),
        (np.float32, {"position": 1e-3, "velocity": 5e-2, "acceleration": 10.0}),
    ],
    ids=["float64", "float32"],
)
def test_a_step_from_any_state_of_whole_episodes_is_the_references(episodes, dtype, bounds):
    states, actions, records = zip(*episodes, strict=True)
    env = NativeHalfCheetah(len(states), dtype=dtype)
    env.reset(0)
    env.load_all(
        {name: np.stack([s[name] for s in states]).astype(dtype) for name in PARTS}
        | {"time": np.array([int(s["time"]) for s in states], np.int32)}
        | {"random": env.state()["random"]}
    )
    step = env.step_raw(np.stack(actions))
    for name, bound in bounds.items():
        expected = np.stack([record[f"state.{name}"] for record in records])
        assert np.abs(env.state()[name] - expected).max() < bound, name
    np.testing.assert_allclose(step.reward, [r["reward"] for r in records], atol=1e-2)
    np.testing.assert_array_equal(step.truncated, [bool(r["truncated"]) for r in records])
    assert not step.terminated.any() and step.obs.dtype == dtype


def test_a_robot_does_not_depend_on_its_neighbours_or_on_threads():
    actions = np.random.default_rng(0).uniform(-1, 1, (100, 133, 6)).astype(np.float32)
    seen = []
    for lanes, threads in ((133, 2), (133, 1), (5, 1)):
        env = NativeHalfCheetah(lanes, threads)
        env.reset(list(range(lanes)))
        for action in actions[:, :lanes]:
            obs = env.step(action).obs
        seen.append(obs[:5].copy())
    np.testing.assert_array_equal(seen[0], seen[1])
    np.testing.assert_array_equal(seen[0], seen[2])


def test_episodes_end_after_a_thousand_steps_and_begin_anew():
    env = envwright.make("halfcheetah", backend="rust", num_envs=3, threads=1)
    env.reset(7)
    for t in range(1, 1001):
        step = env.step(np.zeros((3, 6), np.float32))
        assert step.truncated.all() == (t == 1000)
    # The first position of the next episode is drawn, the last of the old one was on the ground.
    assert np.abs(step.obs[:, :8]).max() <= 0.1
    assert (step.final_obs[:, 0] < -0.05).all()


def test_starts_follow_the_references_law():
    env = NativeHalfCheetah(4000)
    env.reset(0)
    state = env.state()
    assert np.abs(state["position"]).max() <= 0.1 and np.abs(state["position"]).max() > 0.0999
    np.testing.assert_allclose(state["velocity"].std(0), 0.1, rtol=0.06)
    assert abs(state["velocity"].mean()) < 2e-3


@pytest.mark.parametrize(("what", "change", "action"), ODD, ids=[what for what, *_ in ODD])
def test_odd_input_is_met_as_by_mujoco(reference, what, change, action):
    state, action, record = odd_step(reference, change, action)
    env = NativeHalfCheetah(2, dtype=np.float64)  # the second robot is an ordinary one
    env.reset(0)
    before = env.state()
    env.load_all({name: np.stack([state.get(name, v[0]), v[1]]) for name, v in before.items()})
    step = env.step_raw(np.stack([action, np.zeros(6, np.float32)]))
    for name in ("position", "velocity"):
        got = env.state()[name]
        assert np.isfinite(got).all()
        np.testing.assert_allclose(got[0], record[f"state.{name}"], atol=1e-9)
    np.testing.assert_allclose(step.reward[0], record["reward"], rtol=1e-6)
    assert np.isfinite(step.reward[1]) and np.isnan(step.reward[0]) == (what == ODD[0][0])


def test_what_is_no_number_stays_in_its_lane():
    env = NativeHalfCheetah(20, 1)
    env.reset(0)
    actions = np.zeros((20, 6), np.float32)
    actions[3, 2] = np.nan
    step = env.step(actions)
    assert np.isnan(step.reward[3]) and np.isfinite(np.delete(step.reward, 3)).all()
    assert np.isfinite(step.obs).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"num_envs": 0}, "0 environments were asked for"),
        ({"frame_skip": 0}, "from 1 to 1000"),
        ({"dtype": np.int32}, "float32 or float64"),
        ({"max_steps": 0}, "max_steps"),
        ({"reset_noise_scale": float("nan")}, "reset_noise_scale"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, said):
    with pytest.raises((ValueError, envwright.errors.EnvwrightError), match=said):
        NativeHalfCheetah(**options)
