"""What differs from the reference is found, named and made small."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from envwright.verify.traces.compare import differences
from envwright.zoo.pokemon import record
from envwright.zoo.pokemon.checks.battle_traces import BATTLES, meant, played
from envwright.zoo.pokemon.checks.compare import BattleGames
from envwright.zoo.pokemon.reference import why_not
from envwright.zoo.pokemon.reference.trace import columns, load
from envwright.zoo.pokemon.roster import encode
from envwright.zoo.pokemon.start import fresh, seeds
from envwright.zoo.pokemon.teams import read

TRACES = Path(__file__).parents[1] / "traces"
needs_showdown = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(scope="module")
def games():
    return load(TRACES / "games.xz")[:6]


class Altered(BattleGames):
    """Our side plays as recorded but for one number of one battle."""

    def __init__(self, seed, decision, field, index, by):
        self.seed, self.decision, self.field, self.index, self.by = seed, decision, field, index, by

    def begin(self, traces):
        self.traces = traces
        self.show(0)

    def step(self, step, running):
        self.show(step + 1)

    def show(self, now):
        self.ours = np.stack([t.rows[min(now, t.decisions)] for t in self.traces]).copy()
        start, shape = columns(self.traces[0].schema)[self.field]
        at = start + (int(np.ravel_multi_index(self.index, shape)) if shape else 0)
        wrong = [t.seed == self.seed and now >= self.decision for t in self.traces]
        self.ours[wrong, at] += self.by


def test_equal_games_show_nothing(games):
    assert differences(Altered(games[0].seed, 0, "hp", (0, 0), 0), games) == []


@pytest.mark.parametrize(
    ("field", "index", "said"),
    [
        ("rng", (3,), "rng[3]"),
        ("hp", (1, 0), "hp[1, 0]"),
        ("mask", (0,), "mask[0]"),
        ("volatiles", (0, 30, 1), "volatiles[player 1, "),
        ("weather", (), "weather"),
        ("conditions", (1, 2, 1), "conditions[player 2, "),
    ],
)
def test_one_wrong_number_is_found_where_it_is(games, field, index, said):
    (found,) = differences(Altered(games[2].seed, 5, field, index, 1), games)
    assert (found.trace, found.step) == (2, 5)
    assert found.first.field.startswith(said) and found.first.reference != found.first.twin
    if field == "hp":
        assert found.first.twin == found.first.reference + 1
    assert f"seed {games[2].seed}, after decision 5: {said}" in str(found)


def test_fields_are_compared_in_order(games):
    """A wrong random number comes before the wrong HP that it caused."""
    names = list(games[0].schema)
    order = [
        names.index(n) for n in ("rng", "request", "mask", "hp", "boosts", "conditions", "winner")
    ]
    assert order == sorted(order)


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
    with BATTLES.recorder() as record:
        again = record(played(record.showdown, meant(games[0])))
    assert np.array_equal(again.actions, games[0].actions)
    assert np.array_equal(again.rows, games[0].rows)
