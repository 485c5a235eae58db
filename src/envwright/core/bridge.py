"""Bridges: convert states between the reference's format and the twin's.

A room declares its bridge with these classes; verification uses it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

Fields = dict[str, np.ndarray]  # named values: a state, or the record of a step


class Bridge(Protocol):
    """Converts states. Fields that one side lacks are left out."""

    def to_twin(self, state: Fields) -> Fields:
        """Return the twin's state that corresponds to the reference's."""
        ...

    def to_reference(self, state: Fields) -> Fields:
        """Return the reference's fields that the twin's state determines."""
        ...


class SameNames:
    """A bridge between sides that use the same names and shapes."""

    def to_twin(self, state: Fields) -> Fields:
        return state

    def to_reference(self, state: Fields) -> Fields:
        return state

    def __str__(self) -> str:
        return "states have the same fields"


@dataclass(frozen=True)
class Columns:
    """A bridge between arrays of the reference and scalars of the twin, or the reverse.

    `pairs` maps a field of the reference to the twin's fields that hold its elements in
    order; a name alone renames a field.
    """

    pairs: dict[str, str | tuple[str, ...]]
    inferred: bool = False

    def to_twin(self, state: Fields) -> Fields:
        result: Fields = {}
        for ours, theirs in self.pairs.items():
            if isinstance(theirs, str):
                result[theirs] = state[ours]
            else:
                result |= dict(zip(theirs, np.ravel(state[ours]), strict=True))
        return result

    def to_reference(self, state: Fields) -> Fields:
        result: Fields = {}
        for ours, theirs in self.pairs.items():
            if isinstance(theirs, str):
                result[ours] = state[theirs]
            else:
                result[ours] = np.stack([state[name] for name in theirs], axis=-1)
        return result

    def __str__(self) -> str:
        said = ", ".join(
            f"{ours} = {theirs if isinstance(theirs, str) else '[' + ', '.join(theirs) + ']'}"
            for ours, theirs in self.pairs.items()
        )
        return f"states matched{' by position' if self.inferred else ''}: {said}"
