"""TOML files whose mistakes are told with their line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from envwright.errors import EnvwrightError

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(r"""^\s*("[^"]*"|'[^']*'|[A-Za-z0-9_.-]+)\s*=""")

Place = tuple[str | int, ...]  # ("modules", 1, "file"): keys, and numbers in arrays of tables


class TomlFile:
    """A parsed file that knows where its keys stand."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
            self.data: dict[str, Any] = tomllib.loads(self.text)
        except FileNotFoundError as error:
            raise EnvwrightError(f"there is no file {path}") from error
        except UnicodeDecodeError as error:
            raise EnvwrightError(f"{path} is not a text in UTF-8") from error
        except tomllib.TOMLDecodeError as error:
            raise EnvwrightError(f"{path}: {error}") from error
        self._lines = _lines_of(self.text)

    def line(self, place: Place) -> int:
        """The line of a key, or of the nearest table around it."""
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place, 1)

    def wrong(self, place: Place, sentence: str) -> EnvwrightError:
        """The error to raise for what stands at a place."""
        return EnvwrightError(f"{self.path}:{self.line(place)}: {sentence}")


def _lines_of(text: str) -> dict[Place, int]:
    """The line of every table and key, as far as they stand at the start of a line."""
    lines: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    table: Place = ()
    for number, line in enumerate(text.splitlines(), 1):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header is not None:
            table = _table(header[2], header[1] == "[[", counts)
            lines.setdefault(table, number)
        elif key is not None:
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def _table(name: str, is_array: bool, counts: dict[Place, int]) -> Place:
    """A header as a place: below an array of tables, its last one is meant."""
    place: Place = ()
    parts = _parts(name)
    for depth, part in enumerate(parts):
        place = (*place, part)
        last = depth == len(parts) - 1
        if last and is_array:
            counts[place] = counts.get(place, -1) + 1
        if place in counts:
            place = (*place, counts[place])
    return place


def _parts(name: str) -> tuple[str, ...]:
    return tuple(p.strip().strip("\"'") for p in re.findall(r'"[^"]*"|\'[^\']*\'|[^.]+', name))
