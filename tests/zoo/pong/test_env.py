"""Pong as users meet it: starts, quirks, wrappers, buffers, errors, pictures."""

from __future__ import annotations

from dataclasses import replace

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import envwright
from envwright._native import PongVecEnv
from envwright.core.check import check_env
from envwright.core.registry import find
from envwright.core.wrappers import AutoReset, EpisodeStatistics, TimeLimit
from envwright.errors import EnvwrightError
from envwright.zoo.pong.env import Pong
from envwright.zoo.pong.native import NativePong
from envwright.zoo.pong.serves import Serves, next_serve

LANES = 512


def starts(count: int = 4096):
    return jax.vmap(Pong().reset)(jax.random.split(jax.random.key(3), count))


def with_state(**changes):
    """A state in the middle of a rally, with changes; names of rally fields go there."""
    _, state = Pong().reset(jax.random.key(0))
    rally = {k: jnp.float32(v) for k, v in changes.items() if hasattr(state.rally, k)}
    rest = {k: jnp.int32(v) for k, v in changes.items() if k not in rally}
    return replace(state, rally=replace(state.rally, **rally), **rest)


# --- chance ---------------------------------------------------------------------------------------


def test_a_serve_is_straight_as_often_as_down_and_never_up():
    _, states = starts()
    straight = np.asarray(states.rally.ball_vy == 0)
    assert set(np.unique(states.rally.ball_vy)) == {-1.0, 0.0}
    assert stats.binomtest(int(straight.sum()), len(straight)).pvalue > 1e-3


def test_serves_that_follow_are_fair_and_independent():
    """Of one lane, along its register, and between lanes."""
    keys = jax.random.split(jax.random.key(1), LANES)
    register = jax.vmap(lambda k: Pong().draw_start(k, Pong.default_params))(keys)

    def draw(register, _):
        bit, register = jax.vmap(next_serve)(register)
        return register, bit

    bits = np.asarray(jax.lax.scan(draw, register, None, length=400)[1])
    assert stats.binomtest(int(bits.sum()), bits.size).pvalue > 1e-3
    pairs = np.array([[np.sum((bits[:-1] == a) & (bits[1:] == b)) for a in (0, 1)] for b in (0, 1)])
    assert stats.chi2_contingency(pairs).pvalue > 1e-3
    assert len({row.tobytes() for row in bits.T}) == LANES


def test_rust_serves_fairly_too():
    env = NativePong(4096, 1)
    env.reset(seed=5)
    straight = env.state()["ball_vy"] == 0
    assert stats.binomtest(int(straight.sum()), len(straight)).pvalue > 1e-3
    assert len({row.tobytes() for row in env.state()["serves"]}) == 4096


def test_a_register_of_zeros_is_never_drawn(monkeypatch):
    zeros = Serves(jnp.uint32(0), jnp.uint32(0))
    assert next_serve(zeros)[1] == zeros, "which is why"
    monkeypatch.setattr(jax.random, "bits", lambda *_: jnp.zeros(2, jnp.uint32))
    drawn = Pong().draw_start(jax.random.key(0), Pong.default_params)
    assert (int(drawn.low), int(drawn.high)) == (1, 0)


@pytest.mark.parametrize("bits", [(2, 5), (0, 4), (4, 0)])
def test_any_other_register_is_taken_as_it_is_drawn(monkeypatch, bits):
    monkeypatch.setattr(jax.random, "bits", lambda *_: jnp.array(bits, jnp.uint32))
    drawn = Pong().draw_start(jax.random.key(0), Pong.default_params)
    assert (int(drawn.low), int(drawn.high)) == bits


