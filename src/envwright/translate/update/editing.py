"""Change values in a translation.toml, and leave its comments and layout as they are."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envwright.core.files import read_text
from envwright.errors import EnvwrightError
from envwright.schema.toml_file import TomlFile, parse_toml


def updated(path: Path, package: str, version: int) -> str:
    """Return the text of a specification with another pin and version."""
    text = read_text(path)
    text = _with(text, path, ("reference", "package"), package)
    return _with(text, path, ("environment", "version"), version)


def _with(text: str, path: Path, place: tuple[str, str], value: str | int) -> str:
    """Replace the value at a place; try every spot until the file says what is wanted."""
    data = TomlFile(path, text).data
    table, key = place
    before = data[table].get(key)
    if before == value:
        return text
    wanted = copy.deepcopy(data)
    wanted[table][key] = value
    spots = _inserted(text, key, value) if before is None else _replaced(text, before, value)
    found = next((spot for spot in spots if _reads(spot) == wanted), None)
    if found is None:
        raise EnvwrightError(
            f"{path}: [{table}] {key} cannot be changed in place; give it a line of its own: "
            f"{key} = {_toml(value)}"
        )
    return found


def _replaced(text: str, before: str | int, value: str | int) -> Iterator[str]:
    spelled = [rf"\b{before}\b"] if isinstance(before, int) else _quoted(before)
    for pattern in spelled:
        for spot in re.finditer(pattern, text):
            yield text[: spot.start()] + _toml(value) + text[spot.end() :]


def _quoted(before: str) -> list[str]:
    return [re.escape(f"{quote}{before}{quote}") for quote in "\"'"]


def _inserted(text: str, key: str, value: str | int) -> Iterator[str]:
    """Yield the text with a new line after each of its lines."""
    lines = text.splitlines(keepends=True)
    for at in range(1, len(lines) + 1):
        above = lines[at - 1] if lines[at - 1].endswith("\n") else f"{lines[at - 1]}\n"
        yield "".join([*lines[: at - 1], above, f"{key} = {_toml(value)}\n", *lines[at:]])


def _toml(value: str | int) -> str:
    return str(value) if isinstance(value, int) else f'"{value}"'


def _reads(text: str) -> dict[str, Any] | None:
    try:
        return parse_toml(text)
    except ValueError:
        return None
