"""Wrong numbers in the tables: they can be seeded, and level 1 of the tables names them."""

import importlib

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.verify.adequacy.mutate import mutate_room
from envwright.verify.adequacy.mutation.loading import load_mutant_package
from envwright.verify.replay import replay
from envwright.zoo.pokemon.checks import table_mutants, tables
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.reference import why_not

needs_showdown = pytest.mark.skipif(bool(why_not()), reason=why_not())
PACKAGES = ("envwright.zoo.pokemon", "envwright.zoo.pokemon.checks")


@pytest.fixture(scope="module")
def everything():
    return {mutant.id: (module, mutant) for module, mutant in table_mutants.mutants()}


@pytest.fixture(scope="module")
def source():
    return importlib.resources.files("envwright.zoo.pokemon").joinpath("tables.py").read_text()


def test_a_mutant_changes_the_one_number_that_it_names(everything, source):
    module, mutant = everything["tables.npz:moves.power[earthquake]:100->101"]
    before = importlib.import_module(module).load()
    with load_mutant_package(PACKAGES, {module: mutant.apply(source)}) as loaded:
        after = loaded[module].load()
    (changed,) = np.flatnonzero(before.moves.power != after.moves.power)
    assert changed == NAMES.move("earthquake") and after.moves.power[changed] == 101
    assert np.array_equal(before.moves.accuracy, after.moves.accuracy)


def test_numbers_of_what_is_in_no_battle_are_left_alone(everything):
    assert not any("[transform]" in name for name in everything)
    assert len(everything) > 10_000


@needs_showdown
def test_level_1_names_a_wrong_number(everything, source):
    module, mutant = everything["tables.npz:moves.power[earthquake]:100->101"]
    assert tables.check_tables(mutant=True).verdict == "equal"
    with load_mutant_package(PACKAGES, {module: mutant.apply(source)}) as loaded:
        found = loaded["envwright.zoo.pokemon.checks.tables"].check_tables(mutant=True)
    (wrong,) = found.divergences
    assert (wrong.reference_value, wrong.twin_value) == (100, 101)
    assert wrong.field == f"moves.power[{NAMES.move('earthquake')}]"
    assert not replay(wrong).shows


@pytest.mark.slow
def test_mutants_are_not_judged_without_the_reference(monkeypatch):
    monkeypatch.setattr(tables, "why_not", lambda: "install node")
    with pytest.raises(EnvwrightError, match="install node"):
        mutate_room("pokemon", most=1, files="tables.npz")
