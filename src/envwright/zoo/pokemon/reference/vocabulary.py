"""The numbers of names. Lists are 1-based: number 0 is "none" everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from envwright.errors import EnvwrightError

STATS = ("hp", "atk", "def", "spa", "spd", "spe")
BOOSTS = ("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")
CATEGORIES = ("Physical", "Special", "Status")  # 0-based
STATUSES = ("brn", "par", "slp", "frz", "psn", "tox")
GENDERS = ("M", "F", "N")  # 0: either
TYPE_IMMUNITIES = (  # bits of `types.immunities`
    "par", "brn", "frz", "psn", "tox", "sandstorm", "hail", "powder", "prankster", "trapped",
)  # fmt: skip
NONSTANDARD = ("Past", "LGPE", "Unobtainable", "Gigantamax", "Future", "CAP", "Custom")
SPECIES_TAGS = ("Sub-Legendary", "Restricted Legendary", "Mythical", "Ultra Beast", "Paradox")
MOST_FLAGS_IN_A_WORD = 30  # words are int32 and stay positive


def number(names: tuple[str, ...], name: Any) -> int:
    """Return the 1-based number of a name; 0 for none. Names that are ids are compared as ids."""
    if name in (None, "", False):
        return 0
    return names.index(name) + 1


def ident(text: Any) -> str:
    """Return a name as the package's id: lower case letters and digits only."""
    return "".join(letter for letter in str(text or "").lower() if letter.isalnum())


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


@dataclass(frozen=True)
class Vocabulary:
    """All lists of names; those of the package sorted by id."""

    species: tuple[str, ...]
    moves: tuple[str, ...]
    abilities: tuple[str, ...]
    items: tuple[str, ...]
    natures: tuple[str, ...]
    types: tuple[str, ...]  # Bug..Water, then Stellar; a type "???" is 0
    targets: tuple[str, ...]
    move_flags: tuple[str, ...]
    ability_flags: tuple[str, ...]
    callbacks: tuple[str, ...]  # names of the callbacks that moves have
    volatiles: tuple[str, ...]
    side_conditions: tuple[str, ...]
    slot_conditions: tuple[str, ...]
    pseudo_weathers: tuple[str, ...]
    weathers: tuple[str, ...]
    terrains: tuple[str, ...]

    @classmethod
    def of(cls, data: dict[str, Any]) -> Vocabulary:
        """Collect the names that occur in the package's data."""
        for kind in ("species", "moves", "abilities", "items", "natures"):
            ids = [entry["id"] for entry in data[kind]]
            if len(set(ids)) < len(ids):
                raise EnvwrightError(f"two {kind} share an id; rows and names would not agree")
        moves = data["moves"]
        used = {
            field: _sorted(ident(m[field]) for m in moves if m.get(field))
            for field in ("sideCondition", "slotCondition", "pseudoWeather", "terrain")
        }
        weathers = ("raindance", "primordialsea", "sunnyday", "desolateland", "sandstorm", "hail",
                    "snowscape", "deltastream")  # fmt: skip
        placed = {
            *weathers,
            *STATUSES,
            "futuremove",
            *(n for names in used.values() for n in names),
        }
        volatiles = {
            *data["literal_volatiles"],
            *data["conditions"],
            *(ident(part["volatileStatus"]) for m in moves for part in _parts(m)
              if part.get("volatileStatus")),
            *(e["id"] for kind in ("moves", "abilities", "items") for e in data[kind]
              if e.get("condition")),
            *(m["id"] for m in moves if "charge" in m["flags"]),
        }  # fmt: skip
        chart = [t["name"] for t in data["types"] if t["name"] != "Stellar"]
        return cls(
            species=_sorted(s["id"] for s in data["species"]),
            moves=_sorted(m["id"] for m in moves),
            abilities=_sorted(a["id"] for a in data["abilities"]),
            items=_sorted(i["id"] for i in data["items"]),
            natures=_sorted(n["id"] for n in data["natures"]),
            types=(*sorted(chart), "Stellar"),
            targets=_sorted(m["target"] for m in moves),
            move_flags=_sorted(f for m in moves for f in m["flags"]),
            ability_flags=_sorted(f for a in data["abilities"] for f in a["flags"]),
            callbacks=_sorted(k for m in moves for k, v in m.items() if v == "<callback>"),
            volatiles=_sorted(volatiles - placed),
            side_conditions=used["sideCondition"],
            slot_conditions=_sorted({*used["slotCondition"], "futuremove"}),
            pseudo_weathers=used["pseudoWeather"],
            weathers=weathers,
            terrains=used["terrain"],
        )

    def document(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the JSON document: ids, and for people names and the species' relatives."""
        lists = {field.name: list(getattr(self, field.name)) for field in fields(self)}
        titles = {
            f"{kind}_titles": [e["name"] for e in sorted(data[kind], key=lambda e: e["id"])]
            for kind in ("species", "moves", "abilities", "items", "natures")
        }
        return {
            **lists,
            **titles,
            "statuses": list(STATUSES),
            "stats": list(STATS),
            "boosts": list(BOOSTS),
            "categories": list(CATEGORIES),
            "genders": list(GENDERS),
            "nonstandard": list(NONSTANDARD),
            "species_tags": list(SPECIES_TAGS),
            "type_immunities": list(TYPE_IMMUNITIES),
        }


def _parts(move: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the move's effect on its target, on its user, and its secondary ones."""
    rest = move.get("secondaries") or []
    return [move, move.get("self") or {}, *rest, *(part.get("self") or {} for part in rest)]
