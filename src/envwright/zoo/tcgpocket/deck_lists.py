"""Deck lists of our own making, from `deck_lists.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.decks import Deck, make

LISTS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def named(name: str) -> Deck:
    """Return one of the decks in `LISTS`."""
    if name not in LISTS:
        raise EnvwrightError(f"there is no deck '{name}'; there are {', '.join(LISTS)}")
    told = LISTS[name]
    cards = dict.fromkeys(told["twice"], 2) | dict.fromkeys(told.get("once", ()), 1)
    return make(name, cards, told["energy"])
