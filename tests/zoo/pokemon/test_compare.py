"""What differs from the reference is found, named and made small."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon import compare, record
from envwright.zoo.pokemon.reference import Showdown, why_not
from envwright.zoo.pokemon.reference.trace import columns, load
from envwright.zoo.pokemon.roster import encode
from envwright.zoo.pokemon.shrink import meant, played
from envwright.zoo.pokemon.start import fresh, seeds
from envwright.zoo.pokemon.teams import read

TRACES = Path(__file__).parent / "traces"
needs_showdown = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(scope="module")
def games():
    return load(TRACES / "games.xz")[:6]


def _altered(monkeypatch, games, game, decision, field, index, by):
    """Our side plays as recorded but for one number."""

    def rows(engine, traces):
        longest = max(trace.decisions for trace in traces)
        for t in range(longest + 1):
            made = np.stack([trace.rows[min(t, trace.decisions)] for trace in traces]).copy()
            if t >= decision:
                start, shape = columns(traces[0].schema)[field]
                at = start + (int(np.ravel_multi_index(index, shape)) if shape else 0)
                made[game, at] += by
            yield made

    monkeypatch.setattr(compare, "play", rows)


def test_equal_games_show_nothing(monkeypatch, games):
    _altered(monkeypatch, games, 0, 0, "hp", (0, 0), 0)
    assert compare.differences(None, games) == []


@pytest.mark.parametrize(
    ("field", "index", "said"),
    [
        ("rng", (3,), "rng"),
        ("hp", (1, 0), "hp"),
        ("mask", (0,), "mask"),
        ("volatiles", (0, 30, 1), "volatiles"),
        ("weather", (), "weather"),
        ("conditions", (1, 2, 1), "conditions"),
    ],
)
def test_one_wrong_number_is_found_where_it_is(monkeypatch, games, field, index, said):
    _altered(monkeypatch, games, 2, 5, field, index, 1)
    (found,) = compare.differences(None, games)
    assert (found.game, found.decision, found.field, found.index) == (2, 5, field, index)
    assert found.ours == found.reference + 1
    assert said in str(found) and "after decision 5" in str(found)
    assert found.actions == games[2].actions[:5].tolist()


def test_fields_are_compared_in_order(monkeypatch, games):
    """A wrong random number comes before the wrong HP that it caused."""
    names = list(games[0].schema)
    order = [
        names.index(n) for n in ("rng", "request", "mask", "hp", "boosts", "conditions", "winner")
    ]
    assert order == sorted(order)


def test_a_difference_survives_its_file(monkeypatch, games, tmp_path):
    _altered(monkeypatch, games, 1, 3, "hp", (0, 0), -1)
    (found,) = compare.differences(None, games)
    assert compare.load_difference(found.save(tmp_path / "d.json")) == found
    with pytest.raises(EnvwrightError, match="holds no difference"):
        compare.load_difference(tmp_path / "none.json")


def test_a_start_state_is_the_reference_before_anyone_comes_out(games):
    """All of the party that the first switch-in does not touch."""
    first = encode([read(game.teams[0]) for game in games])
    second = encode([read(game.teams[1]) for game in games])
    state = fresh(seeds([game.seed for game in games]), first, second)
    ours = record.rows(state, np.zeros((2, len(games)), int), games[0].schema)
    for number, game in enumerate(games):
        mine = replace(game, rows=ours[number : number + 1])
        for field in ("uid", "level", "gender", "moves", "item", "base_ability", "left", "maxhp"):
            assert np.array_equal(mine[field][0], game[field][0]), field


@needs_showdown
def test_what_was_meant_is_the_same_battle(games):
    with Showdown() as showdown:
        again = played(showdown, meant(games[0]))
    assert np.array_equal(again.actions, games[0].actions)
    assert np.array_equal(again.rows, games[0].rows)
