"""The Gymnasium adapters under Gymnasium's own checker, vector environments and wrappers."""

import warnings

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.utils.performance import benchmark_step
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as vector_wrappers
from tests.games import SlipperyWalk, TicTacToe, WalkParams

import envwright
from envwright.adapters.episode import of_space
from envwright.adapters.gymnasium import GymnasiumEnv, GymnasiumVectorEnv
from envwright.adapters.native_gymnasium import NativeGymnasiumVectorEnv
from envwright.core.wrappers import TimeLimit
from envwright.errors import EnvwrightError

LANES = 3


class FencedWalk(SlipperyWalk):
    """A fence: at the edge of the cliff one may not go left."""

    id = "fencedwalk"

    def legal_actions(self, state, player=0):
        return jnp.array([True, True]) & ((state.position > 1) | (jnp.arange(2) == 1))


WALK, FENCED, CARTPOLE = SlipperyWalk(), FencedWalk(), envwright.make("cartpole")


def play(env, steps, seed=0):
    """Everything that a batch says to random legal actions."""
    rng, told = np.random.default_rng(seed), []
    _, infos = env.reset(seed=seed)
    for _ in range(steps):
        actions = rng.integers(0, 2, env.num_envs)
        if "action_mask" in infos:
            actions = np.where(infos["action_mask"][:, 0] == 0, 1, actions)
        told.append(env.step(actions))
        infos = told[-1][4]
    return told


def same(a, b):
    return data_equivalence(a, b, exact=True)


# --- one environment -------------------------------------------------------------------


@pytest.mark.parametrize("env", [WALK, FENCED, CARTPOLE], ids=lambda env: env.id)
def test_gymnasiums_checker_passes(env):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=UserWarning)
        # CartPole's bounds are infinite in the reference too, and these have no spec.
        warnings.filterwarnings("ignore", message=".*(infinity|not having a spec).*")
        check_env(GymnasiumEnv(env))


def test_make_gives_an_environment_that_passes_the_checker():
    env = gymnasium.make("envwright/CartPole-v1")
    assert isinstance(env.unwrapped, GymnasiumEnv)
    assert env.spec.kwargs["name"] == "cartpole-v1"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*infinity.*")
        check_env(env.unwrapped)


def test_a_seed_fixes_everything_that_follows():
    def run(env, seed):
        seen = [env.reset(seed=seed)[0]]
        for action in [1, 0, 1, 1] * 6:
            obs, _, terminated, truncated, _ = env.step(action)
            seen.append(obs)
            if terminated or truncated:
                seen.append(env.reset()[0])
        return np.stack(seen)

    env = GymnasiumEnv(WALK)
    first = run(env, 7)
    assert np.array_equal(first, run(env, 7))
    assert np.array_equal(first, run(GymnasiumEnv(WALK), 7))
    assert not np.array_equal(first, run(env, 8))


def test_reset_without_a_seed_goes_on_with_the_stream():
    env = GymnasiumEnv(WALK)
    starts = [env.reset(seed=3)[0], env.reset()[0], env.reset()[0]]
    assert len({s.tobytes() for s in starts}) == 3
    again = [env.reset(seed=3)[0], env.reset()[0], env.reset()[0]]
    assert np.array_equal(starts, again)


def test_an_unseeded_run_can_be_repeated_from_np_random_seed():
    env = GymnasiumEnv(WALK)
    obs, _ = env.reset()
    assert env.np_random_seed > 2**64, "Gymnasium draws large seeds; none of it may be lost"
    assert np.array_equal(obs, GymnasiumEnv(WALK).reset(seed=env.np_random_seed)[0])


def test_seeds_that_differ_only_above_32_bits_differ():
    env = GymnasiumEnv(WALK)
    assert not np.array_equal(env.reset(seed=5)[0], env.reset(seed=5 + 2**32)[0])


@pytest.mark.parametrize("action", [2, -1, 0.5, [0], np.array([1, 0]), None, "left"])
def test_an_illegal_action_is_a_clear_error(action):
    env = GymnasiumEnv(WALK)
    env.reset(seed=0)
    with pytest.raises(
        EnvwrightError, match=r"illegal action .*; pass an element of Discrete\(n=2\)"
    ):
        env.step(action)


