"""Typed records in JSON files; every error names its field."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from envwright.core.files import read_bytes
from envwright.core.toml import DEEPEST, TOO_DEEP
from envwright.errors import SchemaError

T = TypeVar("T")
LARGEST = 1 << 26  # bytes of a file, whose data may take thirty times as much memory
LOWEST, HIGHEST = -(2**63), 2**64 - 1


def as_json(record: msgspec.Struct) -> dict[str, Any]:
    """Return a record as the data that JSON stores."""
    return msgspec.to_builtins(record, str_keys=True, enc_hook=lambda value: value.tolist())


def read_record(path: Path, kind: type[T], name: str) -> T:
    """Read a file as a record. Raises `SchemaError` if it is malformed or cannot be read."""
    data = read_json(path, name)
    try:
        return msgspec.convert(data, type=kind)
    except msgspec.ValidationError as error:
        raise SchemaError(path, f"is not {name}: {located(error)}") from error


def read_json(path: Path, name: str, most: int = LARGEST) -> Any:
    """Read the JSON in a file. Raises `SchemaError` if it is malformed or cannot be read."""
    try:
        return parse_json(read_bytes(path, most))
    except ValueError as error:
        raise SchemaError(path, f"is not {name}: {error}") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SchemaError(path, f"cannot be read: {reason}") from error


def parse_json(text: str | bytes, finite: bool = True) -> Any:
    """Parse JSON. Raises `ValueError` with what is wrong, in words; NaN is if `finite`.

    Every string of the data can be written, and its depth is bounded: code that walks through it
    does not run out of stack.
    """
    try:
        data = json.loads(text)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    except ValueError as error:
        raise ValueError("it is not JSON") from error
    check_data(data, finite)
    return data


def check_data(data: Any, finite: bool = True) -> None:
    """Raise `ValueError` for data that is nested too deeply or that other formats cannot hold."""
    for level in _levels(data):
        if any(isinstance(each, str) and not _is_text(each) for each in level):
            raise ValueError("it has a string that is not Unicode text")
        if finite and any(isinstance(each, float) and not math.isfinite(each) for each in level):
            raise ValueError("it has a number that JSON cannot hold")
        if any(isinstance(each, int) and not LOWEST <= each <= HIGHEST for each in level):
            raise ValueError("it has an integer of more than 64 bits")


def check_depth(data: Any) -> None:
    """Raise `ValueError` for data that is nested too deeply."""
    for _ in _levels(data):
        pass


def _levels(data: Any) -> Iterator[list[Any]]:
    """The values at each depth."""
    level: list[Any] = [data]
    for _ in range(DEEPEST):
        if not level:
            return
        yield level
        level = [each for one in level for each in _inside(one)]
    if any(isinstance(each, dict | list) for each in level):
        raise ValueError(TOO_DEEP)
    yield level


def _inside(data: Any) -> Iterable[Any]:
    if isinstance(data, dict):
        table = cast("dict[Any, Any]", data)
        return (*table.keys(), *table.values())
    return cast("list[Any]", data) if isinstance(data, list) else ()


def _is_text(text: str) -> bool:
    """Whether there is no half of a surrogate pair in it."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def located(error: msgspec.ValidationError) -> str:
    """Return what is wrong, and the path of the field."""
    what, _, place = str(error).partition(" - at `$")
    where = place.rstrip("`").lstrip(".")
    return f"{what[0].lower()}{what[1:]}" + (f" at {where}" if where else "")
