"""Whole games stay as they were; changed behaviour means a new version of the rules."""

import json

import pytest
from tests.zoo.tcgpocket.golden import FILE, OTHERWISE, digest, digests, games, name

from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.engine.games import Games

GOLDEN = json.loads(FILE.read_text())


@pytest.mark.parametrize("game", games(), ids=lambda game: name(*game[:3]))
def test_a_game_of_the_reference_is_the_one_that_was_recorded(game):
    assert digest(*game) == GOLDEN[name(*game[:3])]


@pytest.mark.parametrize("settings", [Settings(), OTHERWISE], ids=["default", "otherwise"])
def test_games_of_the_fast_engine_are_those_that_were_recorded(settings):
    listed = [game for game in games() if game[3] == settings]
    found = digests(Games(settings, "numpy"), listed)
    assert found == [GOLDEN[name(*game[:3])] for game in listed]
