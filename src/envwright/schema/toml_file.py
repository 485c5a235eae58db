"""Parse TOML files and find the line of each key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envwright.core import toml
from envwright.core.files import read_text
from envwright.core.toml import LARGEST
from envwright.errors import EnvwrightError
from envwright.schema.json_records import check_data

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(r"""^\s*("[^"]*"|'[^']*'|[A-Za-z0-9_.-]+)\s*=""")
_TOKEN = re.compile(r"""\"{3}|'{3}|"(?:\\.|[^"\\])*"|'[^']*'|[#\[\]{}]""")
_END = {  # of a text over several lines, which may itself end in quotes
    '"""': re.compile(r'(?:\\.|[^\\])*?"{3,5}'),
    "'''": re.compile(r".*?'{3,5}"),
}
_PARSER = re.compile(r"^(?P<what>.*) \(at line (?P<line>\d+), column \d+\)$", re.DOTALL)

Place = tuple[str | int, ...]  # ("modules", 1, "file"): keys, and numbers in arrays of tables


class TomlFile:
    """A parsed file with the line of each key. A `text` that is given is not read again."""

    def __init__(self, path: Path, text: str | None = None) -> None:
        self.path = path
        try:
            self.text = read_text(path, LARGEST) if text is None else text
            self.data: dict[str, Any] = parse_toml(self.text)
        except FileNotFoundError as error:
            raise EnvwrightError(f"there is no file {path}") from error
        except UnicodeDecodeError as error:
            raise EnvwrightError(f"{path} is not UTF-8 text") from error
        except tomllib.TOMLDecodeError as error:
            raise EnvwrightError(f"{path}{_located(error)}") from error
        except ValueError as error:
            raise EnvwrightError(f"{path} cannot be read: {error}") from error
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise EnvwrightError(f"{path} cannot be read: {reason}") from error
        self._lines = _lines_of(self.text)

    def line(self, place: Place) -> int:
        """The line of a key, or of the nearest table around it."""
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place, 1)

    def wrong(self, place: Place, sentence: str) -> EnvwrightError:
        """Return the error to raise for the value at a place."""
        return EnvwrightError(f"{self.path}:{self.line(place)}: {sentence}")


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML. Raises `ValueError`, also for data that is nested too deeply to work with."""
    data = toml.parse_toml(text)
    check_data(data, finite=False)
    return data


def _lines_of(text: str) -> dict[Place, int]:
    """The line of every table and key, as far as they stand at the start of a line."""
    lines: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    table: Place = ()
    for number, line in _statements(text):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header is not None:
            table = _table(header[2], header[1] == "[[", counts)
            lines.setdefault(table, number)
            if isinstance(table[-1], int):
                lines.setdefault(table[:-1], number)  # all of them: where the first stands
        elif key is not None:
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Lines on which a header or a key may stand: none inside a text or a list."""
    depth, quotes = 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        if depth == 0 and not quotes:
            yield number, line
        depth, quotes = _after(line, depth, quotes)


def _after(line: str, depth: int, quotes: str) -> tuple[int, str]:
    """How many brackets are open after a line, and the quotes of a text that goes on."""
    at = 0
    while True:
        found = (_END[quotes].match if quotes else _TOKEN.search)(line, at)
        if found is None:
            return depth, quotes
        at, token = found.end(), found[0]
        if quotes:
            quotes = ""
        elif token in _END:
            quotes = token
        elif token == "#":
            return depth, quotes
        elif token in ("[", "{"):
            depth += 1
        elif token in ("]", "}"):
            depth -= 1


def _located(error: tomllib.TOMLDecodeError) -> str:
    """The parser's message, with its line where other messages have theirs."""
    found = _PARSER.match(str(error))
    if found is None:
        return f": {error}"
    return f":{found['line']}: {found['what'][0].lower()}{found['what'][1:]}"


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