def test_a_masked_action_is_an_error_that_names_the_legal_ones():
    env = GymnasiumEnv(FENCED)
    _, info = env.reset(seed=0, options={"params": WalkParams(slip=0.0)})
    for _ in range(8):
        if not info["action_mask"][0]:
            break
        _, _, terminated, _, info = env.step(0)
        assert not terminated, "the fence keeps one from the cliff"
    assert info["action_mask"].dtype == np.int8
    with pytest.raises(EnvwrightError, match="illegal action 0; legal here: 1"):
        env.step(0)


def test_stepping_before_a_reset_or_after_the_end_is_an_error():
    env = GymnasiumEnv(TimeLimit(WALK, 1))
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
    env.reset(seed=0)
    assert env.step(0)[3]
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)


def test_observations_are_writable_arrays_of_the_declared_dtype():
    env = GymnasiumEnv(WALK)
    obs, _ = env.reset(seed=0)
    assert obs.dtype == env.observation_space.dtype and obs.flags.writeable
    obs, reward, terminated, truncated, info = env.step(1)
    assert [type(x) for x in (reward, terminated, truncated)] == [float, bool, bool]
    assert obs.flags.writeable and type(info["slipped"]) is bool


def test_params_may_come_with_the_constructor_or_a_reset():
    surely = WalkParams(slip=1.0)
    for env, options in (
        (GymnasiumEnv(WALK, params=surely), None),
        (GymnasiumEnv(WALK), {"params": surely}),
    ):
        env.reset(seed=0, options=options)
        assert env.step(1)[4]["slipped"]


