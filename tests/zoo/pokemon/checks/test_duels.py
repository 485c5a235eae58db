"""Every supported effect has a duel in which the reference's own callback does something."""

from pathlib import Path

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.checks import duels
from envwright.zoo.pokemon.checks.golden import record_duels
from envwright.zoo.pokemon.reference import Showdown, why_not
from envwright.zoo.pokemon.reference.trace import load

TRACES = Path(__file__).parents[1] / "traces"
ONLY_FOR_ALLIES = {"ability:powerspot"}  # nothing to do in singles
needs_showdown = pytest.mark.skipif(bool(why_not()), reason=why_not())


def test_there_are_two_hundred_duels_and_none_twice():
    atoms = [duel.atom for duel in duels.all_duels()]
    assert len(set(atoms)) == len(atoms) >= 200


def test_both_teams_are_supported_or_the_duel_is_of_something_else():
    for duel in duels.all_duels():
        named = {one.ability for one in duel.teams[0]} | {one.item for one in duel.teams[0]}
        named |= {move for one in duel.teams[0] for move in one.moves}
        assert duel.name in named, duel.atom


@needs_showdown
@pytest.mark.slow
def test_every_callback_acts_in_its_duel():
    idle = []
    with Showdown(count_callbacks=True) as showdown:
        for duel in duels.all_duels():
            for number in range(duel.seeds):
                duels.play(showdown, duel, number)
            names = (f"{duel.atom}.", f"condition:{duel.name}.")
            acted = sum(n for name, (_, n) in showdown.fired().items() if name.startswith(names))
            if not acted and duel.atom not in ONLY_FOR_ALLIES:
                idle.append(duel.atom)
    assert idle == []


@needs_showdown
def test_recorded_duels_are_those_of_the_reference():
    listed = list(duels.all_duels())
    recorded = iter(load(TRACES / "duels.xz"))
    kept = [[next(recorded) for _ in range(duel.seeds)] for duel in listed]
    assert next(recorded, None) is None
    sampled = list(range(0, len(listed), 10))
    with Showdown() as showdown:
        for index in sampled:
            fresh = [trace for _, trace in record_duels(showdown, [listed[index]])]
            for a, b in zip(kept[index], fresh, strict=True):
                assert np.array_equal(a.rows, b.rows), listed[index].atom


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["snorlax: rest", "snorlax: rest"], "3 or 4"),
        (["snorlax", "snorlax: rest", "rest/rest"], "is not like 'snorlax"),
        (["snorlax: rest", "snorlax: rest", "rest"], "are not like 'rest/bodyslam'"),
        (["snorlax: sleep", "snorlax: rest", "rest/rest"], "unknown move"),
    ],
)
def test_what_is_wrong_with_a_duel_is_said(line, said):
    with pytest.raises(EnvwrightError, match=said):
        duels.read("moves", "rest", line)
