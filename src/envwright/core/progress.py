"""How long work reports how far it has come."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # what is done, pieces done, pieces in all
Say = Callable[[str], object]  # a line about what begins now


def quiet(*_: object) -> None:
    """Ignore progress."""
