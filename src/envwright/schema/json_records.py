"""Typed records in JSON files; every error names its field."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from envwright.errors import SchemaError

T = TypeVar("T")


def as_json(record: msgspec.Struct) -> dict[str, Any]:
    """Return a record as the data that JSON stores."""
    return msgspec.to_builtins(record, str_keys=True, enc_hook=lambda value: value.tolist())


def read_record(path: Path, kind: type[T], name: str) -> T:
    """Read a file as a record. Raises `SchemaError` if it is malformed or cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.ValidationError as error:
        raise SchemaError(path, f"is not {name}: {located(error)}") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise SchemaError(path, f"is not {name}: it is not JSON") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SchemaError(path, f"cannot be read: {reason}") from error


def located(error: msgspec.ValidationError) -> str:
    """Return what is wrong, and the path of the field."""
    what, _, place = str(error).partition(" - at `$")
    where = place.rstrip("`").lstrip(".")
    return f"{what[0].lower()}{what[1:]}" + (f" at {where}" if where else "")
