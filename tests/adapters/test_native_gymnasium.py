"""Native environments as a Gymnasium vector environment."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from tests.core.native.counter import (
    OBSERVATION_SPACE,
    CounterTwin,
    N,
    random_actions,
    wrapped,
)

from envwright.adapters.native_gymnasium import NativeGymnasiumVectorEnv


def in_gymnasium(num_envs: int = N, **kwargs) -> NativeGymnasiumVectorEnv:
    return NativeGymnasiumVectorEnv(wrapped(num_envs), OBSERVATION_SPACE, Discrete(3), **kwargs)


def same_step_twins() -> SyncVectorEnv:
    return SyncVectorEnv([CounterTwin] * N, autoreset_mode=AutoresetMode.SAME_STEP)


def assert_same(ours, theirs, path=""):
    """Equal in type, dtype, keys and values."""
    assert type(ours) is type(theirs), path
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), path
        for key in theirs:
            assert_same(ours[key], theirs[key], f"{path}[{key!r}]")
    elif isinstance(theirs, tuple) or (isinstance(theirs, np.ndarray) and theirs.dtype.kind == "O"):
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(a, b, f"{path}[{i}]")
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype, path
        np.testing.assert_array_equal(ours, theirs, err_msg=path)
    else:
        assert ours == theirs, path


def test_gymnasium_wrapper_gives_what_sync_vector_env_gives():
    ours, theirs = in_gymnasium(), same_step_twins()
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert_same(ours.reset(seed=123), theirs.reset(seed=123))
    ended = 0
    for step, actions in enumerate(random_actions(300).astype(np.int64)):
        mine = ours.step(actions)
        assert_same(mine, theirs.step(actions), f"step {step}")
        ended += mine[2].sum() + mine[3].sum()
    assert ended > 50


def test_gymnasium_wrapper_matches_raw_stepping():
    ours, raw = in_gymnasium(), wrapped()
    obs, _ = ours.reset(seed=9)
    np.testing.assert_array_equal(obs, raw.reset(seed=9))
    for actions in random_actions(100):
        raw.restore(ours.env.snapshot())
        bare = raw.step_raw(actions)
        obs, reward, terminated, truncated, infos = ours.step(actions)
        np.testing.assert_array_equal(reward, bare.reward)
        np.testing.assert_array_equal(terminated, bare.terminated)
        np.testing.assert_array_equal(truncated, bare.truncated)
        for i in range(N):
            last = infos["final_obs"][i] if terminated[i] or truncated[i] else obs[i]
            np.testing.assert_array_equal(last, bare.obs[i])


def test_record_episode_statistics_sees_the_same_episodes():
    ours, theirs = (RecordEpisodeStatistics(env) for env in (in_gymnasium(), same_step_twins()))
    ours.reset(seed=2)
    theirs.reset(seed=2)
    for actions in random_actions(200):
        mine, twin = ours.step(actions)[4], theirs.step(actions)[4]
        for infos in (mine, twin):
            infos.get("episode", {}).pop("t", None)  # wall-clock time
        assert_same(mine, twin)
    assert ours.episode_count == theirs.episode_count > 20
    assert list(ours.return_queue) == list(theirs.return_queue)
    assert list(ours.length_queue) == list(theirs.length_queue)


def test_observations_are_copies_unless_told_otherwise():
    env = in_gymnasium()
    first, _ = env.reset(seed=0)
    kept = first.copy()
    env.step(np.ones(N, np.int64))
    np.testing.assert_array_equal(first, kept)
    bare = in_gymnasium(copy=False)
    assert bare.reset(seed=0)[0] is bare.env.obs


def test_gymnasium_wrapper_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="observation_space has shape"):
        NativeGymnasiumVectorEnv(wrapped(), Box(-1.0, 1.0, (3,)), Discrete(3))
    with pytest.raises(ValueError, match="reset_mask is not supported; ended environments reset"):
        in_gymnasium().reset(options={"reset_mask": np.ones(N, np.bool_)})
