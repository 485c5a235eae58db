"""Benchmark rows of TCG Pocket."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.bench.implementation import Kind, Role
from envwright.core.registry import make
from envwright.zoo.tcgpocket.bench.implementations import IMPLEMENTATIONS, ReferenceLoop
from envwright.zoo.tcgpocket.bench.play import chosen
from envwright.zoo.tcgpocket.bench.reference import RandomGames


def test_the_reference_plays_in_processes_as_much_as_was_asked() -> None:
    prepared = ReferenceLoop(1).prepare(1, Kind.RANDOM)
    try:
        assert prepared.run(500) == 500 and prepared.processor() > 0
    finally:
        prepared.close()


def test_games_of_the_reference_follow_each_other() -> None:
    games = RandomGames(0)
    first = games.game
    games.play(200)
    assert games.game is not first


def test_every_legal_action_is_drawn_and_no_other() -> None:
    mask = np.zeros(128, bool)
    mask[[0, 31, 32, 63, 104]] = True
    packed = np.packbits(mask.reshape(4, 32), axis=1, bitorder="little").view("<i4").reshape(4)
    words = jnp.tile(jnp.asarray(packed), (400, 1))
    drawn = chosen(words, jax.random.key(0))
    assert set(np.asarray(drawn).tolist()) == {0, 31, 32, 63, 104}


@pytest.mark.slow
def test_actions_are_drawn_from_those_that_are_legal_in_the_environment() -> None:
    env = make("tcgpocket")
    _, states = jax.jit(env.reset_batch)(jax.random.split(jax.random.key(1), 64))
    legal = np.asarray(jax.vmap(lambda s: env.legal_actions(s, env.current_player(s)))(states))
    drawn = np.asarray(chosen(env.legal_words(states), jax.random.key(2)))
    assert legal[np.arange(64), drawn].all() and len(set(drawn.tolist())) > 3


def test_two_processes_are_the_reference_and_one_stands_beside() -> None:
    roles = {each.name: each.role for each in IMPLEMENTATIONS if Kind.RANDOM in each.kinds}
    assert roles["reference"] == Role.REFERENCE and roles["reference-1"] == Role.PEER
