"""What a user may choose of this game, whatever engine it is played on: view, opponent, decks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from envwright.core.spaces import Box
from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket import deck_lists, features, opponents
from envwright.zoo.tcgpocket.contract.observation import LENGTH
from envwright.zoo.tcgpocket.decks import Deck

VIEWS = ("raw", "features")


def obs_space(view: str) -> Box:
    """The space of a view."""
    if view not in VIEWS:
        raise EnvwrightError(f"view is {' or '.join(VIEWS)}, not '{view}'")
    if view == "raw":
        return Box(-(2**15), 2**15 - 1, (LENGTH,), np.int16)
    return Box(-np.inf, np.inf, (features.SIZE,), np.float32)


def check_opponent(name: str | None) -> None:
    """Refuses opponents that there are not."""
    if name is not None and name not in opponents.OPPONENTS:
        known = ", ".join(opponents.OPPONENTS)
        raise EnvwrightError(f"there is no opponent '{name}'; there are {known}")


def playable_decks(decks: str | Sequence[str | Deck] | None = None) -> list[Deck]:
    """The two decks that are named (also as `sparks,dojo`), or all that any two are drawn from."""
    if decks is None:
        return [deck_lists.named(name) for name in deck_lists.LISTS]
    both = decks.split(",") if isinstance(decks, str) else list(decks)
    if len(both) != 2:
        raise EnvwrightError(f"a game is between two decks, not {len(both)}; write 'sparks,dojo'")
    return [deck if isinstance(deck, Deck) else deck_lists.named(deck) for deck in both]
