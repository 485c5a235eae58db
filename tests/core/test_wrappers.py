"""Auto-reset by strategy, time limits, and statistics of episodes."""

from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from tests.games import SlipperyWalk, StoneDuel, TicTacToe, WalkParams

from envwright.core.env import count_lanes
from envwright.core.wrappers import AutoReset, EpisodeStatistics, Pooled, TimeLimit
from envwright.errors import EnvwrightError

LANES, STEPS = 16, 40
WALK = SlipperyWalk()
STRATEGIES = {
    "inline": AutoReset(WALK, "inline"),
    "compact": AutoReset(WALK, "compact", size=2),  # fewer than lanes that end at once
    "pool": AutoReset(WALK, "pool"),
}


def run(env, lanes=LANES, steps=STEPS, one_key=False):
    return run_once(env, lanes, steps, one_key)


@lru_cache
def run_once(env, lanes, steps, one_key):
    """First observation, keys, actions, states and steps `[T, B, …]` of a random run."""
    rng = np.random.default_rng(0)
    starts, keys = draw_keys(rng, lanes), draw_keys(rng, *((steps,) if one_key else (steps, lanes)))
    actions = rng.integers(0, 2, (steps, lanes)).astype(np.int32)
    obs, before, after = jax.jit(partial(scan, env))(starts, keys, actions)
    return obs, keys, actions, before, after


def draw_keys(rng, *shape):
    """Keys of plain random words; splitting would be one more program to compile."""
    return jax.random.wrap_key_data(rng.integers(2**32, size=(*shape, 2), dtype=np.uint32))


def scan(env, starts, keys, actions):
    obs, states = env.reset_batch(starts)

    def body(states, given):
        key, action = given
        after = env.step_batch(key, states, action)
        return after.state, (states, after)

    _, (before, after) = jax.lax.scan(body, states, (keys, actions))
    return obs, before, after


def host(tree):
    return jax.tree.map(np.asarray, tree)


@pytest.mark.parametrize(
    ("name", "one_key"),
    [*((name, False) for name in STRATEGIES), ("compact", True), ("pool", True)],
)
def test_no_start_is_handed_out_twice(name, one_key):
    obs, *_, after = run(STRATEGIES[name], one_key=one_key)
    done = np.asarray(after.done)
    first, later = np.asarray(obs)[:, 1], np.asarray(after.obs)[done][:, 1]
    assert done.sum() > 30
    assert len(np.unique(np.concatenate([first, later]))) == len(first) + len(later)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_restarted_lane_is_at_a_start(name):
    *_, after = run(STRATEGIES[name])
    done = np.asarray(after.done)
    states = host(STRATEGIES[name].inner(after.state))
    assert (states.time[done] == 0).all() and (states.time[~done] > 0).all()
    assert set(states.position[done]) == {2, 3, 4, 5, 6}
    seen = np.stack([states.position.astype(np.float32), states.heading], axis=-1)
    assert np.array_equal(np.asarray(after.obs), seen), "obs and state are of the same start"


@pytest.mark.parametrize("size", [2, 1000])
def test_compact_is_inline_bit_for_bit_also_when_more_lanes_end_than_fit(size):
    _, keys, actions, before, after = run(STRATEGIES["inline"])
    env = AutoReset(WALK, "compact", size)
    step = jax.jit(env.step_batch)
    most_at_once = int(after.done.sum(axis=1).max())
    assert most_at_once > 2
    for t in range(STEPS):
        expected = jax.tree.map(lambda x: x[t], after)  # noqa: B023
        got = step(keys[t], jax.tree.map(lambda x: x[t], before), actions[t])  # noqa: B023
        jax.tree.map(np.testing.assert_array_equal, got, expected)


