"""The options of this game on any engine: view, opponent, decks, settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from envwright.core.spaces import Box
from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket import deck_lists, features
from envwright.zoo.tcgpocket.contract.observation import LENGTH
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.decks import Deck

VIEWS = ("raw", "features")


def obs_space(view: str) -> Box:
    """Return the space of a view."""
    if view not in VIEWS:
        raise EnvwrightError(f"view is {' or '.join(VIEWS)}, not '{view}'")
    if view == "raw":
        return Box(-(2**15), 2**15 - 1, (LENGTH,), np.int16)
    return Box(-np.inf, np.inf, (features.SIZE,), np.float32)


def playable_decks(decks: str | Sequence[str | Deck] | None = None) -> list[Deck]:
    """Return the two named decks (also as `sparks,dojo`), or all, of which any two are drawn."""
    if decks is None:
        return [deck_lists.named(name) for name in deck_lists.LISTS]
    if not isinstance(decks, str | list | tuple):
        raise EnvwrightError(f"decks are two, such as 'sparks,dojo', not {decks!r}")
    both = decks.split(",") if isinstance(decks, str) else decks
    if len(both) != 2:
        raise EnvwrightError(f"a game is between two decks, not {len(both)}; write 'sparks,dojo'")
    return [_playable(deck) for deck in both]


def _playable(deck: Any) -> Deck:
    if not isinstance(deck, Deck | str):
        raise EnvwrightError(f"a deck is named by a text, such as 'sparks', not {deck!r}")
    return deck if isinstance(deck, Deck) else deck_lists.named(deck.strip())


def chosen_settings(settings: Settings | None, rules: dict[str, Any]) -> Settings:
    """Return the given settings, or single ones by name."""
    if settings is not None and rules:
        raise EnvwrightError("give settings, or single rules by keyword, not both")
    known = [one.name for one in fields(Settings)]
    for name in rules:
        if name not in known:
            raise EnvwrightError(f"there is no setting '{name}'; there are {', '.join(known)}")
    return settings or Settings(**rules)
