"""The tables of Rust and of the room say the same, and a number that differs is named."""

import numpy as np

from envwright.zoo.pokemon.checks import native_tables, tables
from envwright.zoo.pokemon.names import NAMES


def test_every_shared_number_is_the_same():
    shared = native_tables.shared_columns()
    assert native_tables.differing() == []
    assert len(shared) > 90 and sum(ours.size for ours, _ in shared.values()) > 80_000
    assert {"species.base_stats", "moves.power", "moves.flags contact", "types.exponent"} <= set(
        shared
    )


def test_a_number_that_differs_is_named(monkeypatch):
    wrong = dict(native_tables.PokemonBattles.tables())
    row = NAMES.move("earthquake")
    wrong["moves.power"] = wrong["moves.power"].copy()
    wrong["moves.power"][row] = 110
    wrong["natures.plus"] = wrong["natures.plus"][:-1]

    class Wrong:
        names = native_tables.PokemonBattles.names
        tables = staticmethod(lambda: wrong)

    monkeypatch.setattr(native_tables, "PokemonBattles", Wrong)
    power, natures = native_tables.differing()
    assert power == (
        "moves.power of earthquake is 100 in the room's tables and 110 in those of Rust"
    )
    assert natures.startswith("natures.plus has 26 numbers in the room and 25")
    assert "earthquake" in tables._rust_divergence(power).field


def test_moves_that_are_more_than_data_are_the_same_in_both():
    from envwright.zoo.pokemon import support
    from envwright.zoo.pokemon.native import played

    plain = support._plain_moves()
    unknown = {"chloroblast", "fissure", "guillotine", "horndrill", "sheercold"}
    assert plain - played("moves") == unknown  # to the rules in Rust, which refuse them
    assert np.isin(list(played("moves") - plain), [a[2:] for a in _listed("m:")]).all()


def _listed(prefix):
    return [atom for atom in native_tables.PokemonBattles.supported() if atom.startswith(prefix)]