def test_pool_makes_the_same_transitions_as_inline():
    _, keys, actions, before, after = run(STRATEGIES["inline"])
    step = jax.jit(STRATEGIES["pool"].step_batch)
    for t in range(STEPS):
        states, expected = jax.tree.map(lambda x: x[t], (before, after))  # noqa: B023
        spent = jnp.zeros(LANES, bool)
        got = step(keys[t], Pooled(states, states, spent), actions[t])
        goes_on = ~np.asarray(expected.done)
        for name in ("reward", "terminated", "truncated", "info"):
            jax.tree.map(np.testing.assert_array_equal, getattr(got, name), getattr(expected, name))
        assert np.array_equal(np.asarray(got.obs)[goes_on], np.asarray(expected.obs)[goes_on])
        for x, y in zip(*map(jax.tree.leaves, (got.state.states, expected.state)), strict=True):
            assert np.array_equal(np.asarray(x)[goes_on], np.asarray(y)[goes_on])


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_final_observation_is_that_of_the_end(name):
    *_, after = run(STRATEGIES[name])
    done, final = np.asarray(after.done), np.asarray(after.info["final_observation"])
    reward = np.asarray(after.reward)
    assert set(final[done & (reward == 1)][:, 0]) == {8.0}
    assert set(final[done & (reward == -1)][:, 0]) == {0.0}
    assert np.array_equal(final[~done], np.asarray(after.obs)[~done])


@pytest.mark.parametrize("strategy", ["compact", "pool"])
def test_starts_have_the_law_of_reset(strategy):
    env = AutoReset(TimeLimit(WALK, 1), strategy, size=3)
    *_, after = run(env, lanes=64, steps=20)
    assert np.asarray(after.done).all(), "every lane ends at every step"
    positions = np.asarray(after.obs)[..., 0].ravel().astype(int)
    counts = np.bincount(positions, minlength=7)[2:7]
    headings = np.asarray(after.obs)[..., 1].ravel()
    # A seed is fixed, so these cannot flicker; an honest one passes with 1 - 1e-4.
    assert stats.chisquare(counts).pvalue > 1e-4
    assert stats.kstest(headings, "uniform").pvalue > 1e-4
    assert len(np.unique(headings)) == headings.size


def test_pool_keeps_a_spare_until_its_lane_ends():
    *_, before, after = run(STRATEGIES["pool"])
    spares, done = host(before.spares), np.asarray(after.done)
    spent = np.asarray(before.spent)
    refilled = (done & spent).any(axis=1)
    same = np.array_equal
    assert refilled[0] or spent[0].all(), "at first there is nothing in store"
    for t in range(STEPS - 1):
        kept = same(spares.heading[t], spares.heading[t + 1])
        assert kept != refilled[t]
        from_store = done[t] & ~refilled[t]
        restarted = np.asarray(after.obs)[t, from_store, 1]
        assert same(restarted, spares.heading[t, from_store])


def test_a_lane_alone_is_inline_whatever_the_strategy():
    key, state = jax.random.key(1), WALK.reset(jax.random.key(0))[1]
    alone = [env.step(key, state, jnp.int32(0)) for env in (WALK, STRATEGIES["pool"])]
    jax.tree.map(np.testing.assert_array_equal, *alone)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: AutoReset(WALK, "lazy"), "unknown auto-reset strategy 'lazy'; use inline"),
        (lambda: AutoReset(WALK, size=0), "size must be at least 1, not 0"),
        (lambda: TimeLimit(WALK, 0), "at least 1 step, not 0"),
        (lambda: TimeLimit(AutoReset(WALK), 5), "TimeLimit goes inside AutoReset"),
        (lambda: AutoReset(EpisodeStatistics(WALK)), "AutoReset goes inside EpisodeStatistics"),
        (lambda: AutoReset(AutoReset(WALK)), "AutoReset goes inside AutoReset"),
    ],
)
def test_nonsense_is_refused_with_what_to_do(make, words):
    with pytest.raises(EnvwrightError, match=words):
        make()


# --- time limit -------------------------------------------------------------------------


def test_a_time_limit_truncates_at_its_step_and_not_before():
    env = TimeLimit(WALK, 3)
    _, state = env.reset(jax.random.key(0))
    ends, step = [], jax.jit(env.advance)
    for action in (1, 0, 1):
        after = step(jax.random.key(1), state, jnp.int32(action), WalkParams(slip=0.0))
        state = after.state
        ends.append((bool(after.terminated), bool(after.truncated)))
    assert ends == [(False, False), (False, False), (False, True)]


