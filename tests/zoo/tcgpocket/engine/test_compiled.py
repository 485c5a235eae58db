"""The compiled engine: the same games as in NumPy, by batch and by tile, compiled once."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.zoo.tcgpocket import deck_lists
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.engine import blocks, queue, tables
from envwright.zoo.tcgpocket.engine import games as games_module
from envwright.zoo.tcgpocket.engine.games import Games
from envwright.zoo.tcgpocket.engine.kit import Kit
from envwright.zoo.tcgpocket.engine.record import to_records

LANES = 48


def _decks(count: int) -> list:
    names = list(deck_lists.LISTS)
    pick = lambda i: deck_lists.named(names[i % len(names)])  # noqa: E731
    return [(pick(i), pick(3 * i + 1)) for i in range(count)]


def _actions(games: Games, rng: np.random.Generator) -> np.ndarray:
    masks = games.masks
    return (masks * rng.random(masks.shape)).argmax(1)


@pytest.mark.slow
def test_JAX_plays_the_same_games_as_NumPy_with_one_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(games_module, "_PROGRAMS", {})
    ours, theirs, rng = Games(), Games(xp="numpy"), np.random.default_rng(0)
    for games in (ours, theirs):
        games.new(_decks(LANES), list(range(LANES)))
    while not theirs.over.all():
        chosen = _actions(theirs, rng)
        for games in (ours, theirs):
            games.step(chosen)
        assert ours.records.tobytes() == theirs.records.tobytes()
        assert (ours.masks == theirs.masks).all()
        assert ours.draws == theirs.draws
    assert (ours.observe() == theirs.observe()).all()
    step = games_module._compiled("step", Settings(), False)
    assert step._cache_size() == 1


@pytest.mark.slow
def test_tiles_play_the_same_games_as_whole_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "TILE", 16)
    games, rng = Games(xp="numpy"), np.random.default_rng(1)
    games.new(_decks(LANES), list(range(LANES)))
    host = Kit(np, tables.load(), Settings())
    front = np.concatenate([games._words, np.zeros((2, games_module.padded(LANES)), np.int32)])
    rows = jnp.asarray(blocks.pack(host, games._state, front).T)[:LANES]

    @jax.jit
    def answer(rows: jax.Array, chosen: jax.Array) -> jax.Array:
        packed = tables.Tables(*map(jnp.asarray, tables.load()))
        return queue.answer(Kit(jnp, packed, Settings()), rows, chosen)

    while not games.over.all():
        chosen = _actions(games, rng)
        games.step(chosen)
        rows = answer(rows, jnp.asarray(chosen, jnp.int32))
        state = blocks.unpack(host, np.asarray(rows).T)
        assert to_records(state).tobytes() == games.records.tobytes()
        assert (games._words[:, :LANES] == np.asarray(rows)[:, :4].T).all()
    assert answer._cache_size() == 1