# --- both backends --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frame_skip", [1, 8, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 40))]
)
@pytest.mark.parametrize("continuous", [False, True])
def test_rust_and_jax_play_the_same_games(frame_skip, continuous):
    """Free-running, serves included: 512 games, hundreds of points."""
    ours, env = NativePong(LANES, 2, frame_skip, continuous), Pong(frame_skip, continuous)
    ours.reset(seed=9)
    state = ours.state()
    states = jax.vmap(env.reset)(jax.random.split(jax.random.key(0), LANES))[1]
    serves = Serves(jnp.asarray(state["serves"][:, 0]), jnp.asarray(state["serves"][:, 1]))
    vy = jnp.asarray(state["ball_vy"])
    shown = replace(states.shown, ball_vy=(vy + 13) / jnp.full_like(vy, 26))
    rally = replace(states.rally, ball_vy=vy)
    states = replace(states, serves=serves, rally=rally, shown=shown)
    step = jax.jit(env.step_batch)
    rng = np.random.default_rng(4)
    points = 0
    for _ in range(max(60, 600 // frame_skip)):
        if continuous:
            actions = rng.uniform(-1.3, 1.3, (LANES, 1)).astype(np.float32)
        else:
            actions = rng.integers(0, 3, LANES).astype(np.int32)
        theirs = step(jax.random.key(0), states, actions)
        states = theirs.state
        mine = ours.step(actions)
        np.testing.assert_array_equal(mine.obs, theirs.obs)
        np.testing.assert_array_equal(mine.reward, theirs.reward)
        np.testing.assert_array_equal(mine.terminated, theirs.terminated)
        points += int((np.abs(mine.reward) == 1).sum())
    assert points > 500
    np.testing.assert_array_equal(ours.state()["tick"], states.tick)


def test_results_do_not_depend_on_threads_or_the_size_of_the_batch():
    whole, parts = NativePong(1000, 2, 8), [NativePong(500, 1, 8), NativePong(500, 1, 8)]
    whole.reset(list(range(1000)))
    parts[0].reset(list(range(500)))
    parts[1].reset(list(range(500, 1000)))
    rng = np.random.default_rng(0)
    for _ in range(300):
        actions = rng.integers(0, 3, 1000).astype(np.int32)
        obs = whole.step(actions).obs
        halves = [env.step(actions[i * 500 :][:500]).obs for i, env in enumerate(parts)]
        np.testing.assert_array_equal(obs, np.concatenate(halves))


def test_the_class_is_of_the_version_that_the_registry_names():
    assert (Pong.id, Pong.version) == (find("pong").id, find("pong").version)


def test_it_keeps_the_promises_of_an_environment():
    """Among them: it is compiled once."""
    report = check_env(Pong(8), steps=8, lanes=2, eager_steps=1)
    assert {"one trace", "dtypes are strong", "vmap = loop"} <= set(report.passed)


# --- quirks and wrappers --------------------------------------------------------------------------


def test_a_point_shows_the_old_observation():
    env = Pong()
    state = with_state(ball_x=465.0, ball_y=600.0)
    before = env.observe(state)
    step = env.step(jax.random.key(0), state, 0)
    assert float(step.reward) == -1 and not step.terminated
    np.testing.assert_array_equal(step.obs, before)
    assert float(step.state.rally.ball_x) == 100
    after = env.step(jax.random.key(0), step.state, 0)
    assert float(after.obs[2]) == np.float32(110 / 500)


def test_the_ball_is_shown_a_little_beyond_the_declared_space():
    """PufferLib declares 0 to 1; the ball may be a sub-frame's way below, and left of, that."""
    env = NativePong(256, 1)
    obs, lowest, highest = env.reset(seed=0), np.ones(8), np.zeros(8)
    rng = np.random.default_rng(0)
    for _ in range(2000):
        aim = obs[:, 3] + 16 / 640 - obs[:, 1]
        level = np.where(np.abs(aim) < 0.01, 0, np.where(aim > 0, 1, 2))
        actions = np.where(rng.random(256) < 0.2, rng.integers(3, size=256), level)
        obs = env.step(actions.astype(np.int32)).obs
        lowest, highest = np.minimum(lowest, obs.min(0)), np.maximum(highest, obs.max(0))
    assert (highest <= 1).all() and (np.delete(lowest, [2, 3]) >= 0).all()
    assert -10 / 500 <= lowest[2] < 0 and -13 / 640 <= lowest[3] < 0


def test_the_end_of_a_game_is_the_start_of_the_next():
    env = Pong()
    state = with_state(ball_x=465.0, ball_y=600.0, score_l=20, score_r=3)
    step = env.step(jax.random.key(0), state, 0)
    assert step.terminated and float(step.reward) == -1
    assert (int(step.state.score_l), int(step.state.score_r), int(step.state.tick)) == (0, 0, 0)
    np.testing.assert_array_equal(step.info["final_observation"], step.obs)
    assert float(step.obs[2]) == np.float32(0.2)


@pytest.mark.parametrize(("vy", "lifted"), [(0.01, 3.0), (-0.01, 3.0), (0.010000001, 0.010000001)])
def test_a_level_ball_is_lifted_at_the_double_threshold(vy, lifted):
    """No game comes upon the threshold itself, so that no level would see it moved."""
    step = Pong().step(jax.random.key(0), with_state(ball_x=465.0, ball_vy=vy), 0)
    assert step.state.rally.ball_vy == np.float32(lifted)


def test_a_score_ends_a_game_only_when_it_is_won():
    """Not that a game ever goes on with 21 points; one may be loaded with them."""
    step = Pong().step(jax.random.key(0), with_state(ball_x=250.0, score_l=21), 0)
    assert not step.terminated and int(step.state.score_l) == 21


def test_auto_reset_leaves_a_game_that_restarts_alone():
    """Else its serves would be drawn anew, and no game would follow from its start."""
    bare, wrapped = Pong(), AutoReset(Pong(), "pool")
    state = jax.tree.map(
        lambda x: x[None], with_state(ball_x=465.0, ball_y=600.0, score_l=20, tick=7)
    )
    actions = jnp.zeros(1, jnp.int32)
    a = bare.step_batch(jax.random.key(0), state, actions)
    b = wrapped.step_batch(jax.random.key(8), state, actions)
    jax.tree.map(np.testing.assert_array_equal, a, b)


def test_a_time_limit_restarts_where_it_cuts():
    env = TimeLimit(Pong(), 3)
    _, state = env.reset(jax.random.key(0))
    for left in (2, 1, 0):
        step = env.step(jax.random.key(1), state, 1)
        state = step.state
        assert bool(step.truncated) == (left == 0)
    assert int(state.elapsed) == 0 and float(step.obs[2]) == np.float32(0.2)
    assert float(step.info["final_observation"][2]) == np.float32(130 / 500)


def test_statistics_count_whole_games():
    env = EpisodeStatistics(AutoReset(Pong(8), "pool"))
    _, state = env.reset_batch(jax.random.split(jax.random.key(0), 64))
    step = jax.jit(env.step_batch)
    for t in range(400):
        after = step(jax.random.key(t), state, jnp.full(64, t % 3))
        state = after.state
    assert (np.asarray(after.info["returned_episode_lengths"]) > 100).all()
    returns = np.asarray(after.info["returned_episode_returns"])
    assert ((returns >= -21) & (returns < 0)).all()


# --- from other libraries -------------------------------------------------------------------------


def test_gymnasium():
    env = gymnasium.make("envwright/Pong-v1", frame_skip=8)
    obs, _ = env.reset(seed=1)
    assert env.observation_space.contains(obs) and env.action_space.n == 3
    ended = False
    for t in range(400):
        obs, _, terminated, truncated, _ = env.step(t % 3)
        if terminated:
            ended = True
            obs, _ = env.reset()
    assert ended and not truncated


def test_gymnasium_vectors_in_rust():
    envs = gymnasium.make_vec("envwright/Pong-v1", num_envs=100, backend="rust", frame_skip=8)
    obs, _ = envs.reset(seed=3)
    assert obs.shape == (100, 8)
    envs.action_space.seed(3)
    _, reward, _, truncated, _ = envs.step(envs.action_space.sample())
    assert reward.shape == (100,) and not truncated.any()


@pytest.mark.parametrize("continuous", [False, True])
def test_puffer_style_buffers(continuous):
    """The caller's own arrays are written, none is made."""
    env = NativePong(300, 2, 8, continuous)
    obs, reward, terminated = env.obs, env.reward, env.terminated
    env.reset(seed=0)
    actions = np.ones((300, 1), np.float32) if continuous else np.ones(300, np.int32)
    paid = ended = 0
    for _ in range(150):
        step = env.step(actions)
        paid, ended = paid + np.abs(reward).sum(), ended + terminated.sum()
    assert step.obs is obs and step.reward is reward and step.terminated is terminated
    assert paid > 300 * 20 and ended > 0
    shown = obs.copy()
    np.testing.assert_array_equal(env.observe(), shown)


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([3, 0], "action of environment 0 is 3"),
        ([0, -1], "action of environment 1 is -1"),
        ([0], r"\(1,\)"),
        ([[0, 0]], r"\(1, 2\)"),
        ([0.5, 0], "no int32"),
        (["up", "down"], "pass numbers"),
        ([2**40, 0], "no int32"),
    ],
)
def test_wrong_actions_change_nothing(actions, said):
    env = NativePong(2, 1)
    env.reset(seed=0)
    env.step([1, 2])
    before, shown = env.snapshot(), env.obs.copy()
    with pytest.raises(ValueError, match=said):
        env.step(actions)
    assert env.snapshot() == before
    np.testing.assert_array_equal(env.obs, shown)


