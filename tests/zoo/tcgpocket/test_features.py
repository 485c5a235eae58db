"""Features for networks: the same in NumPy and JAX, bounded, and only from what is seen."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.zoo.tcgpocket.driver import board, mon, side
from tests.zoo.tcgpocket.positions import positions

from envwright.zoo.tcgpocket import features
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.observation import flat
from envwright.zoo.tcgpocket.reference import Game

PIKACHU_EX, BULBASAUR, RAICHU, PIKACHU = "A1 096", "A1 001", "A1 095", "A1 094"


def seen(mine, other, **fields) -> dict[str, float]:
    game = Game.load(board(mine, other, **fields))
    vector = flat(game.observe())[None]
    values = features.features(np, vector)[0]
    return dict(zip(features.names(), values.tolist(), strict=True))


@pytest.mark.lax("one source for NumPy and JAX, which promotes as NumPy does")
def test_numpy_and_jax_give_the_same_to_the_last_digit_or_so():
    views, _ = positions(20)
    ours = features.features(np, views)
    assert ours.shape == (len(views), features.SIZE) and ours.dtype == np.float32
    compiled = jax.jit(lambda x: features.features(jnp, x))(views)
    assert np.allclose(compiled, ours, rtol=3e-7, atol=0)  # divisions may be multiplications


def test_all_features_are_small_and_most_of_them_move():
    views, _ = positions(60)
    values = features.features(np, views)
    assert np.abs(values).max() <= 8
    moves = dict(zip(features.names(), values.max(0) > values.min(0), strict=True))
    # Of the marks of attacks and the rarer questions few come up in so many games.
    assert all(moved for name, moved in moves.items() if name.startswith("own slot"))
    assert np.mean(list(moves.values())) > 0.8
    assert len(set(features.names())) == features.SIZE


def test_a_lead_axis_of_any_kind_is_kept():
    views, _ = positions(20)
    one = features.features(np, views[3])
    assert np.array_equal(one, features.features(np, views)[3])


def test_attacks_know_energy_weakness_and_lethal_hits():
    names = seen(side(mon(BULBASAUR, energy="GG")), side(mon(PIKACHU, damage=30)))
    assert names["own slot 0: attack 0 is paid for"] == 1
    assert names["own slot 0: attack 0 takes"] == np.float32(0.4)
    assert names["own slot 0: attack 0 takes all"] == 1
    assert names["other slot 0: threatened"] == 1
    names = seen(side(mon(BULBASAUR, energy="G")), side(mon(PIKACHU, damage=10)))
    assert names["own slot 0: attack 0 is paid for"] == 0
    assert names["own slot 0: attack 0 lacks"] == 0.25
    assert names["own slot 0: attack 0 takes all"] == 0
    assert names["own slot 0: energy helps"] == 1  # the zone has Grass


def test_cards_in_hand_know_what_they_evolve():
    mine = side(mon(PIKACHU), hand=(RAICHU, BULBASAUR))
    names = seen(mine, side(BULBASAUR))
    card = {
        name.split(": ")[0]
        for name, value in names.items()
        if name.endswith("evolves the Active Pokemon") and value
    }
    assert len(card) == 1
    assert sum(v for n, v in names.items() if n.endswith(": Basic")) == 1


def test_the_question_is_told():
    names = seen(side(mon(BULBASAUR)), side(BULBASAUR))
    assert [n for n, v in names.items() if n.startswith("asks") and v] == [f"asks {Ask.MAIN.name}"]


def test_what_is_hidden_changes_nothing():
    data = board(side(BULBASAUR), side(BULBASAUR, hand=(PIKACHU, RAICHU), deck=(BULBASAUR,) * 3))
    other = board(side(BULBASAUR), side(BULBASAUR, hand=(BULBASAUR,) * 2, deck=(PIKACHU,) * 3))
    views = [flat(Game.load(saved).observe(0))[None] for saved in (data, other)]
    assert np.array_equal(*(features.features(np, view) for view in views))
