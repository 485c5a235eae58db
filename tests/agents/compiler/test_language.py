"""Each small game is translated exactly, in every step of several seeds, or refused with a reason."""

import pytest
from tests.agents.compiler.language import containers, control, game, numbers, objects
from tests.agents.compiler.workbench import unequal

from envwright.agents.compiler import Unsupported

FILES = {module.__name__.rpartition(".")[2] for module in (containers, control, numbers, objects)}
EXACT = [name for name, (_, reason) in game.TABLE.items() if reason == game.EQUAL]
REFUSED = [name for name in game.TABLE if name not in EXACT]


@pytest.mark.parametrize("name", EXACT)
def test_a_game_is_translated_exactly(name, tmp_path):
    assert unequal(game.TABLE[name][0], tmp_path) == []


@pytest.mark.parametrize("name", REFUSED)
def test_a_game_that_cannot_be_translated_is_refused_with_its_reason(name, tmp_path):
    played, reason = game.TABLE[name]
    with pytest.raises(Unsupported) as told:
        unequal(played, tmp_path)
    assert reason in str(told.value) and "; " in str(told.value)
    assert told.value.advice and reason
