"""Small numbers packed into words of 31 bits, so that one look-up brings many facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from envwright.errors import EnvwrightError

WORD = 31  # bits in use; the sign stays clear


class Packing:
    """Named fields of some width, laid out over words in the order given."""

    def __init__(self, **widths: int) -> None:
        self.places: dict[str, tuple[int, int, int]] = {}
        word, shift = 0, 0
        for name, width in widths.items():
            if shift + width > WORD:
                word, shift = word + 1, 0
            self.places[name] = (word, shift, (1 << width) - 1)
            shift += width
        self.words = word + 1

    def pack(self, columns: Mapping[str, Any], rows: int) -> np.ndarray:
        """Pack one column for each field into int32[words, rows]; absent ones are 0."""
        packed = np.zeros((self.words, rows), np.int64)
        for name, values in columns.items():
            word, shift, mask = self.places[name]
            values = np.asarray(values, np.int64)
            if ((values < 0) | (values > mask)).any():
                raise EnvwrightError(f"field '{name}' has a value outside 0 to {mask}; widen it")
            packed[word] |= values << shift
        return packed.astype(np.int32)

    def get(self, words: Any, name: str) -> Any:
        """Return a field of packed words [words, …]."""
        word, shift, mask = self.places[name]
        return (words[word] >> shift) & mask


class Fields:
    """Fields of packed words by name: `facts.hp`."""

    def __init__(self, packing: Packing, words: Any) -> None:
        self._packing, self._words = packing, words

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._packing.get(self._words, name)

    def tree_flatten(self) -> tuple[tuple[Any], Packing]:
        """Flatten for JAX: the words are data, the layout is not."""
        return (self._words,), self._packing

    @classmethod
    def tree_unflatten(cls, packing: Packing, words: tuple[Any]) -> Fields:
        """Unflatten for JAX."""
        return cls(packing, words[0])


jax.tree_util.register_pytree_node_class(Fields)
