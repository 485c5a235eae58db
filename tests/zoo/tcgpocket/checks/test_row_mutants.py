"""Wrong numbers in rows: they can be seeded, and level 1 notices them."""

import importlib.resources

import numpy as np
import pytest

from envwright.verify.adequacy.mutation.loading import load_mutant_package
from envwright.zoo.tcgpocket.cards import by_print
from envwright.zoo.tcgpocket.checks import engines, facts, row_mutants
from envwright.zoo.tcgpocket.engine import tables

PACKAGES = ("envwright.zoo.tcgpocket", "envwright.zoo.tcgpocket.checks")


@pytest.fixture(scope="module")
def everything():
    return {mutant.id: mutant for _, mutant in row_mutants.mutants()}


def mutated(mutant):
    source = importlib.resources.files(engines.ENGINE).joinpath("tables.py").read_text()
    return load_mutant_package(PACKAGES, {engines.TABLES: mutant.apply(source)}, label=mutant.id)


def named(everything, start):
    return next(mutant for name, mutant in everything.items() if name.startswith(start))


def test_a_mutant_changes_the_one_number_that_it_names(everything):
    mutant = named(everything, "rows:cards.hp[A1 096]")
    with mutated(mutant) as loaded:
        wrong = loaded[engines.TABLES].load()
    number = by_print("A1 096").number
    (changed,) = np.flatnonzero((wrong.slot != tables.load().slot).any(axis=0))
    assert changed == number and (wrong.attack == tables.load().attack).all()
    assert (wrong.card == tables.load().card).all()


def test_there_are_many_and_none_says_only_which_card_it_is(everything):
    assert len(everything) > 20_000
    assert not any(".number[" in name for name in everything)
    assert "rows:attacks.total[A1 096 0]:2->0" not in everything  # its types ask for both
    assert not any(name.startswith("rows:cards.stage") and "->2" in name for name in everything)


@pytest.mark.parametrize(
    "start",
    [
        "rows:cards.hp[A1 096]",
        "rows:cards.retreat[A1 096]",
        "rows:cards.weakness[A1 096]",
        "rows:cards.points[A1 096]",
        "rows:attacks.total[A1 096 0]",
        "rows:attacks.cost3[A1 096 0]",
    ],
)
def test_states_about_a_card_notice_its_wrong_numbers(everything, start):
    card = by_print("A1 096")
    traces = list(facts.traces(0, [card]))
    with mutated(named(everything, start)) as loaded:
        compare = loaded["envwright.zoo.tcgpocket.checks.compare"].differences
        make = loaded["envwright.zoo.tcgpocket.checks.engines"].on_numpy
        assert compare(make, traces, 1)


def test_a_mutant_is_asked_about_games_with_its_card_only(everything):
    traces = [t for n in ("A1 096", "A1 001") for t in facts.traces(0, [by_print(n)])]
    original = engines.concerned(traces)
    assert original == traces
    with mutated(named(everything, "rows:cards.hp[A1 096]")) as loaded:
        some = loaded["envwright.zoo.tcgpocket.checks.engines"].concerned(traces)
    number = by_print("A1 096").number
    assert 0 < len(some) < len(traces)
    assert all(number in engines._cards(trace) for trace in some)
