"""The numbers of species, moves, abilities, items and conditions.

NAMES.move("earthquake")        # 208
NAMES.moves[208]                # "earthquake"; index 0 is ""
NAMES.volatile("leechseed")
move_flag("contact")            # (word, bit) in `tables.moves.flags`
"""

from __future__ import annotations

import difflib
import json
from functools import cached_property, partialmethod

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.tables import DATA

MOVE_FLAGS_IN_A_WORD = 30
SINGULAR = {
    "species": "species",
    "moves": "move",
    "abilities": "ability",
    "items": "item",
    "natures": "nature",
    "types": "type",
    "targets": "target",
    "callbacks": "callback",
    "volatiles": "volatile",
    "side_conditions": "side condition",
    "slot_conditions": "slot condition",
    "pseudo_weathers": "pseudo-weather",
    "weathers": "weather",
    "terrains": "terrain",
    "statuses": "status",
    "genders": "gender",
}


def to_id(text: object) -> str:
    """Return a name as Showdown's id: its lower case ASCII letters and digits."""
    lower = str(text or "").lower()
    return "".join(c for c in lower if c.isascii() and c.isalnum())


class Names:
    """The lists of `data/names.json`, each with number 0 for none."""

    @cached_property
    def _document(self) -> dict:
        return json.loads((DATA / "names.json").read_text())

    @cached_property
    def _index(self) -> dict[str, dict[str, int]]:
        return {kind: {n: i for i, n in enumerate(self.list(kind)) if n} for kind in SINGULAR}

    @property
    def provenance(self) -> dict:
        """Return the packages that the data were made from."""
        return self._document["provenance"]

    def list(self, kind: str) -> tuple[str, ...]:
        """Return the names of one kind ("moves", "volatiles", ...), with "" first."""
        return ("", *self._document[kind])

    def number(self, kind: str, name: str) -> int:
        """Return the number of a name of one kind; 0 for the empty name."""
        if not name:
            return 0
        try:
            return self._index[kind][name]
        except KeyError:
            near = difflib.get_close_matches(name, self._index[kind], 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise EnvwrightError(f"unknown {SINGULAR[kind]} '{name}'{hint}") from None

    def title(self, kind: str, number: int) -> str:
        """Return the name for people: "Earthquake" for the move number 208."""
        return self._document[f"{kind}_titles"][number - 1] if number else ""

    def bits(self, kind: str, *names: str) -> int:
        """Return a word with the bits of names in a list of flags set; bit 0 is the first."""
        listed = self._document[kind]
        return sum(1 << listed.index(name) for name in names)

    # The lists, index 0 empty.
    species = property(lambda self: self.list("species"))
    moves = property(lambda self: self.list("moves"))
    abilities = property(lambda self: self.list("abilities"))
    items = property(lambda self: self.list("items"))
    natures = property(lambda self: self.list("natures"))
    types = property(lambda self: self.list("types"))
    volatiles = property(lambda self: self.list("volatiles"))
    statuses = property(lambda self: self.list("statuses"))

    # The numbers of ids, and of types by name ("Fire").
    one_species = partialmethod(number, "species")
    move = partialmethod(number, "moves")
    ability = partialmethod(number, "abilities")
    item = partialmethod(number, "items")
    type = partialmethod(number, "types")
    volatile = partialmethod(number, "volatiles")


NAMES = Names()


def move_flag(name: str) -> tuple[int, int]:
    """Return word and bit of a move's flag in `tables.moves.flags`."""
    listed = NAMES._document["move_flags"]
    if name not in listed:
        raise EnvwrightError(f"unknown move flag '{name}'; known are {', '.join(listed)}")
    word, bit = divmod(listed.index(name), MOVE_FLAGS_IN_A_WORD)
    return word, bit
