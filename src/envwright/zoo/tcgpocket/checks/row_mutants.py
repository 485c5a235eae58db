"""Wrong numbers in the rows of cards and attacks, as mutants of the module that packs them.

Every nonzero number is once set to zero and, if it is not a flag, once changed; types become
another type. Values that no rule reads are not mutated: a card's own number, names that nothing
evolves from and no rule asks for, Colorless in a cost beside its total.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator
from functools import cache

import numpy as np

from envwright.verify.adequacy.mutation.mutants import Mutant
from envwright.zoo.tcgpocket.cards import ENERGIES, Attack, Kind, load
from envwright.zoo.tcgpocket.checks.engines import ENGINE, TABLES
from envwright.zoo.tcgpocket.engine import tables
from envwright.zoo.tcgpocket.engine.rows import Source

ROWS = "rows"  # in place of a file
RETURN = "    return pack(rows())\n"
TYPES = ("type", "weakness")
YES_OR_NO = ("stage",)  # rules ask only whether it is a Basic
PACKINGS = {"cards": (tables.CARD, tables.SLOT), "attacks": (tables.ATTACK,)}


def mutants() -> list[tuple[str, Mutant]]:
    """Return all mutants, with the module that they change."""
    source = (importlib.resources.files(ENGINE) / "tables.py").read_text()
    start = source.index(RETURN)
    return [(TABLES, mutant) for mutant in _wrong_numbers(start)]


def _wrong_numbers(start: int) -> Iterator[Mutant]:
    for table, columns in tables.rows()._asdict().items():
        for column in sorted(columns.keys() - {"number"}):
            for row, before in enumerate(columns[column].tolist()):
                if _looked_up(table, column, row, columns):
                    for after in _otherwise(column, before, _most(table, column)):
                        if column == "total" and not after and not columns["colorless"][row]:
                            continue  # the types of the cost ask for all of it
                        yield _mutant(start, table, column, row, before, after)


def _looked_up(table: str, column: str, row: int, columns: dict[str, np.ndarray]) -> bool:
    """Return whether a rule reads a number: not every name, nor every cost in Colorless."""
    if column == "name":
        return row > 0 and columns[column][row] > 0 and _asked_for(row)
    if column == "colorless":  # beside `total` only where what remains of a cost counts
        return bool(columns[column][row] and columns["source"][row] == Source.EXTRA)
    if column == "damage":  # an attack may count its damage otherwise
        return bool(columns[column][row] and not columns["instead"][row])
    if table == "cards" and column in TYPES:
        return columns["hp"][row] > 0
    if column == "points":  # a trainer card is not knocked out
        return columns["hp"][row] > 0
    return bool(columns[column][row])


@cache
def _asked_for(number: int) -> bool:
    """Return whether a card's name matters: something evolves from it, or it is a Stadium."""
    card = load()[number]
    below = {other.evolves_from for other in load().values()}
    return card.name in below or card.kind == Kind.STADIUM


def _most(table: str, column: str) -> int:
    """Return the largest number that fits into a column."""
    return next(p.places[column][2] for p in PACKINGS[table] if column in p.places)


def _otherwise(column: str, before: int, most: int) -> list[int]:
    if column in TYPES:  # nothing is weak to Colorless, to Dragon or to none, nor asks for these
        return [0] if before >= ENERGIES else [(before + 1) % ENERGIES]
    if column in YES_OR_NO or most == 1:
        return [0]
    return sorted({0, before + 1 if before < most else before - 1})


def _mutant(start: int, table: str, column: str, row: int, before: int, after: int) -> Mutant:
    named = _names(table)[row]
    place = f"{table}.{column}[{named}]"
    change = (
        "    columns = rows()\n"
        f"    columns.{table}[{column!r}][{row}] = {after}\n"
        "    return pack(columns)\n"
    )
    return Mutant.of_table(ROWS, place, before, after, start, (RETURN, change))


@cache
def _names(table: str) -> dict[int, str]:
    """Return the name of a row: the first print of a card, and the place of an attack on it."""
    if table == "cards":
        return {0: "no card", **{number: card.prints[0] for number, card in load().items()}}
    names: dict[Attack, str] = {}
    for card in load().values():
        for place, attack in enumerate(card.attacks):
            names.setdefault(attack, f"{card.prints[0]} {place}")
    return dict(enumerate(names.values(), 1))
