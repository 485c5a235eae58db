"""Deck lists of our own making: prints with counts, and the energy they declare."""

from __future__ import annotations

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.decks import Deck, make

_BASE = {"P-A 005": 2, "P-A 007": 2}  # what finds a Basic, what draws two

LISTS: dict[str, tuple[str, dict[str, int]]] = {
    "sparks": (
        "L",
        _BASE
        | {"A1 096": 2, "A1 104": 2, "A1 105": 2, "A1 106": 2, "A1 112": 1}
        | {"A1 223": 2, "A1 225": 2, "P-A 001": 2, "P-A 002": 1},
    ),
    "wildfire": (
        "R",
        _BASE
        | {"A1 033": 2, "A1 034": 2, "A1 036": 2, "A1 047": 2, "A1 044": 1}
        | {"A1 223": 2, "A1 225": 2, "P-A 001": 2, "P-A 002": 1},
    ),
    "foxfire": (
        "R",
        _BASE
        | {"A1 037": 2, "A1 038": 2, "A1 042": 2, "A1 043": 2, "A1 044": 2}
        | {"A1 221": 2, "A1 225": 2, "P-A 002": 2},
    ),
    "tides": (
        "W",
        _BASE
        | {"A1 074": 2, "A1 076": 2, "A1 084": 2, "A1 087": 2, "A1 088": 1, "A1 089": 2}
        | {"A1 220": 2, "A1 225": 1, "P-A 001": 2},
    ),
    "deep sea": (
        "W",
        _BASE
        | {"A1 053": 2, "A1 054": 2, "A1 056": 2, "P-A 048": 2, "A1 079": 1}
        | {"A1 220": 2, "A1 223": 2, "P-A 001": 2, "P-A 003": 1},
    ),
    "meadow": (
        "G",
        _BASE
        | {"A1 001": 2, "A1 002": 2, "A1 004": 2, "A1 021": 2, "A1 023": 2}
        | {"A1 219": 2, "A1 223": 2, "P-A 001": 2},
    ),
    "mind games": (
        "P",
        _BASE
        | {"A1 129": 2, "A1 130": 2, "A1 131": 2, "A1 132": 2, "A1 127": 1}
        | {"A1 223": 1, "A1 225": 2, "P-A 001": 2, "P-A 002": 2},
    ),
    "night shift": (
        "P",
        _BASE
        | {"A1 120": 2, "A1 121": 2, "A1 123": 2, "A1 124": 2, "A1 125": 2}
        | {"A1 225": 2, "P-A 006": 2, "P-A 003": 1, "P-A 004": 1},
    ),
    "rockfall": (
        "F",
        _BASE
        | {"A1 147": 2, "A1 148": 2, "A1 149": 2, "A1 150": 2, "A1 151": 2, "A1 153": 2}
        | {"A1 224": 2, "P-A 001": 2},
    ),
    "dojo": (
        "F",
        _BASE
        | {"A1 143": 2, "A1 144": 2, "A1 146": 2, "A1 141": 2, "A1 142": 2, "A1 154": 2}
        | {"A1 223": 2, "P-A 002": 2},
    ),
    "fumes": (
        "D",
        _BASE
        | {"A1 176": 2, "A1 177": 2, "A1 174": 2, "A1 175": 2, "A1 164": 2, "A1 165": 2}
        | {"A1 222": 2, "A1 225": 2},
    ),
    "foundry": (
        "M",
        _BASE
        | {"A1 181": 2, "A1 182": 2, "A1 178": 2, "P-A 039": 2, "P-A 090": 2}
        | {"A2 147": 2, "A2 148": 2, "A1 223": 2},
    ),
    "storm dragons": (
        "WL",
        _BASE
        | {"A1 183": 2, "A1 184": 2, "A1 185": 2, "A1 103": 2, "P-A 063": 1}
        | {"A1 225": 2, "A1 223": 2, "P-A 001": 2, "P-A 004": 1},
    ),
    "museum": (
        "WF",
        _BASE
        | {"A1 216": 2, "A1 217": 2, "A1 218": 2, "A1 081": 1, "A1 158": 2, "A1 159": 1}
        | {"A1 210": 2, "A1 205": 1, "A1 209": 1, "A1 203": 2},
    ),
}


def named(name: str) -> Deck:
    """One of the decks in `LISTS`."""
    if name not in LISTS:
        raise EnvwrightError(f"there is no deck '{name}'; there are {', '.join(LISTS)}")
    types, cards = LISTS[name]
    return make(name, cards, types)
