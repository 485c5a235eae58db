"""Level 1 of the Rust battles' tables: compare every number that they share with the room's.

Both are made from the pinned package, each by its own script; `tables.check_tables` holds the
room's to the package itself.
"""

from __future__ import annotations

import re

import numpy as np

from envwright._native import PokemonBattles
from envwright.zoo.pokemon.names import NAMES, move_flag
from envwright.zoo.pokemon.tables import load

# Columns of Rust that number conditions by its own list, and the room's list of their names.
_CONDITIONS = {
    "status": "statuses", "volatile": "volatiles", "side_condition": "side_conditions",
    "slot_condition": "slot_conditions", "weather": "weathers", "terrain": "terrains",
    "pseudo_weather": "pseudo_weathers",
}  # fmt: skip
_YES_OR_NO = ("moves.ohko", "moves.self_switch")  # the room distinguishes kinds


def shared_columns() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the room's and Rust's columns as flat arrays, by name."""
    rust = dict(PokemonBattles.tables())
    flags = {"moves.flags": rust.pop("move_flags"), "abilities.flags": rust.pop("ability_flags")}
    found = {}
    for name, theirs in rust.items():
        if name in flags:
            for bit, flag in enumerate(flags[name]):
                has = _has_flag(name, flag.lower())
                found[f"{name} {flag.lower()}"] = has, theirs >> bit & 1
            continue
        table, column = name.split(".")
        ours = np.asarray(getattr(getattr(load(), table), column))
        found[name] = _alike(name, ours, theirs)
    return found


def _has_flag(name: str, flag: str) -> np.ndarray:
    if name == "abilities.flags":
        bit = NAMES.list("ability_flags")[1:].index(flag)
        return np.asarray(load().abilities.flags) >> bit & 1
    word, bit = move_flag({one.lower(): one for one in NAMES.list("move_flags")}[flag])
    return np.asarray(load().moves.flags)[:, word] >> bit & 1


def _alike(name: str, ours: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Convert both to one numbering."""
    kind = _CONDITIONS.get(re.sub(r"^moves\.(secondary_)?(self_)?", "", name))
    if kind:
        listed = ("", *PokemonBattles.names("conditions"))
        # Rust does not play what it does not know: see `rules` of its moves.
        number = {one: listed.index(one) if one in listed else 0 for one in NAMES.list(kind)}
        ours = np.asarray([number[one] for one in NAMES.list(kind)])[ours]
    if name in _YES_OR_NO:
        ours = ours > 0
    if name == "moves.hits":
        ours = np.where(ours == 1, 0, ours)  # a single hit
    if name.startswith("types."):
        most = len(ours)
        theirs = theirs.reshape(21, 21)[:most, :most]  # and one for what was burnt away
    return ours.reshape(-1), theirs.reshape(-1)


def differing() -> list[str]:
    """Yield one sentence for every number that differs."""
    said = []
    for name, (ours, theirs) in shared_columns().items():
        if ours.shape != theirs.shape:
            said.append(f"{name} has {ours.size} numbers in the room and {theirs.size} in Rust")
            continue
        for at in np.flatnonzero(ours.astype(np.int64) != theirs):
            said.append(f"{_place(name, int(at), ours.size)} is {ours[at]} in the room's tables "
                        f"and {theirs[at]} in those of Rust")  # fmt: skip
    return said


def _place(name: str, at: int, size: int) -> str:
    table = name.partition(".")[0]
    rows = len(NAMES.list(table))
    row, rest = divmod(at, max(size // rows, 1))
    return f"{name} of {NAMES.list(table)[row] or 'none'}" + (f" [{rest}]" if rest else "")
