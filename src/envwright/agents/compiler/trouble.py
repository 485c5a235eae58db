"""Constructs that cannot be translated: where they are, and what to do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A line of the reference's source."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Unsupported(Exception):
    """A construct that the compiler does not translate."""

    def __init__(self, construct: str, advice: str = "", place: Place | None = None) -> None:
        super().__init__(construct)
        self.construct, self.advice, self.place = construct, advice, place

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        advice = self.advice or "translate this by hand, or name another agent after the compiler"
        return f"{where}{self.construct}; {advice}"


class Impossible(Exception):
    """The reference itself would raise here, so no legal step gets here."""

    place: Place | None = None
    raised: type | None = None  # the class of an exception that the reference raises itself

    @property
    def description(self) -> str:
        """Describe what would be raised, and where."""
        return f"{self} ({self.place})" if self.place else str(self)


@contextlib.contextmanager
def standing_at(place: Place) -> Iterator[None]:
    """Add the innermost place to errors that have none, including those of the compiler itself."""
    try:
        yield
    except Exception as error:
        if place_of(error) is None:
            error.place = place  # type: ignore[attr-defined]
        raise


def place_of(error: BaseException) -> Place | None:
    """Return the line of the reference that was being translated when an error was raised."""
    return getattr(error, "place", None)
