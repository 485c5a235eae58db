"""Whole games stay as they were; changed behaviour means a new version of the rules."""

import json

import pytest

from zoo.tcgpocket.golden import FILE, digest, games, name

GOLDEN = json.loads(FILE.read_text())


@pytest.mark.parametrize("game", games(), ids=lambda game: name(*game[:3]))
def test_a_game_is_the_one_that_was_recorded(engine, game):
    assert digest(engine, *game) == GOLDEN[name(*game[:3])]
