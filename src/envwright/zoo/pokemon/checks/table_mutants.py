"""Wrong numbers in the tables of Pokemon battles, as mutants of the module that loads them.

Every nonzero number that can occur in a battle is once set to zero and, if it is not a flag, once
changed. Level 1 compares the tables with the pinned package number by number
(`tables.check_tables`) and so names every one of them; `envwright mutate pokemon --files tables.npz
--probes '*levels*'` leaves that out, and shows whether battles would notice it.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator

import numpy as np

from envwright.verify.adequacy.mutation.mutants import Mutant
from envwright.zoo.pokemon import pool, support
from envwright.zoo.pokemon.engine.ids import FLAG
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.tables import load

MODULE = "envwright.zoo.pokemon.tables"
FILE = "tables.npz"
RETURN = "    return Tables(**tables)\n"
# what the rules look up; the other columns are for making tables and teams
COLUMNS = {
    "species": ("types", "weight_hg", "nfe"),
    "moves": (
        "power", "accuracy", "type", "category", "priority", "target", "crit_ratio",
        "will_crit", "flags", "hits", "multiaccuracy", "drain", "recoil", "heal",
        "fixed_damage", "ohko", "self_destruct", "self_switch", "force_switch",
        "breaks_protect", "thaws_target", "crash", "mind_blown", "steals_boosts",
        "sleep_usable", "stalling", "ignore_ability", "ignore_defensive", "ignore_evasion",
        "ignore_immunity", "offensive_stat", "offensive_target", "defensive_stat", "boosts",
        "has_boosts", "status", "volatile", "side_condition", "pseudo_weather",
        "slot_condition", "weather", "terrain", "self_boost_after", "has_self_boost_after",
        "has_self", "self_chance", "self_boosts", "self_has_boosts", "self_volatile",
        "secondaries", "secondary_chance", "secondary_boosts", "secondary_has_boosts",
        "secondary_status", "secondary_volatile", "secondary_self_boosts",
        "secondary_self_has_boosts",
    ),
    "items": ("is_berry", "is_choice"),
    "types": ("exponent", "immune"),
}  # fmt: skip
BITS = ("flags", "ignore_immunity")  # words, of which one bit is cleared


def mutants() -> list[tuple[str, Mutant]]:
    """Return all mutants, with the module that they change."""
    source = (importlib.resources.files("envwright.zoo.pokemon") / "tables.py").read_text()
    start = source.index(RETURN)
    return [(MODULE, mutant) for mutant in _wrong_numbers(start)]


def _wrong_numbers(start: int) -> Iterator[Mutant]:
    tables = load()
    for table, columns in COLUMNS.items():
        rows = _in_battles(table)
        for column in columns:
            values = getattr(getattr(tables, table), column)
            for index in map(tuple, np.argwhere(values != 0)):
                if index[0] in rows:
                    for after in _otherwise(column, values[index], index):
                        yield _mutant(start, table, column, index, values[index], after)


def _in_battles(table: str) -> frozenset[int]:
    """Return the rows that a battle can look up."""
    if table in ("moves", "items"):
        return frozenset(NAMES.number(table, name) for name in support.supported(table))
    if table == "species":
        return frozenset(NAMES.one_species(one.species) for team in pool.teams() for one in team)
    return frozenset(range(len(NAMES.list(table))))


def _otherwise(column: str, value: np.generic, index: tuple[int, ...]) -> list[int]:
    if isinstance(value, np.bool_):
        return [False]
    number = int(value)
    if column == "flags":
        known = sorted(bit for word, bit in FLAG.values() if word == index[1])
        return [number & ~(1 << bit) for bit in known if number >> bit & 1]
    return [0] if column in BITS or number == -1 else [0, number + 1]


def _mutant(
    start: int, table: str, column: str, index: tuple[int, ...], before: np.generic, after: int
) -> Mutant:
    place = f"{table}.{column}[{', '.join([NAMES.list(table)[index[0]], *map(str, index[1:])])}]"
    where = ", ".join(str(int(i)) for i in index)
    change = (
        f"    column = tables[{table!r}].{column}.copy()\n"
        f"    column[{where}] = {after}\n"
        f"    object.__setattr__(tables[{table!r}], {column!r}, column)\n"
    )
    return Mutant.of_table(FILE, place, before, after, start, (RETURN, change + RETURN))
