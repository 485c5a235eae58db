"""What follows from a game: reset, step, batches, views."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.games import SlipperyWalk, StoneDuel, TicTacToe, Walk, WalkParams

from envwright.core.env import Env, Step, select

KEY = jax.random.key(0)
WALK = SlipperyWalk()
SURE = WalkParams(slip=0.0)
LANES = 8

step = jax.jit(WALK.step)
advance = jax.jit(WALK.advance)
reset_batch = jax.jit(WALK.reset_batch)
step_batch = jax.jit(WALK.step_batch)


def walker(position, time=0):
    return Walk(jnp.int32(position), jnp.float32(0.5), jnp.int32(time))


def equal(a, b):
    return all(jax.tree.leaves(jax.tree.map(lambda x, y: bool(jnp.all(x == y)), a, b)))


def test_a_step_unpacks_as_six_values():
    obs, state, reward, terminated, truncated, info = step(KEY, walker(4), jnp.int32(1), SURE)
    assert int(state.position) == obs[0] == 5
    assert (reward, terminated, truncated) == (0, False, False)
    assert np.array_equal(info["final_observation"], obs)


@pytest.mark.parametrize(
    ("position", "time", "action", "reward", "terminated", "truncated"),
    [
        (4, 0, 1, 0, False, False),
        (7, 0, 1, 1, True, False),
        (1, 0, 0, -1, True, False),
        (4, 19, 1, 0, False, True),
        (7, 19, 1, 1, True, False),  # both at once: the game's own end counts
    ],
)
def test_an_episode_ends_for_one_reason(position, time, action, reward, terminated, truncated):
    after = step(KEY, walker(position, time), jnp.int32(action), SURE)
    assert (after.reward, after.terminated, after.truncated) == (reward, terminated, truncated)
    assert after.done == (terminated or truncated)


def test_the_end_is_kept_and_the_start_is_fresh():
    after = step(KEY, walker(7, 3), jnp.int32(1), SURE)
    assert after.info["final_observation"].tolist() == [8, 0.5]
    assert after.state.time == 0 and 2 <= after.state.position <= 6
    assert np.array_equal(after.obs, WALK.observe(after.state))
    again = step(jax.random.key(1), walker(7, 3), jnp.int32(1), SURE)
    assert after.state.heading != again.state.heading


def test_advance_stays_where_the_episode_ended():
    after = advance(KEY, walker(7, 3), jnp.int32(1), SURE)
    assert after.terminated and after.state.position == 8 and after.state.time == 4


def test_default_parameters_are_those_given_by_hand():
    default = step(KEY, walker(4), jnp.int32(1))
    assert equal(default, step(KEY, walker(4), jnp.int32(1), WALK.default_params))


def test_parameters_can_differ_from_lane_to_lane():
    slips = WalkParams(slip=jnp.array([0.0, 1.0]), max_steps=jnp.array([20, 1]))
    after = jax.vmap(WALK.advance, (None, None, None, 0))(KEY, walker(4), jnp.int32(1), slips)
    assert after.state.position.tolist() == [5, 3]
    assert after.truncated.tolist() == [False, True]


def test_a_draw_of_the_reference_can_be_fed_in():
    for slipped, position in ((False, 5), (True, 3)):
        following, *_ = WALK.transition(walker(4), jnp.int32(1), jnp.bool_(slipped), SURE)
        assert following.position == position


def test_a_batch_is_its_lanes():
    keys = jax.random.split(KEY, LANES)
    obs, states = reset_batch(keys)
    after = step_batch(keys, states, jnp.ones(LANES, jnp.int32))
    for i in range(LANES):
        alone = jax.tree.map(lambda x: x[i], states)  # noqa: B023
        assert equal(WALK.reset(keys[i]), (obs[i], alone))
        lane = jax.tree.map(lambda x: x[i], after)  # noqa: B023
        assert equal(step(keys[i], alone, jnp.int32(1)), lane)


def test_one_key_serves_a_whole_batch_and_lanes_still_differ():
    _, states = reset_batch(jax.random.split(KEY, 64))
    after = jax.jit(WALK.step_batch)(KEY, states, jnp.ones(64, jnp.int32))
    assert 4 < int(after.info["slipped"].sum()) < 40


@pytest.mark.parametrize("make_key", [jax.random.key, jax.random.PRNGKey], ids=["typed", "raw"])
def test_typed_and_raw_keys_both_serve(make_key):
    keys = jax.random.split(make_key(0), LANES)
    _, states = WALK.reset_batch(keys)
    several = WALK.step_batch(keys, states, jnp.ones(LANES, jnp.int32))
    one = WALK.step_batch(make_key(1), states, jnp.ones(LANES, jnp.int32))
    assert several.obs.shape == one.obs.shape == (LANES, 2)


def test_a_game_sees_typed_keys_whichever_are_passed():
    seen = []

    class Curious(SlipperyWalk):
        def draw_start(self, key, params):
            seen.append(key.dtype)
            return super().draw_start(key, params)

        def draw(self, key, state, action, params):
            seen.append(key.dtype)
            return super().draw(key, state, action, params)

    typed, raw = (
        Curious().step(key, Curious().reset(key)[1], 1) for key in (KEY, jax.random.PRNGKey(0))
    )
    assert equal(typed.obs, raw.obs) and equal(typed.state, raw.state)
    assert set(seen) == {KEY.dtype}


def test_a_run_fits_a_scan():
    def body(state, key):
        after = WALK.step(key, state, jnp.int32(1))
        return after.state, after.reward

    _, state = WALK.reset(KEY)
    _, rewards = jax.lax.scan(body, state, jax.random.split(KEY, 50))
    assert set(np.asarray(rewards).tolist()) <= {-1.0, 0.0, 1.0}


def test_step_compiles_once():
    traces = []

    def counted(key, state, action):
        traces.append(1)
        return WALK.step(key, state, action)

    _, state = WALK.reset(KEY)
    run = jax.jit(counted)
    for key in jax.random.split(KEY, 5):
        state = run(key, state, jnp.int32(0)).state
    assert len(traces) == 1


def test_all_actions_are_legal_unless_a_room_says_otherwise():
    assert WALK.legal_actions(walker(4)).tolist() == [True, True]


def test_in_turn_the_mover_is_shown_its_own_side():
    game = TicTacToe()
    _, board = game.reset(KEY)
    after = game.step(KEY, board, jnp.int32(4))
    assert game.current_player(after.state) == 1
    assert after.obs[1, 1].tolist() == [0, 1], "the centre is the other's"


def test_a_line_wins_and_pays_both():
    game = TicTacToe()
    _, board = game.reset(KEY)
    for square in (0, 3, 1, 4):
        board = game.advance(KEY, board, jnp.int32(square)).state
    end = game.advance(KEY, board, jnp.int32(2))
    assert end.terminated and end.reward.tolist() == [1, -1]


def test_a_full_board_is_a_draw():
    game = TicTacToe()
    _, board = game.reset(KEY)
    for square in (0, 1, 2, 4, 3, 5, 7, 6, 8):
        end = game.advance(KEY, board, jnp.int32(square))
        board = end.state
    assert end.terminated and end.reward.tolist() == [0, 0]
    assert not game.legal_actions(board).any()


def test_at_once_every_player_is_shown_its_own_view():
    game = StoneDuel()
    obs, duel = game.reset(KEY)
    assert obs.shape == (2, 7)
    assert obs[:, 6].tolist() == duel.favourite.tolist()
    after = jax.jit(game.step)(KEY, duel, jnp.array([2, 1], jnp.int32))
    assert after.reward.tolist() in ([1, -1], [2, -2])
    assert game.legal_actions(after.state, 1).tolist() == [True, False, False, False]
    assert game.legal_actions(after.state, 0).all()


def test_a_stunned_players_throw_counts_as_waiting():
    game = StoneDuel()
    _, duel = game.reset(KEY)
    stunned = replace(duel, stunned=jnp.array([False, True]))
    throws = [game.advance(KEY, stunned, jnp.array([1, b], jnp.int32)) for b in (0, 2)]
    assert equal(*throws)


def test_select_takes_whole_lanes_of_any_leaf():
    keys = jax.random.split(KEY, (2, 3))
    yes = {"a": jnp.ones((2, 3, 4)), "b": jnp.arange(2), "key": keys}
    no = jax.tree.map(lambda x: x[::-1] if x.ndim == 1 else x * 0, {"a": yes["a"], "b": yes["b"]})
    no["key"] = keys[::-1]
    picked = select(jnp.array([True, False]), yes, no)
    assert picked["a"].sum(axis=(1, 2)).tolist() == [12, 0]
    assert picked["b"].tolist() == [0, 0]
    words = partial(jax.tree.map, jax.random.key_data)
    assert equal(words(picked["key"]), words(keys[jnp.array([0, 0])]))


def test_a_room_without_a_picture_says_so():
    class Plain(SlipperyWalk):
        render = Env.render

    assert WALK.name == "slipperywalk-v1"
    assert WALK.render(walker(4)).shape == (8, 72, 3)
    with pytest.raises(NotImplementedError, match="slipperywalk-v1 has no picture"):
        Plain().render(walker(4))


def test_done_is_either_end():
    ends = [(False, False), (True, False), (False, True)]
    done = [Step(None, None, 0, jnp.bool_(a), jnp.bool_(b), {}).done for a, b in ends]
    assert [bool(d) for d in done] == [False, True, True]