def test_the_nearer_of_two_limits_counts():
    for env in (TimeLimit(TimeLimit(WALK, 5), 2), TimeLimit(TimeLimit(WALK, 2), 5)):
        _, state = env.reset(jax.random.key(0))
        for action in (1, 0):
            after = env.advance(jax.random.key(3), state, jnp.int32(action), WalkParams(slip=0.0))
            state = after.state
        assert after.truncated and not after.terminated


def test_the_environments_own_limit_still_holds():
    env = TimeLimit(WALK, 1000)
    params = WalkParams(slip=0.0, max_steps=1)
    _, state = env.reset(jax.random.key(0), params)
    assert env.advance(jax.random.key(0), state, jnp.int32(1), params).truncated


def test_an_end_of_the_game_at_the_limit_is_a_termination():
    env = TimeLimit(TicTacToe(), 5)
    _, state = env.reset(jax.random.key(0))
    for square in (0, 3, 1, 4, 2):
        after = env.advance(jax.random.key(0), state, jnp.int32(square))
        state = after.state
    assert after.terminated and not after.truncated


def test_wrappers_pass_on_what_a_game_says_of_a_state():
    env = EpisodeStatistics(AutoReset(TimeLimit(TicTacToe(), 5), "pool"))
    keys = jax.random.split(jax.random.key(0), 3)
    _, states = env.reset_batch(keys)
    states = jax.jit(env.step_batch)(keys, states, jnp.array([4, 4, 4])).state
    assert count_lanes(states) == 3
    assert jax.vmap(env.current_player)(states).tolist() == [1, 1, 1]
    assert jax.vmap(env.legal_actions)(states).sum(axis=1).tolist() == [8, 8, 8]
    assert jax.vmap(env.observe, (0, None))(states, 0)[0, 1, 1].tolist() == [1, 0]
    one = jax.tree.map(lambda x: x[0], states)
    assert env.render(one).shape == (24, 24, 3)
    assert env.unwrapped.id == env.id == "tictactoe"


# --- statistics -------------------------------------------------------------------------


def test_statistics_are_those_of_a_loop_by_hand():
    *_, after = run(EpisodeStatistics(STRATEGIES["pool"]))
    reward, done = np.asarray(after.reward), np.asarray(after.done)
    total, length = np.zeros(LANES), np.zeros(LANES, int)
    last_total, last_length = np.zeros(LANES), np.zeros(LANES, int)
    for t in range(STEPS):
        total, length = total + reward[t], length + 1
        last_total = np.where(done[t], total, last_total)
        last_length = np.where(done[t], length, last_length)
        info = jax.tree.map(lambda x: np.asarray(x[t]), after.info)  # noqa: B023
        assert np.array_equal(info["returned_episode"], done[t])
        assert np.array_equal(info["returned_episode_returns"], last_total)
        assert np.array_equal(info["returned_episode_lengths"], last_length)
        total, length = np.where(done[t], 0, total), np.where(done[t], 0, length)


def test_statistics_count_for_every_player():
    env = EpisodeStatistics(TimeLimit(StoneDuel(), 4))
    key = jax.random.key(0)
    _, state = env.reset(key)
    paid, step = np.zeros(2), jax.jit(env.step)
    for hands in ([2, 1], [1, 0], [3, 2], [1, 0]):
        after = step(key, state, jnp.array(hands, jnp.int32))
        state, paid = after.state, paid + np.asarray(after.reward)
    assert after.info["returned_episode"] and abs(paid).sum() > 0
    assert after.info["returned_episode_returns"].tolist() == paid.tolist()
    assert after.info["returned_episode_lengths"] == 4


def test_statistics_count_a_lane_that_does_not_restart():
    env = EpisodeStatistics(WALK)
    _, state = env.reset(jax.random.key(0))
    after = env.advance(jax.random.key(0), state, jnp.int32(1), WalkParams(max_steps=1))
    assert after.truncated and after.info["returned_episode_lengths"] == 1


def test_raw_keys_count_lanes_right():
    env = EpisodeStatistics(WALK)
    _, states = env.reset_batch(jax.random.split(jax.random.PRNGKey(0), 5))
    assert states.episode_return.shape == (5,)
