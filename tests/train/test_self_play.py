"""Self-play: one network plays both sides, and learns to play well."""

from functools import partial

import jax
import jax.numpy as jnp
import pytest
from tests.train.worlds import StrictTicTacToe

from envwright.train import PPOConfig, RunSpec, train
from envwright.train.policy import Policies
from envwright.train.ppo import PPO, View

GAME = StrictTicTacToe()
CONFIG = PPOConfig(
    steps=400_000,
    num_envs=256,
    rollout=16,
    minibatches=8,
    learning_rate=5e-3,
    entropy=0.05,
    network="128",
)
GAMES = 1000


def scores(policies: Policies, seat: int) -> tuple[jax.Array, jax.Array]:
    """Which games are over, and what `seat` won, of a policy against moves at random."""
    ppo, agent = policies.ppo, policies.one(0)

    def move(carry, key):
        board, over, total = carry
        k_random, k_step = jax.random.split(key)
        legal = jax.vmap(GAME.legal_actions)(board)
        at_random = jax.random.categorical(k_random, jnp.where(legal, 0.0, -1e9))
        view = View(jax.vmap(partial(GAME.observe, player=seat))(board), legal)
        _, choice = ppo.act(agent, None, view, over, k_step, greedy=True)
        ours = board.current_player == seat
        action = jnp.where(ours, choice.action, at_random).astype(jnp.int32)
        after = jax.vmap(lambda s, a: GAME.transition(s, a, None, None))(board, action)
        total = total + jnp.where(over, 0.0, after[1][:, seat])
        board = jax.tree.map(
            lambda old, new: jnp.where(over.reshape(-1, *(1,) * (old.ndim - 1)), old, new),
            board,
            after[0],
        )
        return (board, over | after[2], total), None

    board = jax.vmap(lambda _: GAME.start(None, None))(jnp.arange(GAMES))
    start = (board, jnp.zeros(GAMES, bool), jnp.zeros(GAMES))
    (_, over, total), _ = jax.lax.scan(move, start, jax.random.split(jax.random.key(seat), 9))
    return over, total


def not_lost(policies: Policies) -> float:
    """Share of games that a policy wins or draws, as often the first as the second to move."""
    shares = []
    for seat in (0, 1):
        over, total = jax.jit(lambda seat=seat: scores(policies, seat))()
        assert bool(over.all())
        shares.append(float(jnp.mean(total >= 0)))
    return sum(shares) / 2


def untrained() -> Policies:
    ppo = PPO(CONFIG, GAME.observation_space(), GAME.action_space())
    agent = jax.tree.map(lambda x: x[None], jax.jit(ppo.init)(jax.random.key(0)))
    return Policies("untrained", CONFIG, (0,), 0, ppo, agent)


@pytest.mark.slow
def test_tic_tac_toe_is_learnt_by_playing_oneself():
    before = not_lost(untrained())
    result = train(RunSpec("tictactoe", CONFIG), target=GAME)
    after = not_lost(result.policies)
    # Chance does not lose 56 of 100 games; we saw 61 untrained and 96 trained.
    assert before < 0.7 and after > 0.85
    returns = [line["return"][0] for line in result.curve]
    assert all(abs(mean) <= 1 for mean in returns), "an illegal move would have cost 100"
    assert result.curve[-1]["entropy"][0] < 0.7 * result.curve[0]["entropy"][0]
