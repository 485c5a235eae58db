"""The environment against an opponent, and under PettingZoo; compiles the whole engine."""

import jax
import numpy as np
import pytest

import envwright
from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.against import Against
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.env import TcgPocket

LANES = 16


def test_make_gives_two_players_or_one():
    both = envwright.make("tcgpocket")
    assert isinstance(both, TcgPocket) and both.num_players == 2 and not both.simultaneous
    alone = envwright.make("tcgpocket", opponent="greedy", view="features")
    assert isinstance(alone, Against) and alone.num_players == 1
    assert alone.observation_space().dtype == np.float32


@pytest.mark.parametrize(
    "options, said",
    [
        ({"opponent": "x"}, "there is no opponent 'x'"),
        ({"opponent": "greedy", "view": "x"}, "view is raw or features"),
        ({"decks": "sparks"}, "between two decks, not 1"),
        ({"opponent": "greedy", "max_turns": 0}, "max_turns is 0"),
    ],
)
def test_what_there_is_not_is_named(options, said):
    with pytest.raises(EnvwrightError, match=said):
        envwright.make("tcgpocket", **options)


@pytest.fixture(scope="module")
def played():
    """Random play against the opponent: what was seen at every step."""
    env = envwright.make("tcgpocket", opponent="greedy")
    keys = jax.random.split(jax.random.key(0), LANES)
    _, states = jax.jit(env.reset_batch)(keys)
    step = jax.jit(env.step_batch)
    legal = jax.jit(jax.vmap(env.legal_actions))
    mover = jax.jit(jax.vmap(lambda s: env.game.current_player(s.match)))
    rng, rows = np.random.default_rng(0), []
    for time in range(300):
        masks = np.asarray(legal(states))
        asked = np.asarray(mover(states)) == np.asarray(states.seat)
        chosen = (rng.random(masks.shape) * masks).argmax(1)
        after = step(jax.random.fold_in(jax.random.key(1), time), states, chosen)
        rows.append(
            (masks, asked, np.asarray(states.seat), np.asarray(after.reward), after.terminated)
        )
        states = after.state
    return env, states, [np.stack(part) for part in zip(*rows, strict=True)]


@pytest.mark.slow
def test_only_pass_is_legal_while_the_opponent_decides(played):
    _, _, (masks, asked, _, _, _) = played
    waiting = masks[~asked]
    assert 0.2 < asked.mean() < 0.8
    assert (waiting.sum(1) == 1).all() and waiting[:, actions.PASS].all()
    assert (masks[asked].sum(1) >= 1).all()


@pytest.mark.slow
def test_the_seat_changes_between_games_only_and_ends_pay_the_learner(played):
    _, _, (_, _, seat, reward, over) = played
    assert over.sum() > 10
    assert (seat[1:][~over[:-1]] == seat[:-1][~over[:-1]]).all()
    assert {0, 1} == set(seat[0]) or (seat[1:][over[:-1]] != seat[:-1][over[:-1]]).any()
    assert (reward[~over] == 0).all()
    assert reward[over].mean() < -0.5  # greedy wins against random play


@pytest.mark.slow
def test_a_state_can_be_looked_at(played):
    env, states, _ = played
    one = jax.tree.map(lambda x: np.asarray(x[0]), states)
    assert env.render(one).shape == (560, 880, 3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoo_takes_it_as_an_environment_in_turns():
    pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")
    from pettingzoo import AECEnv
    from pettingzoo.test import api_test

    from envwright.adapters.pettingzoo import to_pettingzoo

    env = to_pettingzoo("tcgpocket", render_mode="rgb_array")
    assert isinstance(env, AECEnv)
    api_test(env, num_cycles=60)
    env.reset(seed=1)
    movers = set()
    for agent in env.agent_iter():
        movers.add(agent)
        view, _, over, cut, _ = env.last()
        if over or cut:
            env.step(None)
            continue
        assert view["action_mask"].sum() >= 1
        env.step(int(np.argmax(view["action_mask"])))
    assert movers == set(env.possible_agents)
