"""The tables hold what the pinned packages hold."""

import jax
import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.names import NAMES, move_flag, to_id
from envwright.zoo.pokemon.reference import why_not
from envwright.zoo.pokemon.reference.columns import arrays
from envwright.zoo.pokemon.reference.extract import dump, provenance
from envwright.zoo.pokemon.reference.vocabulary import Vocabulary
from envwright.zoo.pokemon.tables import DATA, load

needs_showdown = pytest.mark.skipif(bool(why_not()), reason=why_not())


def test_rows_and_names_agree_in_number():
    tables = load()
    for kind, column in {
        "species": tables.species.num,
        "moves": tables.moves.power,
        "abilities": tables.abilities.flags,
        "items": tables.items.fling_power,
        "natures": tables.natures.plus,
        "volatiles": tables.volatiles.duration,
    }.items():
        assert len(NAMES.list(kind)) == len(column), kind


def test_every_row_stands_under_its_own_name():
    for kind in ("species", "moves", "abilities", "items"):
        for number, name in enumerate(NAMES.list(kind)):
            assert to_id(NAMES.title(kind, number)) == name or not name.isascii()


@pytest.mark.parametrize(
    ("move", "column", "value"),
    [
        ("earthquake", "power", 100),
        ("waterspout", "pp", 8),  # after Hidden Power in the alphabet
        ("swift", "accuracy", 0),
        ("tripleaxel", "hits", [3, 3]),
        ("bulletseed", "hits", [2, 5]),
        ("flareblitz", "recoil", [33, 100]),
        ("uturn", "self_switch", 1),
        ("closecombat", "self_boosts", [0, -1, 0, -1, 0, 0, 0]),
        ("bodypress", "offensive_stat", 2),
        ("psyshock", "defensive_stat", 2),
        ("seismictoss", "fixed_damage", -1),
        ("icefang", "secondary_chance", [10, 10, 0]),
        ("thunderwave", "ignore_immunity", 0),
    ],
)
def test_known_moves_have_their_known_data(move, column, value):
    assert np.array_equal(getattr(load().moves, column)[NAMES.move(move)], value)


def test_water_douses_fire_and_ghosts_ignore_normal_moves():
    types = load().types
    water, fire, ghost = map(NAMES.type, ("Water", "Fire", "Ghost"))
    assert types.exponent[water, fire] == 1
    assert types.exponent[fire, water] == -1
    assert types.immune[NAMES.type("Normal"), ghost]
    assert types.immunities[NAMES.type("Electric")] & NAMES.bits("type_immunities", "par")


def test_flags_are_bits():
    flags = load().moves.flags
    word, bit = move_flag("sound")
    assert flags[NAMES.move("hypervoice"), word] >> bit & 1
    assert not flags[NAMES.move("earthquake"), word] >> bit & 1


def test_an_item_is_kept_by_the_species_it_is_bound_to():
    tables = load()
    plate, core = NAMES.item("flameplate"), NAMES.item("griseouscore")
    arceus, giratina = NAMES.one_species("arceusfire"), NAMES.one_species("giratinaorigin")
    assert tables.items.kept_by[plate] == tables.species.keeper[arceus] > 0
    assert tables.items.kept_by[core] == tables.species.keeper[giratina] > 0
    assert tables.species.keeper[NAMES.one_species("snorlax")] == 0


def test_tables_are_a_pytree_of_whole_numbers():
    leaves = jax.tree.leaves(load())
    assert all(leaf.dtype in (np.int32, np.bool_) for leaf in leaves)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(EnvwrightError, match="did you mean 'earthquake'"):
        NAMES.move("earthquak")


@needs_showdown
@pytest.mark.slow
def test_the_committed_tables_are_those_of_the_package():
    data = dump()
    made = arrays(data, Vocabulary.of(data))
    with np.load(DATA / "tables.npz") as stored:
        assert set(stored.files) == set(made)
        for name, column in made.items():
            assert np.array_equal(stored[name], column), name
    assert NAMES.provenance == provenance()
