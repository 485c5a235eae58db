"""With the same seed, a packaged translation plays the same episodes as its reference."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from tests.translate.test_rust_target import needs_cargo

import envwright
from envwright.errors import EnvwrightError
from envwright.sim.tape import RecordingGenerator, tape_of

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


def _weighted_sum_of_every_law(g):
    drawn = [g.random(), g.uniform(-1, 2), g.standard_normal()]
    drawn += [g.normal(1, 0.5), g.lognormal(0.1, 0.2), g.exponential(0.3)]
    drawn += [g.gamma(2.5, 0.1), g.beta(0.5, 2), g.triangular(0, 0.5, 1)]
    drawn += [*g.dirichlet([0.5, 1, 3]), g.integers(-3, 9), g.choice([2, 3, 5])]
    drawn += [g.choice(3, p=[0.2, 0, 0.8]), g.poisson(12.5), g.binomial(10, 0.3), g.geometric(0.1)]
    drawn += [*g.multinomial(9, [0.2, 0.3, 0.5]), *g.choice(9, 3, replace=False)]
    drawn += [*g.choice(3, 2, replace=False, p=[0.5, 0.25, 0.25]), *g.permutation(4)]
    total = 0.0
    for place, number in enumerate(drawn, 1):
        total += place * float(number)
    return total


def test_every_method_draws_as_that_of_numpy_and_follows_a_tape(opened_rust):
    env = envwright.make("fast_lamp", num_envs=40, laws=True)
    env.reset(seed=4)
    levels = env.state()["level"]
    env.step_raw(np.ones(40, int))
    for lane, (level, heat) in enumerate(zip(levels, env.state()["heat"], strict=True)):
        reference = RecordingGenerator(np.random.default_rng(4 + lane))
        reference.integers(4), reference.random(), reference.take()
        wanted = 0.75 * _weighted_sum_of_every_law(reference) + 0.0625 * level * level
        assert heat == wanted
        env.ask(op="load", state={"level": level, "heat": 0.0, "time": 0})
        told = env.ask(op="step_with", action=1, tape=tape_of(reference.take()))
        assert told["state"]["heat"] == wanted


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