def test_a_direction_that_is_no_number_is_refused():
    env = NativePong(2, 1, continuous=True)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action of environment 1"):
        env.step([[0.5], [np.nan]])
    env.step([[np.inf], [-np.inf]])  # counts as 1 and -1
    assert env.state()["paddle_yr"].tolist() == [293.0, 277.0]


@pytest.mark.parametrize("lanes", [0, -3])
def test_no_environments(lanes):
    with pytest.raises(ValueError, match="environments"):
        NativePong(lanes)


@pytest.mark.parametrize("frame_skip", [0, -1, 1001])
def test_frame_skips_that_make_no_sense(frame_skip):
    with pytest.raises(EnvwrightError, match="choose one from 1 to 1000"):
        Pong(frame_skip)
    with pytest.raises(EnvwrightError, match="choose one from 1 to 1000"):
        NativePong(1, 1, frame_skip)
    with pytest.raises(ValueError, match="choose one from 1 to 1000"):
        PongVecEnv(1, frame_skip=frame_skip)


def test_the_shortest_and_the_longest_frame_skip():
    assert [Pong(n).frame_skip for n in (1, 1000)] == [1, 1000]


@pytest.mark.parametrize("backend", ["jax", "rust"])
@pytest.mark.parametrize(
    "options",
    [
        {"frame_skip": 2.5},
        {"frame_skip": "8"},
        {"frame_skip": True},
        {"continuous": "false"},
        {"continuous": 3},
    ],
)
def test_options_are_not_taken_for_others(backend, options):
    """Half a sub-frame is not left out, and a text is not true because it is not empty."""
    with pytest.raises((EnvwrightError, TypeError), match=r"not .*(2\.5|8|True|false|3)|integer"):
        envwright.make("pong", backend=backend, **options)


