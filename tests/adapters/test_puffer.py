"""PufferLib's buffers and calls, without PufferLib."""

from __future__ import annotations

import numpy as np
import pytest

import envwright
from envwright._native import CounterVecEnv
from envwright.adapters.puffer import BUFFERS, PufferVectorEnv
from envwright.core.native import NativeVectorEnv
from envwright.errors import EnvwrightError


def pong(lanes: int = 6, **options) -> NativeVectorEnv:
    return envwright.make("pong", backend="rust", num_envs=lanes, threads=1, **options)


def shared(lanes: int = 6, continuous: bool = False) -> dict:
    return {
        "observations": np.full((lanes, 8), 9, np.float32),
        "rewards": np.full(lanes, 9, np.float32),
        "terminals": np.ones(lanes, bool),
        "truncations": np.ones(lanes, bool),
        "masks": np.zeros(lanes, bool),
        "actions": np.zeros((lanes, 1) if continuous else lanes, "f4" if continuous else "i4"),
    }


@pytest.mark.parametrize("continuous", [False, True])
def test_it_plays_what_the_environment_plays(continuous):
    ours, plain = PufferVectorEnv(pong(continuous=continuous)), pong(continuous=continuous)
    np.testing.assert_array_equal(ours.reset(seed=4)[0], plain.reset(seed=4))
    rng = np.random.default_rng(0)
    for _ in range(200):
        actions = rng.uniform(-1, 1, (6, 1)) if continuous else rng.integers(0, 3, 6)
        step = plain.step(actions.astype(plain.action_dtype))
        got = ours.step(actions)
        for mine, theirs in zip(got[:4], step[:4], strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_everything_is_written_into_the_buffers_given():
    buf = shared()
    env = PufferVectorEnv(pong(frame_skip=8), buf)
    assert all(getattr(env, name) is buf[name] for name in BUFFERS)
    env.async_reset(seed=1)
    assert buf["masks"].all()
    for _ in range(20):
        env.send(np.full(6, 2))
    obs, rewards, terminals, truncations, infos, ids, masks = env.recv()
    assert obs is buf["observations"] and rewards is buf["rewards"] and infos == []
    assert (buf["actions"] == 2).all() and not truncations.any() and not terminals.any()
    assert ids.tolist() == list(range(6)) and masks.all() and (obs[:, 1] < 0.4).all()


def test_episodes_are_told_now_and_then():
    env = PufferVectorEnv(pong(frame_skip=8), log_interval=50)
    env.reset(seed=0)
    told = [infos for _ in range(400) for infos in [env.step(np.zeros(6, int))[-1]] if infos]
    assert told and all(len(infos) == 1 for infos in told)
    # Nobody moves: a game is lost 21 to 0 in steps of five sub-frames and more.
    assert told[0][0]["episode_return"] >= -21 and told[0][0]["episode_length"] > 50
    assert sum(infos[0]["n"] for infos in told) >= 6


def test_what_pufferlib_asks_an_environment_for():
    env = PufferVectorEnv(pong())
    assert env.num_agents == 6 and env.driver_env is env and not env.done and not env.emulated
    assert env.single_observation_space.shape == (8,) and env.single_action_space.n == 3
    assert env.observation_space.shape == (6, 8) and env.action_space.shape == (6,)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("rewards", np.zeros(6), "pass float32"),
        ("observations", np.zeros((5, 8), np.float32), r"pass float32\[6, 8\]"),
        ("masks", None, "has no 'masks'"),
    ],
)
def test_buffers_that_do_not_fit(name, value, said):
    buf = shared()
    if value is None:
        del buf[name]
    else:
        buf[name] = value
    with pytest.raises(EnvwrightError, match=said):
        PufferVectorEnv(pong(), buf)


def test_wrong_actions():
    env = PufferVectorEnv(pong())
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action of environment 2 is 7"):
        env.step([0, 1, 7, 0, 0, 0])
    with pytest.raises(ValueError, match="reshape"):
        env.step([0, 1])


def test_an_environment_without_spaces():
    with pytest.raises(EnvwrightError, match="declares no spaces"):
        PufferVectorEnv(NativeVectorEnv(CounterVecEnv(2)))
