"""Decode a TOML file into typed records; every error names its line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from envwright.errors import EnvwrightError
from envwright.schema.toml_file import Place, TomlFile

T = TypeVar("T")


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a TOML file: an unknown key is an error."""


IDENTIFIER = r"^[a-z][a-z0-9_]*\Z"
WORD = r"^[^\W\d]\w*\Z"
QUALIFIED = r"^([\w.]+:)?[^\W\d]\w*\Z"
MODULE_FILE = r"^[a-z][a-z0-9_]*\.(py|rs)\Z"
_PATTERNS = {
    IDENTIFIER: "lower-case letters, digits and _",
    WORD: "a name in the code",
    QUALIFIED: "a name in the code, or module:name",
    MODULE_FILE: "a file name such as rules.py",
}
_TYPES = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
_MESSAGE = re.compile(r"^(?P<text>.*?)(?: - at `\$(?P<path>[^`]*)`)?$", re.DOTALL)
_BOUNDS = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}


def decode(file: TomlFile, kind: type[T], own: Callable[[type, Any], Any] | None = None) -> T:
    """Decode a file. Raises `EnvwrightError` with the line of the first mistake.

    `own` decodes values of types that msgspec does not know; it raises `ValueError`.
    """
    try:
        return msgspec.convert(file.data, kind, dec_hook=own)
    except msgspec.ValidationError as error:
        raise _explained(file, kind, str(error)) from error


def _explained(file: TomlFile, kind: type, message: str) -> EnvwrightError:
    found = _MESSAGE.match(message)
    assert found is not None
    text, place = found["text"], _place(found["path"] or "")
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", text):
        key = unknown[1]
        struct = next(t for t in _types(kind, place) if isinstance(t, inspect.StructType))
        known = [field.encode_name for field in struct.fields]
        near = difflib.get_close_matches(key, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return file.wrong((*place, key), f"unknown key {key!r}{hint}")
    if missing := re.fullmatch(r"Object missing required field `(.*)`", text):
        return file.wrong(place, f"{_table(place)} needs {missing[1]!r}")
    if (wanted := _wanted(text, kind, place)) is None:
        return file.wrong(place, text)  # raised by a record itself
    key = next((part for part in reversed(place) if isinstance(part, str)), "")
    value = _value(file.data, place)
    if isinstance(value, dict) and wanted == _TYPES["array"]:
        return file.wrong(place, f"there may be several: write [[{key}]], not [{key}]")
    if "[...]" in (found["path"] or ""):  # msgspec does not name keys of dictionaries
        return file.wrong(place, f"a value in {key!r} must be {wanted}")
    item = "an item of " if place and isinstance(place[-1], int) else ""
    return file.wrong(place, f"{item}{key!r} must be {wanted}, not {_short(value)}")


def _wanted(text: str, kind: type, place: Place) -> str | None:
    """Return what a value must be, in words; None for a message that is not msgspec's."""
    if found := re.fullmatch(r"Expected `(.*)`, got `.*`", text):
        names = [name for name in found[1].split(" | ") if name != "null"]
        return " or ".join(_TYPES.get(name, name) for name in names)
    if found := re.fullmatch(r"Expected `\w+` (>=|>|<=|<) (.*)", text):
        return f"{_BOUNDS[found[1]]} {found[2].removesuffix('.0')}"
    if found := re.fullmatch(r"Expected `str` matching regex '(.*)'", text):
        return _PATTERNS[found[1].replace("\\\\", "\\")]
    if text.startswith("Invalid enum value"):
        literal = next(t for t in _types(kind, place) if isinstance(t, inspect.LiteralType))
        return " or ".join(map(str, literal.values))
    return None


def _place(path: str) -> Place:
    """`.checks[0].label` as ("checks", 0, "label"), up to an unnamed key of a dictionary."""
    parts = re.findall(r"\.(\w+)|\[(\d+)\]", path.partition("[...]")[0])
    return tuple(name or int(index) for name, index in parts)


def _types(kind: type, place: Place) -> tuple[inspect.Type, ...]:
    """The types that the value at a place may have."""
    found: inspect.Type = inspect.type_info(kind)
    for part in place:
        for option in _options(found):
            if isinstance(option, inspect.StructType) and isinstance(part, str):
                found = next(f.type for f in option.fields if f.encode_name == part)
            elif isinstance(option, inspect.VarTupleType) and isinstance(part, int):
                found = option.item_type
    return _options(found)


def _options(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    return kind.types if isinstance(kind, inspect.UnionType) else (kind,)


def _value(data: Any, place: Place) -> Any:
    for part in place:
        data = data[part]
    return data


def _table(place: Place) -> str:
    """`[reference]`, or `[[modules]]` for one of several."""
    names = ".".join(part for part in place if isinstance(part, str))
    several = place and isinstance(place[-1], int)
    return f"[[{names}]]" if several else f"[{names}]" if names else "the file"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
