"""Named numbers, tables, and called helpers of a module."""

from __future__ import annotations

import enum
import keyword
import math
import re
import textwrap
from typing import Any

import numpy as np

from envwright.agents.compiler import kinds
from envwright.agents.compiler.functions import Function
from envwright.agents.compiler.trouble import Unsupported
from envwright.agents.compiler.values import NamedFloat, NamedInt, Node, free_name, plain

SMALL = 24  # elements of a table that is written on one line


class Constants:
    """Names for numbers and tables, each once."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}  # name -> how it is written
        self._tables: dict[int, str] = {}
        self._avoided: set[str] = set()
        self.called: dict[Function, None] = {}  # helpers, in the order of their first call

    def call(self, function: Function) -> None:
        """Note that this module calls a helper."""
        self.called.setdefault(function)

    def avoid(self, names: set[str]) -> None:
        """Reserve names that a function of this module uses otherwise."""
        self._avoided |= names

    def number(self, value: Any) -> str:
        """Return a known number, by its name if the source has one."""
        if isinstance(value, NamedFloat | NamedInt) and value.label:
            return self._labelled(value)
        if isinstance(value, enum.IntEnum):
            return self._named(f"{type(value).__name__}_{value.name}", written(int(value)))
        return written(value)

    def _labelled(self, value: Any) -> str:
        sign = "-" if value.label.startswith("-") else ""
        bare = -plain(value) if sign else plain(value)
        return sign + self._named(value.label, written(bare))

    def table(self, node: Node) -> str:
        """Return the name of a known array."""
        if id(node) not in self._tables:
            self._tables[id(node)] = self._named(node.hint or "TABLE", _array(node.like))
        return self._tables[id(node)]

    def _named(self, label: str, text: str) -> str:
        name = re.sub(r"\W+", "_", label).strip("_").upper() or "TABLE"
        name = f"N_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name
        name = free_name(name, lambda n: self._values.get(n, text) != text or n in self._avoided)
        self._values[name] = text
        return name

    def take(self, other: Constants) -> None:
        """Add another module's constants. A name must not mean two things."""
        for name, text in other._values.items():
            if self._values.get(name, text) != text:
                raise Unsupported(f"two constants that are called {name}")
            self._values[name] = text
        self.called |= other.called

    def lines(self) -> list[str]:
        """Return their definitions."""
        return [f"{name} = {text}" for name, text in self._values.items()]

    @property
    def names(self) -> set[str]:
        return set(self._values)


def written(value: Any) -> str:
    """Format a number as the program writes it."""
    value = plain(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if math.isinf(value):
            return "jnp.inf" if value > 0 else "-jnp.inf"
        if math.isnan(value):
            return "jnp.nan"
    return repr(value)


def _array(value: np.ndarray) -> str:
    dtype = kinds.word(value.dtype).replace("jnp.", "np.")
    if value.size <= SMALL:
        return f"np.array({nested(value)}, {dtype})"
    # One row per line would be long, and broken rows hard to read.
    rows = textwrap.wrap(nested(value, "~"), 94, break_on_hyphens=False)
    lines = "\n".join(f"    {row}" for row in rows).replace("~", " ")
    return f"np.array(\n{lines},\n    {dtype},\n)  # fmt: skip"


def nested(value: np.ndarray, gap: str = " ") -> str:
    """Format as nested lists, with `gap` between the elements of a row."""
    if value.ndim == 0:
        return written(value[()])
    if value.ndim > 1:
        return f"[{', '.join(nested(row, gap) for row in value)}]"
    items = [written(item).replace("jnp.", "np.") for item in value]
    whole = f",{gap}".join(items)
    return f"[{whole}]" if len(whole) < 90 else f"[{', '.join(items)}]"