def test_render_gives_the_rooms_picture():
    env = GymnasiumEnv(WALK, render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape == (8, 72, 3)
    with pytest.raises(EnvwrightError, match="no render_mode 'human'; use 'rgb_array'"):
        GymnasiumEnv(WALK, render_mode="human")


def test_games_for_several_players_are_sent_to_pettingzoo():
    with pytest.raises(
        EnvwrightError, match=r"Gymnasium supports one player, and .* has 2; use .*pettingzoo"
    ):
        GymnasiumEnv(TicTacToe())


def test_gymnasiums_benchmark_runs():
    assert benchmark_step(GymnasiumEnv(WALK), target_duration=0.1, seed=0) > 10


# --- a batch ----------------------------------------------------------------------------


@pytest.mark.parametrize("env", [WALK, FENCED], ids=lambda env: env.id)
def test_a_batch_says_what_sync_vector_env_says_bit_for_bit(env):
    ours = GymnasiumVectorEnv(env, LANES)
    theirs = SyncVectorEnv(
        [lambda: GymnasiumEnv(env)] * LANES, autoreset_mode=AutoresetMode.SAME_STEP
    )
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    ends = 0
    for a, b in zip(play(ours, 60), play(theirs, 60), strict=True):
        for mine, other in zip(a, b, strict=True):
            assert same(mine, other)
        ends += int((a[2] | a[3]).sum())
    assert ends > 5
    assert same(ours.reset(), theirs.reset())


def test_make_vec_gives_a_batch_that_resets_in_the_same_step():
    envs = gymnasium.make_vec("envwright/CartPole-v1", num_envs=8)
    assert isinstance(envs, GymnasiumVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    obs, infos = envs.reset(seed=0)
    assert obs.shape == (8, 4) and obs.dtype == np.float32 and infos == {}
    for _ in range(40):
        obs, rewards, terminated, truncated, infos = envs.step(np.ones(8, np.int64))
        assert obs in envs.observation_space and (np.abs(obs) <= 4.8).all(axis=1).any()
        if terminated.any():
            break
    assert rewards.dtype == np.float64 and terminated.dtype == truncated.dtype == bool
    ended = np.flatnonzero(terminated)
    assert np.array_equal(infos["_final_obs"], terminated)
    assert all(infos["final_obs"][i] in envs.single_observation_space for i in ended)
    assert all(abs(infos["final_obs"][i][2]) > 0.2 > abs(obs[i][2]) for i in ended)
    assert all(infos["final_obs"][i] is None for i in np.flatnonzero(~terminated))


def test_make_vec_gives_a_batch_in_rust_where_that_is_asked_for():
    envs = gymnasium.make_vec("envwright/Pong-v1", num_envs=6, backend="rust", frame_skip=8)
    assert isinstance(envs, NativeGymnasiumVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    obs, _ = envs.reset(seed=0)
    assert obs in envs.observation_space
    ours = gymnasium.make_vec("envwright/Pong-v1", num_envs=6, frame_skip=8)
    assert isinstance(ours, GymnasiumVectorEnv)
    assert (envs.observation_space, envs.action_space) == (
        ours.observation_space,
        ours.action_space,
    )
    obs, rewards, terminated, truncated, infos = envs.step(np.ones(6, np.int64))
    assert obs.shape == (6, 8) and rewards.dtype == np.float64 and infos == {}
    assert not terminated.any() and not truncated.any()


def test_what_a_batch_in_rust_cannot_do_is_refused_in_one_sentence():
    pong = "envwright/Pong-v1"
    with pytest.raises(EnvwrightError, match="draws pictures only in JAX; leave out render_mode"):
        gymnasium.make_vec(pong, num_envs=2, backend="rust", render_mode="rgb_array")
    with pytest.raises(EnvwrightError, match="pong-v1 has no option 'auto_reset'"):
        gymnasium.make_vec(pong, num_envs=2, backend="rust", auto_reset="pool")
    with pytest.raises(EnvwrightError, match=r"is a batch, not a JAX .*; use gymnasium.make_vec"):
        gymnasium.make(pong, backend="rust")


def test_lane_i_is_seeded_by_its_own_seed():
    envs = GymnasiumVectorEnv(WALK, LANES)
    together, _ = envs.reset(seed=20)
    listed, _ = envs.reset(seed=[20, 21, 22])
    alone = [GymnasiumEnv(WALK).reset(seed=20 + i)[0] for i in range(LANES)]
    assert np.array_equal(together, listed) and np.array_equal(together, alone)
    assert np.array_equal(envs.reset(seed=[22, 21, 20])[0], together[::-1])


def test_a_lane_without_a_seed_goes_on_with_its_stream():
    envs = GymnasiumVectorEnv(WALK, LANES)
    envs.reset(seed=20)
    went_on, _ = envs.reset()
    envs.reset(seed=20)
    mixed, _ = envs.reset(seed=[99, None, None])
    assert np.array_equal(mixed[1:], went_on[1:])
    assert np.array_equal(mixed[0], GymnasiumEnv(WALK).reset(seed=99)[0])


def test_the_wrong_number_of_seeds_is_an_error():
    with pytest.raises(EnvwrightError, match="2 seeds were given for 3 environments"):
        GymnasiumVectorEnv(WALK, LANES).reset(seed=[1, 2])


def test_a_reset_mask_resets_those_lanes_only():
    envs = GymnasiumVectorEnv(FENCED, LANES)
    before, _ = envs.reset(seed=1)
    which = np.array([False, True, False])
    after, infos = envs.reset(options={"reset_mask": which})
    assert np.array_equal(before[~which], after[~which])
    assert not np.array_equal(before[1], after[1])
    assert np.array_equal(infos["_action_mask"], which)
    with pytest.raises(EnvwrightError, match=r"reset_mask must be bool\[3\]"):
        envs.reset(options={"reset_mask": np.array([1, 0, 0])})


@pytest.mark.parametrize("strategy", ["compact", "pool"])
def test_other_strategies_give_fresh_starts_and_final_observations(strategy):
    envs = GymnasiumVectorEnv(WALK, LANES, auto_reset=strategy)
    headings = []
    for obs, _, terminated, truncated, infos in play(envs, 60):
        for i in np.flatnonzero(terminated | truncated):
            assert infos["final_obs"][i] in envs.single_observation_space
            assert 2 <= obs[i][0] <= 6, "a start is in the middle"
            headings.append(float(obs[i][1]))
    assert len(headings) > 5 and len(set(headings)) == len(headings)
    assert same(play(envs, 10, seed=4), play(envs, 10, seed=4))


def test_an_illegal_action_in_a_batch_names_the_environment():
    envs = GymnasiumVectorEnv(FENCED, LANES, params=WalkParams(slip=0.0))
    _, infos = envs.reset(seed=0)
    with pytest.raises(EnvwrightError, match="illegal action 5; pass an element of"):
        envs.step(np.array([0, 1, 5]))
    with pytest.raises(EnvwrightError, match="for each of 3 environments"):
        envs.step(np.array([0, 1]))
    while infos["action_mask"].all():
        infos = envs.step(np.zeros(LANES, int))[4]
    stuck = int(np.flatnonzero(infos["action_mask"][:, 0] == 0)[0])
    with pytest.raises(
        EnvwrightError, match=f"illegal action 0 in environment {stuck}; legal here: 1"
    ):
        envs.step(np.zeros(LANES, int))


def test_max_episode_steps_truncates():
    envs = GymnasiumVectorEnv(WALK, LANES, max_episode_steps=2)
    envs.reset(seed=0)
    envs.step(np.array([0, 1, 0]))
    assert (lambda s: s[2] | s[3])(envs.step(np.array([1, 0, 1]))).all()


def test_record_episode_statistics_says_of_ours_what_it_says_of_theirs():
    """Its counts after the first end of a lane are one short in same-step mode, for both."""
    same_step = AutoresetMode.SAME_STEP
    theirs = SyncVectorEnv([lambda: GymnasiumEnv(WALK)] * LANES, autoreset_mode=same_step)
    both = [
        play(vector_wrappers.RecordEpisodeStatistics(envs), 60)
        for envs in (GymnasiumVectorEnv(WALK, LANES), theirs)
    ]
    total, first_ends = np.zeros(LANES), set()
    for t, (ours, other) in enumerate(zip(*both, strict=True)):
        total += ours[1]
        assert ours[4].keys() == other[4].keys()
        if "episode" not in ours[4]:
            continue
        for what in ("r", "l"):
            assert np.array_equal(ours[4]["episode"][what], other[4]["episode"][what])
        for lane in set(np.flatnonzero(ours[4]["_episode"]).tolist()) - first_ends:
            assert ours[4]["episode"]["r"][lane] == total[lane]
            assert ours[4]["episode"]["l"][lane] == t + 1
            first_ends.add(lane)
    assert first_ends == set(range(LANES))


def test_gymnasiums_vector_wrappers_wrap():
    envs = vector_wrappers.ClipReward(GymnasiumVectorEnv(WALK, LANES), -0.5, 0.5)
    envs = vector_wrappers.TransformAction(envs, lambda actions: 1 - actions)
    envs = vector_wrappers.DictInfoToList(envs)
    for _, rewards, *_, infos in play(envs, 30):
        assert np.abs(rewards).max() <= 0.5
        assert len(infos) == LANES


def test_a_batch_draws_a_picture_of_every_lane():
    envs = GymnasiumVectorEnv(WALK, LANES, render_mode="rgb_array")
    envs.reset(seed=0)
    frames = envs.render()
    assert len(frames) == LANES and frames[0].shape == (8, 72, 3)


def test_environments_of_one_name_are_compiled_once():
    envs = [GymnasiumEnv("cartpole") for _ in range(2)]
    assert envs[0].env is envs[1].env
    other = GymnasiumEnv("cartpole", sutton_barto_reward=True)
    assert other.env is not envs[0].env
    other.reset(seed=0)
    assert other.step(0)[1] == 0.0


def test_options_go_with_a_name_only():
    with pytest.raises(EnvwrightError, match="is already made; pass options only with a name"):
        GymnasiumEnv(WALK, length=4)


def test_typed_keys_in_a_state_travel_through_a_batch():
    class Keyed(SlipperyWalk):
        id = "keyedwalk"

        def start(self, noise, params):
            return super().start(noise, params), jax.random.key(0)

        def transition(self, state, action, noise, params):
            walk, *rest = super().transition(state[0], action, noise, params)
            return (walk, jax.random.fold_in(state[1], 1)), *rest

        def observe(self, state, player=0):
            return super().observe(state[0])

        def time_is_up(self, state, params):
            return super().time_is_up(state[0], params)

    assert len(play(GymnasiumVectorEnv(Keyed(), LANES), 25)) == 25


def test_a_number_in_a_box_is_an_array_and_one_of_several_is_not():
    box = gymnasium.spaces.Box(0.0, 1.0, (), np.float32)
    seen = of_space(box, jnp.float32(0.5))
    assert isinstance(seen, np.ndarray) and box.contains(seen)
    assert isinstance(of_space(gymnasium.spaces.Discrete(3), jnp.int32(2)), np.int64)
