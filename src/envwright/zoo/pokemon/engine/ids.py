"""The numbers of the names that rules mention."""

from __future__ import annotations

from envwright.zoo.pokemon.names import NAMES, move_flag


class _Ids:
    """Attribute access to numbers: `MOVE.knockoff`."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __getattr__(self, name: str) -> int:
        return NAMES.number(self._kind, name)


MOVE = _Ids("moves")
ABILITY = _Ids("abilities")
ITEM = _Ids("items")
SPECIES = _Ids("species")
TYPE = _Ids("types")
TARGET = _Ids("targets")
VOLATILE = _Ids("volatiles")
SIDE = _Ids("side_conditions")
SLOT = _Ids("slot_conditions")
PSEUDO = _Ids("pseudo_weathers")
TERRAIN = _Ids("terrains")

IMMUNITY = {
    name: bit
    for bit, name in enumerate(
        ("par", "brn", "frz", "psn", "tox", "sandstorm", "hail", "powder", "prankster", "trapped")
    )
}
BREAKABLE = NAMES.bits("ability_flags", "breakable")
FLAG = {name: move_flag(name) for name in (
    "bite", "bullet", "bypasssub", "cantusetwice", "charge", "contact", "defrost", "failencore",
    "futuremove", "heal", "mustpressure", "nosleeptalk", "powder", "protect", "pulse", "punch",
    "reflectable", "slicing", "sound", "wind",
)}  # fmt: skip
