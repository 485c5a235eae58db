"""Versions of Showdown's simulator: tables, teams and battles."""

from __future__ import annotations

import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.checks import versions
from envwright.zoo.pokemon.reference.install import RANDOMS, SIM, VERSION, checked_version, locked

GAME = {"log": ["|t:|17", "|move|a", "|win|A"], "actions": [[0, 1]], "rng": [1, 2, 3, 4]}


def tables(old, new):
    return {part.name: part for part in versions._tables({"moves": old}, {"moves": new})}


def test_data_and_code_of_an_entry_are_told_apart():
    old = {"tackle": ["40", "hit"], "growl": ["0", "sing"], "cut": ["50", ""]}
    found = tables(old, {"tackle": ["50", "hit"], "growl": ["0", "sing()"], "fly": ["90", ""]})
    assert found["moves"].first == "cut removed, fly added, tackle changed"
    assert (found["moves"].compared, found["moves"].differ, found["moves"].text) == (4, 3, False)
    code = found["moves, code"]
    assert (code.first, code.differ, code.text) == ("growl changed", 1, True)


def test_many_changes_are_counted_and_some_are_named():
    found = tables({}, {f"move{n}": ["1", ""] for n in range(9)})["moves"]
    assert found.differ == 9 and found.first.endswith("move5 added, …")


def test_the_time_of_day_is_no_difference():
    assert versions._apart(GAME, GAME | {"log": ["|t:|99", *GAME["log"][1:]]}) == ""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"log": ["|move|b", "|win|A"]}, "line 0: |move|a → |move|b"),
        ({"log": ["|move|a"]}, "line 1: |win|A → (nothing)"),
        ({"rng": [0, 0, 0, 0]}, "the same log with other random numbers"),
        ({"actions": [[1, 1]]}, "the same log with other choices"),
    ],
)
def test_the_place_where_battles_part_is_told(change, told):
    assert versions._apart(GAME, GAME | change) == told


def test_versions_are_plain(tmp_path):
    assert VERSION.fullmatch(locked(SIM)) and VERSION.fullmatch(locked(RANDOMS))
    for text in ("latest", "^0.10.0", "0.10", "0.10.1 && x", "file:.", "../x", ""):
        with pytest.raises(EnvwrightError, match="is not a version of"):
            checked_version(text)
