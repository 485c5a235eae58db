"""Compile rows to arrays that lanes can index."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from envwright.core.arrays import Array
from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.effects.abilities import ABILITIES
from envwright.zoo.pokemon.effects.items import ITEMS
from envwright.zoo.pokemon.effects.rows import Event, Gate, Modifier, Reply, Row, Trigger
from envwright.zoo.pokemon.names import NAMES, move_flag
from envwright.zoo.pokemon.tables import load

BOOSTS = ("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")
ANY = -1


class Modifiers(NamedTuple):
    """`[event * 2 + of_target, id]`."""

    guard: Array  # int32, bits of Fact
    types: Array  # int32, bits of types
    factor: Array  # int32, 0: no row
    priority: Array  # int32


class Gates(NamedTuple):
    """`[id]`; `types` 0 and flags 0: no row."""

    types: Array  # int32, bits of types
    flags: Array  # int32[2, id], bits of move flags
    heal: Array  # int32
    boost: Array  # int32, stat + 1, 0 none
    stages: Array  # int32
    flag: Array  # int32, Flag + 1, 0 none


class Replies(NamedTuple):
    """`[trigger, id]`; `op` 0: no row."""

    op: Array  # int32
    arg: Array  # int32
    boosts: Array  # int32[7, trigger, id]
    on_other: Array  # bool
    guard: Array  # int32
    types: Array  # int32
    chance: Array  # int32, numerator
    out_of: Array  # int32, denominator; 1 draws nothing
    order: Array  # int32
    sub_order: Array  # int32
    priority: Array  # int32


class Rows(NamedTuple):
    """All rows."""

    ability_modifiers: Modifiers
    item_modifiers: Modifiers
    gates: Gates
    ability_replies: Replies
    item_replies: Replies


class Rules(NamedTuple):
    """Everything that the engine looks up; a pytree, so that compiled programs take any tables."""

    tables: Any
    rows: Rows


def _bits(numbers: Any) -> int:
    return sum(1 << int(n) for n in numbers)


def _types(names: tuple[str, ...]) -> int:
    return _bits(NAMES.type(n) for n in names) if names else ANY


def _once(taken: set, key: tuple, name: str) -> None:
    if key in taken:
        raise EnvwrightError(
            f"{name} has two rows for the same place; write a rule for one of them"
        )
    taken.add(key)


def _numbered(kind: str, named: dict[str, list[Row]]) -> list[tuple[int, str, Row]]:
    return [(NAMES.number(kind, n), n, row) for n, rows in named.items() for row in rows]


def _modifiers(kind: str, named: dict[str, list[Row]]) -> Modifiers:
    shape = (len(Event) * 2, len(NAMES.list(kind)))
    out = Modifiers(*(np.zeros(shape, np.int32) for _ in Modifiers._fields))
    taken: set = set()
    for number, name, row in _numbered(kind, named):
        if isinstance(row, Modifier):
            at = row.event * 2 + row.of_target, number
            _once(taken, at, name)
            out.guard[at], out.types[at] = _bits(row.guard), _types(row.types)
            out.factor[at], out.priority[at] = row.factor, row.priority
    return out


def _gates() -> Gates:
    count = len(NAMES.abilities)
    out = Gates(*(np.zeros((2, count) if f == "flags" else count, np.int32) for f in Gates._fields))
    taken: set = set()
    for number, name, row in _numbered("abilities", ABILITIES):
        if isinstance(row, Gate):
            _once(taken, (number,), name)
            out.types[number] = _types(row.types) if row.types else 0
            for flag in row.flags:
                word, bit = move_flag(flag)
                out.flags[word, number] |= 1 << bit
            out.heal[number] = row.heal
            if row.boost:
                out.boost[number] = BOOSTS.index(row.boost[0]) + 1
                out.stages[number] = row.boost[1]
            out.flag[number] = 0 if row.flag is None else row.flag + 1
    return out


def _replies(kind: str, named: dict[str, list[Row]]) -> Replies:
    shape = (len(Trigger), len(NAMES.list(kind)))
    columns = {f: np.zeros(shape, np.int32) for f in Replies._fields}
    columns |= {"boosts": np.zeros((7, *shape), np.int32), "on_other": np.zeros(shape, bool)}
    out = Replies(**columns)
    taken: set = set()
    for number, name, row in _numbered(kind, named):
        if isinstance(row, Reply):
            at = row.trigger, number
            _once(taken, at, name)
            out.op[at], out.arg[at], out.on_other[at] = row.op, row.arg, row.on_other
            for stat, stages in row.boosts:
                out.boosts[(BOOSTS.index(stat), *at)] = stages
            out.guard[at], out.types[at] = _bits(row.guard), _types(row.types)
            out.chance[at], out.out_of[at] = row.chance
            out.order[at], out.sub_order[at] = row.order, row.sub_order
            out.priority[at] = row.priority
    return out


def rules() -> Rules:
    """Return the committed tables and all rows, as NumPy arrays."""
    return Rules(
        load(),
        Rows(
            _modifiers("abilities", ABILITIES),
            _modifiers("items", ITEMS),
            _gates(),
            _replies("abilities", ABILITIES),
            _replies("items", ITEMS),
        ),
    )
