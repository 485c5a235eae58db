"""Each small game is translated exactly, over several seeds, or refused with a reason."""

import numpy as np
import pytest
from tests.agents.compiler.language import containers, control, game, mixed, numbers, objects
from tests.agents.compiler.workbench import unequal

from envwright.agents.compiler import Unsupported

FILES = (containers, control, mixed, numbers, objects)  # they fill the table
EXACT = [name for name, (_, reason) in game.TABLE.items() if reason == game.EQUAL]
CLOSE = [name for name, (_, reason) in game.TABLE.items() if reason == game.NEARLY]
QUICK = ["DictGetByTuple", "DictGetByNumber", "PropertySetter", "RemoveOfTuples", "SumOfTruths"]
REFUSED = [name for name in game.TABLE if name not in (*EXACT, *CLOSE)]


@pytest.mark.parametrize("name", QUICK)
def test_what_was_once_translated_wrongly_equals_its_game(name, tmp_path):
    assert unequal(game.TABLE[name][0], tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EXACT if name not in QUICK])
def test_a_game_is_translated_exactly(name, tmp_path):
    assert unequal(game.TABLE[name][0], tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CLOSE)
def test_functions_of_whole_arrays_differ_in_the_last_digits_at_most(name, tmp_path):
    found = unequal(game.TABLE[name][0], tmp_path)
    assert all(np.allclose(theirs, ours, rtol=1e-14) for *_, theirs, ours in found)


@pytest.mark.parametrize("name", REFUSED)
def test_a_game_that_cannot_be_translated_is_refused_with_its_reason(name, tmp_path):
    played, reason = game.TABLE[name]
    with pytest.raises(Unsupported) as told:
        unequal(played, tmp_path)
    assert reason in str(told.value) and "; " in str(told.value)
