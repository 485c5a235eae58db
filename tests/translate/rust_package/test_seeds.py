"""With the same seed, a packaged translation plays the same episodes as its reference."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from tests.translate.test_rust_target import needs_cargo

import envwright
from envwright.errors import EnvwrightError

pytestmark = needs_cargo
LANES, STEPS, AGAIN = 8, 2000, 1200


@pytest.mark.parametrize("dice", [False, True])
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_a_batch_equals_gymnasiums_of_the_reference_in_every_array(opened_rust, mode, dice):
    import lamp

    made = lamp.RestlessLamp if dice else lamp.LampEnv
    theirs = SyncVectorEnv([made] * LANES, autoreset_mode=mode)
    ours = gymnasium.make_vec(
        "fast_lamp/Lamp-v1", num_envs=LANES, autoreset_mode=mode.value, dice=dice
    )
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == mode
    actions = np.random.default_rng(5).integers(0, 3, (STEPS, LANES))
    _same(ours.reset(seed=90_210)[0], theirs.reset(seed=90_210)[0])
    ended = 0
    for number, moves in enumerate(actions):
        if number == AGAIN:  # without a seed, the generators go on
            _same(ours.reset()[0], theirs.reset()[0])
        obs, reward, terminated, truncated, infos = ours.step(moves)
        their_obs, their_reward, their_end, their_limit, their_infos = theirs.step(moves)
        _same(obs, their_obs)
        _same(reward, their_reward)
        _same(terminated, their_end)
        _same(truncated, their_limit & ~their_end)
        over = terminated | truncated
        assert ("final_obs" in infos) == ("final_obs" in their_infos)
        for lane in np.flatnonzero(over) if "final_obs" in infos else ():
            _same(infos["final_obs"][lane], their_infos["final_obs"][lane])
        ended += int(over.sum())
    assert ended > STEPS * LANES / 40


def _same(ours, theirs):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert np.array_equal(ours, theirs)


def test_a_single_one_goes_on_with_its_generator_after_a_reset_without_a_seed(opened_rust):
    import lamp

    ours, theirs = gymnasium.make("fast_lamp/Lamp-v1", dice=True), lamp.RestlessLamp()
    _same(ours.reset(seed=3)[0], theirs.reset(seed=3)[0])
    for action in np.random.default_rng(0).integers(0, 3, 300).tolist():
        ours_told, theirs_told = ours.step(action), theirs.step(action)
        _same(ours_told[0], theirs_told[0])
        assert ours_told[1:3] == theirs_told[1:3]
        if ours_told[2] or ours_told[3]:
            _same(ours.reset()[0], theirs.reset()[0])


def test_the_state_names_the_generator_of_numpy(opened_rust):
    env = envwright.make("fast_lamp", num_envs=2, dice=True)
    env.reset(seed=11)
    env.step([1, 1])
    reference = np.random.default_rng(12)  # of the second lane
    reference.integers(4), reference.uniform(), reference.uniform(), reference.integers(-1, 2)
    known = reference.bit_generator.state
    words = env.state()["rng"][1].tolist()
    assert words[0] << 64 | words[1] == known["state"]["state"]
    assert words[2] << 64 | words[3] == known["state"]["inc"]
    assert words[4:] == [known["has_uint32"], known["uinteger"]]


def test_a_batch_that_restarts_later_continues_from_its_snapshot(opened_rust):
    one, two = (
        envwright.make("fast_lamp", num_envs=5, dice=True, max_steps=7, restarts_later=True)
        for _ in range(2)
    )
    one.reset(seed=0)
    moves = np.ones(5, int)
    for _ in range(7):
        step = one.step(moves)
    assert (step.terminated | step.truncated).any() and one.state()["waits"].any()
    two.restore(one.snapshot())
    for _ in range(20):
        assert np.array_equal(one.step(moves).obs, two.step(moves).obs)
    same_step = envwright.make("fast_lamp", num_envs=5, dice=True, max_steps=7)
    with pytest.raises(ValueError, match="restore it where it was taken"):
        same_step.restore(one.snapshot())


def test_words_that_are_no_generators_are_refused(opened_rust):
    env = envwright.make("fast_lamp", num_envs=2)
    env.reset(seed=0)
    state = env.state()
    with pytest.raises(ValueError, match=r"the fourth word of a generator \(rng\) is odd"):
        env.load_all(state | {"rng": state["rng"] * 2})


def test_other_modes_of_restarts_are_refused(opened_rust):
    with pytest.raises(EnvwrightError, match="does not restart in mode Disabled; leave out"):
        gymnasium.make_vec("fast_lamp/Lamp-v1", num_envs=2, autoreset_mode="Disabled")
    with pytest.raises(EnvwrightError, match="pong-v1 does not restart in mode NextStep"):
        gymnasium.make_vec(
            "envwright/Pong-v1", num_envs=2, backend="rust", autoreset_mode="NextStep"
        )
