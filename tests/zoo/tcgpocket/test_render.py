"""Pictures of a game: everything that matters on a table can be seen in them."""

import random

import numpy as np
import pytest
from tests.zoo.tcgpocket.driver import board, mon, side

from envwright.zoo.tcgpocket import cards, decks
from envwright.zoo.tcgpocket.contract.actions import Stage
from envwright.zoo.tcgpocket.contract.state import Mark, Mind, unpack
from envwright.zoo.tcgpocket.records import full_hp
from envwright.zoo.tcgpocket.reference import Game
from envwright.zoo.tcgpocket.render import HEIGHT, WIDTH, picture

BULBASAUR, PIKACHU = "A1 001", "A1 094"
CAPE, PLAINS = "A2 147", "B2 154"


def drawn(change=None) -> np.ndarray:
    record = unpack(board(side(mon(BULBASAUR, energy="G"), [PIKACHU]), side(BULBASAUR)))
    if change is not None:
        change(record)
    return picture(record)


def _set(path, value):
    def change(record):
        *parents, name = path
        for parent in parents:
            record = record[parent]
        record[name] = value

    return change


@pytest.mark.parametrize(
    "path, value",
    [
        (("turn",), 6),
        (("winner",), 2),
        (("ask",), 8),
        (("players", 1, "points"), 2),
        (("players", 0, "poisoned"), 1),
        (("players", 0, "burned"), 1),
        (("players", 1, "mind"), Mind.CONFUSED),
        (("players", 0, "energy"), 3),
        (("players", 0, "next_energy"), 3),
        (("players", 1, "slots", 0, "damage"), 4),
        (("players", 0, "slots", 1, "energy"), 1),
        (("players", 0, "slots", 0, "marks"), np.eye(8)[Mark.GUARD] * 5),
        (("players", 0, "zone"), np.ones(20)),
    ],
)
def test_what_changes_on_the_table_changes_the_picture(path, value):
    before, after = drawn(_set(("stage",), Stage.MAIN)), drawn(_set(path, value))
    if path == ("winner",):
        after = drawn(lambda r: (_set(path, value)(r), _set(("stage",), Stage.OVER)(r)))
    assert after.shape == (HEIGHT, WIDTH, 3) and after.dtype == np.uint8
    assert not np.array_equal(before, after)


def test_each_side_is_drawn_in_its_own_half():
    before, after = drawn(), drawn(_set(("players", 1, "slots", 0, "damage"), 4))
    rows = np.flatnonzero((before != after).any((1, 2)))
    assert rows.max() < HEIGHT / 2
    before, after = drawn(), drawn(_set(("players", 0, "slots", 0, "damage"), 4))
    rows = np.flatnonzero((before != after).any((1, 2)))
    assert rows.min() > HEIGHT / 2


def test_every_card_can_be_drawn():
    rng = random.Random(0)
    numbers = sorted(cards.load())
    for seed in range(12):
        game = Game.new([decks.around(rng.choice(numbers), rng) for _ in range(2)], seed)
        for _ in range(60):
            if game.over:
                break
            game.step(rng.choice(game.legal))
        assert picture(unpack(game.save())).any()


def test_a_tool_and_the_stadium_add_to_full_hp():
    plain = unpack(board(side(mon(BULBASAUR)), side(BULBASAUR)))
    caped = unpack(board(side(mon(BULBASAUR, tool=CAPE)), side(BULBASAUR)))
    assert full_hp(caped, 0, 0) == full_hp(plain, 0, 0) + 20
    record = unpack(board(side(mon(BULBASAUR)), side(BULBASAUR, stadium=PLAINS)))
    assert full_hp(record, 0, 0) == full_hp(plain, 0, 0) + 20
