"""The environment around the rules: seats, rewards, masks, resets.

The rules are a stand-in but in one test: the real ones take minutes to compile, and are compared
with the reference elsewhere.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envwright
from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.checks.engines import NumpyEngine
from envwright.zoo.pokemon.env import WAIT, PokemonBattles
from envwright.zoo.pokemon.observe import SIZE

pytestmark = pytest.mark.slow  # each test compiles the views: some ten seconds


class FiveTurns:
    """A game without rules: after five turns the generator's first word says who won."""

    @staticmethod
    def step(xp, rules, state, actions):
        turn = state.turn + np.int16(1)
        winner = xp.where(turn > 5, 1 + state.rng[0] % 3, 0).astype(np.int8)
        hp = (state.hp - actions[:, None].astype(np.int16)).astype(np.int16)
        return state._replace(turn=turn, winner=winner, hp=hp)

    @staticmethod
    def legal_actions(xp, rules, state):
        over = state.winner > 0
        waits = (np.arange(14) == WAIT)[None, :, None]
        return xp.where(over, waits, ~waits) & xp.ones((2, 14, state.turn.shape[-1]), bool)


@pytest.fixture(scope="module")
def env():
    return PokemonBattles(engine=FiveTurns)


def test_the_zoo_knows_it_as_a_game_of_two_at_once():
    env = envwright.make("pokemon")
    assert env.num_players == 2 and env.simultaneous and env.noop == WAIT


def test_a_batch_is_the_same_as_its_lanes_one_by_one(env):
    keys = jax.random.split(jax.random.key(1), 4)
    actions = jnp.asarray([[0, 1], [2, 3], [8, 9], [4, 0]], jnp.int32)
    _, states = jax.jit(env.reset_batch)(keys)
    after = jax.jit(env.step_batch)(keys, states, actions)
    single = jax.jit(env.step)
    for lane in range(4):
        one = jax.tree.map(lambda x, lane=lane: x[lane], states)
        alone = single(keys[lane], one, actions[lane])
        for whole, part in zip(jax.tree.leaves(after), jax.tree.leaves(alone), strict=True):
            assert np.array_equal(whole[lane], part)


def test_the_winner_is_paid_and_the_loser_pays(env):
    keys = jax.random.split(jax.random.key(0), 32)
    _, states = jax.jit(env.reset_batch)(keys)
    play = jax.jit(jax.vmap(env.step_env, (0, 0, 0, None)))
    nothing = jnp.zeros((32, 2), jnp.int32)
    for turn in range(1, 8):
        _, states, reward, over, _ = play(keys, states, nothing, env.default_params)
        assert not reward.sum(1).any() and (over == (turn == 6)).all()
        if turn == 6:
            outcomes = {tuple(row) for row in np.asarray(reward).tolist()}
        else:
            assert not reward.any()
    assert outcomes == {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)}


def test_a_battle_begins_with_waiting_and_is_followed_by_another(env):
    _, state = jax.jit(env.reset)(jax.random.key(0))
    play = jax.jit(env.step_env)
    for step in range(7):
        waits = step in (0, 6)  # the sixth ends it, and the next begins
        for player in (0, 1):
            legal = np.flatnonzero(env.legal_actions(state, player)).tolist()
            assert (legal == [WAIT]) == waits
        _, state, *_ = play(jax.random.key(0), state, jnp.zeros(2, jnp.int32), env.default_params)


def test_nobody_is_seen_before_the_leads_come_out(env):
    obs, state = jax.jit(env.reset)(jax.random.key(5))
    assert not state.known.seen.any()
    play = jax.jit(env.step_env)
    after, state, *_ = play(
        jax.random.key(0), state, jnp.full(2, WAIT, jnp.int32), env.default_params
    )
    assert state.known.seen.sum(1).tolist() == [1, 1] and not np.array_equal(obs, after)


def test_the_rules_in_the_environment_are_those_on_numpy():
    """With resets: lanes go on with the next battle when one ends."""
    env = envwright.make("pokemon")
    lanes = 8
    engine = NumpyEngine()
    key = jax.random.key(2)
    _, states = jax.jit(env.reset_batch)(jax.random.split(key, lanes))
    play = jax.jit(env.step_batch)
    generator = np.random.default_rng(0)
    ended = 0
    for number in range(90):
        before = jax.tree.map(lambda x: np.moveaxis(np.asarray(x), 0, -1), states)
        legal = np.asarray(states.legal)
        actions = [[_one_of(word, generator) for word in row] for row in legal]
        after = play(jax.random.fold_in(key, number), states, jnp.asarray(actions, jnp.int32))
        ours = engine.step(before.battle, np.asarray(actions, np.int32).T)
        over = np.asarray(after.terminated)
        ended += int(over.sum())
        for name in ours._fields:
            compiled = np.moveaxis(np.asarray(getattr(after.state.battle, name)), 0, -1)
            plain = getattr(ours, name)
            np.testing.assert_array_equal(compiled[..., ~over], plain[..., ~over], err_msg=name)
        assert (after.reward[over].sum(1) == 0).all()
        assert (np.asarray(after.state.legal)[over] == 1 << WAIT).all()
        assert (engine.masks(ours)[:, ~over] == np.asarray(after.state.legal)[~over].T).all()
        assert (ours.winner[over] > 0).all() and not ours.winner[~over].any()
        states = after.state
    assert ended >= 4


def _one_of(word, generator):
    return int(generator.choice([a for a in range(14) if int(word) >> a & 1]))


def test_other_tables_for_each_lane_are_refused(env):
    keys = jax.random.split(jax.random.key(0), 2)
    many = jax.tree.map(lambda x: jnp.stack([x, x]), env.default_params)
    with pytest.raises(EnvwrightError, match="shared by all battles"):
        jax.vmap(env.reset_env)(keys, many)


def test_each_player_gets_an_own_view(env):
    obs, state = jax.jit(env.reset)(jax.random.key(3))
    assert obs.shape == (2, SIZE)
    assert not np.array_equal(obs[0], obs[1])
    assert np.array_equal(obs[1], env.observe(state, jnp.int32(1)))


def test_teams_can_be_given_and_are_checked():
    good = "Snorlax\nAbility: Thick Fat\n- Body Slam\n- Rest"
    env = PokemonBattles(teams=(good, good), engine=FiveTurns)
    _, state = jax.jit(env.reset)(jax.random.key(0))
    assert int((state.battle.species > 0).sum()) == 2
    with pytest.raises(EnvwrightError, match="not supported yet: Ditto"):
        PokemonBattles(teams=(good, "Ditto\nAbility: Imposter\n- Transform"))
    with pytest.raises(EnvwrightError, match="between two teams"):
        PokemonBattles(teams=(good,))
    with pytest.raises(EnvwrightError, match="view is own or public"):
        PokemonBattles(view="all")


def test_pettingzoo_plays_it(env):
    pytest.importorskip("pettingzoo")
    from envwright.adapters.pettingzoo import PettingZooParallel

    game = PettingZooParallel(env)
    seen, _ = game.reset(seed=0)
    assert set(seen) == {"player_0", "player_1"}
    for _ in range(6):
        seen, rewards, over, _, _ = game.step({agent: 0 for agent in game.agents})
    assert all(over.values()) and sum(rewards.values()) == 0
