"""Values as texts that are equal if the values are, bit for bit; all NaN are one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from envwright.sim.records import Fields

WHOLE = 1 << 13  # bytes of an array that is kept; of a larger one only a digest is
Texts = dict[str, str]  # by field


def exact(value: Any, most: int | None = WHOLE) -> str:
    """Return `<f8;2,3;0000…`: dtype, shape and bytes, or a digest of the bytes."""
    array = np.asarray(value)
    if array.dtype.kind == "O":
        array = np.asarray(repr(value))
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    data = np.ascontiguousarray(array).tobytes()
    large = most is not None and len(data) > most
    held = f"#{hashlib.sha256(data).hexdigest()}" if large else data.hex()
    return f"{array.dtype.str};{','.join(map(str, array.shape))};{held}"


def exact_fields(fields: Mapping[str, Any], most: int | None = WHOLE) -> Texts:
    """Return the texts of a record."""
    return {name: exact(value, most) for name, value in fields.items()}


def digest(text: str) -> str:
    """Return eight letters that stand for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def value_of(text: str) -> np.ndarray | None:
    """Return the array of a text; None if only its digest was kept."""
    dtype, sizes, held = text.split(";")
    if held.startswith("#"):
        return None
    shape = tuple(int(size) for size in sizes.split(",") if size)
    return np.frombuffer(bytes.fromhex(held), dtype).reshape(shape).copy()


def fields_of(texts: Texts) -> Fields:
    """Return the arrays of texts that hold them whole."""
    return {name: np.asarray(value_of(text)) for name, text in texts.items()}


def shown(text: str) -> Any:
    """Return a value for people and JSON: numbers, or what is known of a large array."""
    array = value_of(text)
    if array is None:
        dtype, sizes, held = text.split(";")
        return f"array of {dtype}[{sizes}], SHA-256 {held[1:9]}"
    return array.tolist()


def first_difference(old: Texts, new: Texts) -> str:
    """Name the first field that differs, with both values; "" if none does."""
    for name in dict.fromkeys([*old, *new]):
        if name not in new:
            return f"{name} is gone"
        if name not in old:
            return f"{name} is new"
        if old[name] != new[name]:
            return f"{name}: {_apart(old[name], new[name])}"
    return ""


def _apart(old: str, new: str) -> str:
    """Show two values where they differ first."""
    (dtype, shape, _), (dtype_now, shape_now, _) = old.split(";"), new.split(";")
    if shape != shape_now:
        return f"shape ({shape}) → ({shape_now})"
    then, now = value_of(old), value_of(new)
    if then is not None and now is not None and dtype == dtype_now:
        rows, rows_now = then.reshape(-1), now.reshape(-1)
        at = next(i for i in range(rows.size) if exact(rows[i]) != exact(rows_now[i]))
        place = f"element {at}: " if rows.size > 1 else ""
        return f"{place}{rows[at].item()!r} → {rows_now[at].item()!r}"
    kinds = "" if dtype == dtype_now else f" ({dtype} → {dtype_now})"
    return f"{shown(old)!r} → {shown(new)!r}{kinds}"