def test_buffers_that_cannot_be_written():
    native = NativePong(4, 1)._native
    seeds = np.zeros(4, np.uint64)
    obs = np.zeros((4, 8), np.float32)
    obs.flags.writeable = False
    with pytest.raises(ValueError, match="obs is read-only"):
        native.reset(seeds, obs)
    for wrong in (np.zeros((4, 7), np.float32), np.zeros((4, 8)), np.zeros((8, 4), np.float32).T):
        with pytest.raises(ValueError, match="obs"):
            native.reset(seeds, wrong)
    with pytest.raises(RuntimeError, match="reset"):
        native.observe(np.zeros((4, 8), np.float32))


def test_unknown_options_are_named():
    with pytest.raises(EnvwrightError, match="no option 'frameskip'"):
        envwright.make("pong", frameskip=8)


# --- pictures -------------------------------------------------------------------------------------


def test_a_picture_shows_the_ball_where_it_is():
    low = Pong().render(with_state(ball_x=100.0, ball_y=0.0))
    high = Pong().render(with_state(ball_x=100.0, ball_y=608.0))
    assert low.shape == high.shape == (640, 620, 3) and low.dtype == np.uint8
    ball = (slice(60 + 104, 60 + 128),)
    assert (low[612:636][:, ball[0]] > 240).all() and not (low[4:28][:, ball[0]] > 240).any()
    assert (high[4:28][:, ball[0]] > 240).all()
