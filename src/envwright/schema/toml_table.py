"""Read tables of a TOML file key by key; errors name their line."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from envwright.errors import EnvwrightError
from envwright.schema.toml_file import Place, TomlFile

T = TypeVar("T")
_REQUIRED: Any = object()
_WORDS: dict[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


class Table:
    """One table. Every key must be asked for, so that a slip of the pen is not ignored."""

    def __init__(self, file: TomlFile, place: Place, data: Any) -> None:
        self.file, self.place = file, place
        if not isinstance(data, dict):
            raise self.wrong("", f"{self._name} is a table, not {_short(data)}")
        self.data: dict[str, Any] = data
        self._asked: list[str] = []

    def get(self, key: str, kind: type[T], default: T = _REQUIRED) -> T:
        """The value of a key; without a default the key is required."""
        self._asked.append(key)
        if key not in self.data:
            if default is _REQUIRED:
                raise self.wrong("", f"{self._name} needs {key!r}: {_WORDS[kind]}")
            return default
        value = self.data[key]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)  # type: ignore[return-value]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.wrong(key, f"{key!r} is {_WORDS[kind]}, not {_short(value)}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, empty if it is not there."""
        values = self.get(key, list, [])
        for value in values:
            if not isinstance(value, str):
                raise self.wrong(key, f"{key!r} is a list of texts, not of {_short(value)}")
        return tuple(values)

    def choice(self, key: str, among: Sequence[str], default: str = _REQUIRED) -> str:
        """One of some words."""
        value = self.get(key, str, default)
        if value not in among:
            raise self.wrong(key, f"{key!r} is {' or '.join(among)}, not {value!r}")
        return value

    def table(self, key: str) -> Table:
        """A table inside, empty if it is not there."""
        self._asked.append(key)
        return Table(self.file, (*self.place, key), self.data.get(key, {}))

    def tables(self, key: str) -> list[Table]:
        """An array of tables, empty if it is not there."""
        if isinstance(self.data.get(key), dict):
            raise self.wrong(key, f"there may be several: write [[{key}]], not [{key}]")
        values = self.get(key, list, [])
        return [Table(self.file, (*self.place, key, i), v) for i, v in enumerate(values)]

    def raw(self, key: str) -> dict[str, Any]:
        """A table as it is, for somebody who checks it himself."""
        return self.get(key, dict, {})

    def end(self) -> None:
        """Say that everything was asked for: other keys are mistakes."""
        for key in self.data:
            if key not in self._asked:
                near = difflib.get_close_matches(key, self._asked, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise self.wrong(key, f"unknown key {key!r}{hint}")

    def build(self, make: Callable[[], T]) -> T:
        """What is made of the table; its own complaints get the line."""
        try:
            return make()
        except EnvwrightError as error:
            if str(error).startswith(str(self.file.path)):
                raise
            raise self.wrong("", str(error)) from error
        except TypeError as error:
            raise self.wrong("", str(error).partition("() ")[2] or str(error)) from error

    def wrong(self, key: str, sentence: str) -> EnvwrightError:
        """The error to raise for a key, or for the table."""
        return self.file.wrong((*self.place, key) if key else self.place, sentence)

    @property
    def _name(self) -> str:
        """`[reference]`, or `[[modules]]` for one of several."""
        names = ".".join(part for part in self.place if isinstance(part, str))
        several = self.place and isinstance(self.place[-1], int)
        return f"[[{names}]]" if several else f"[{names}]" if names else "the file"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
