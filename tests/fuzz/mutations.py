"""Damage to files: bytes, lines, data trees and arrays.

Every function takes `choose`, which makes all choices: `choose(n)` is a number below n. Hypothesis
supplies it, so that a failing file is made as small as it can be.
"""

from __future__ import annotations

import copy
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

Choose = Callable[[int], int]
T = TypeVar("T")

# --- bytes ------------------------------------------------------------------------------------


def flip(data: bytes, choose: Choose) -> bytes:
    """Flip a bit."""
    at = choose(len(data))
    return data[:at] + bytes([data[at] ^ 1 << choose(8)]) + data[at + 1 :]


def truncate(data: bytes, choose: Choose) -> bytes:
    """Cut the end off."""
    return data[: choose(len(data))]


def remove(data: bytes, choose: Choose) -> bytes:
    """Remove a part."""
    at = choose(len(data))
    return data[:at] + data[at + 1 + choose(64) :]


def repeat(data: bytes, choose: Choose) -> bytes:
    """Repeat a part."""
    at = choose(len(data))
    return data[:at] + data[at : at + 1 + choose(64)] * (2 + choose(3)) + data[at:]


def insert(data: bytes, choose: Choose) -> bytes:
    """Insert bytes that formats give a meaning to."""
    at = choose(len(data))
    return data[:at] + pick(JUNK, choose) + data[at:]


JUNK = [
    b"\0",
    b"\xff\xfe",
    b"\xc3",  # half a letter
    b"[" * 3000,
    b'{"a":' * 3000,
    b"\n",
    b"\r\n",
    b'"',
    b"9" * 5000,
    b"1e999",
    b"\x1b]0;title\x07",
    b"PK\x05\x06" + b"\0" * 18,  # the end of an empty archive
]


def damaged_bytes(data: bytes, choose: Choose) -> bytes:
    """Damage bytes in one place."""
    return pick([flip, truncate, remove, repeat, insert], choose)(data or b" ", choose)


# --- lines ------------------------------------------------------------------------------------


def damaged_lines(text: str, choose: Choose) -> str:
    """Remove, repeat or exchange lines."""
    lines = text.split("\n")
    one, other = choose(len(lines)), choose(len(lines))
    match choose(3):
        case 0:
            del lines[one]
        case 1:
            lines.insert(other, lines[one])
        case _:
            lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


LETTERS = [
    "\0",
    "\u202e",
    "\x1b[2J",
    "🙂",
    "9" * 5000,
    "٣",
    ",,,",
    "-1",
    "\r",
    "[link=https://example.org]",
    "x" * (2 << 20),
]


def damaged_text(data: bytes, choose: Choose) -> bytes:
    """Damage a text for people: bytes, lines, letters or the encoding."""
    match choose(4):
        case 0:
            return damaged_bytes(data, choose)
        case 1:
            return damaged_lines(data.decode(), choose).encode()
        case 2:
            return data.decode().encode(pick(["latin-1", "utf-16", "utf-7"], choose), "replace")
        case _:
            text = data.decode()
            at = choose(len(text))
            return (text[:at] + pick(LETTERS, choose) + text[at:]).encode()


# --- trees of data ----------------------------------------------------------------------------

DEEP: list[Any] = []
for _ in range(400):
    DEEP = [DEEP]
NAMES = [
    "",
    "<script>alert(1)</script>",
    "\x1b[2J\x1b]0;title\x07",
    "[red]",
    "[/]",
    "[link=https://example.org]here[/link]",
    "{{ 7 * 7 }}",
    "\u202egnp.exe",
    "\ud800",
    "a\0b",
    "two\nlines",
    "../../outside",
    "/etc/passwd",
    "x" * 20_000,
    "NaN",
    "Infinity",
    "python:os:abort",
    "command:false",
    "gymnasium:os:abort",
    "envwright:nothing",
    "trained:/etc/passwd",
]
NUMBERS = [
    0,
    -1,
    1,
    2**31,
    2**63,
    -(2**64),
    10**400,
    0.5,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    float("-inf"),
]
OTHERS = [None, True, False, [], {}, [None], {"": None}, [[]], ["x", 1], DEEP]
VALUES = [*NAMES, *NUMBERS, *OTHERS]


def damaged_tree(tree: Any, choose: Choose) -> Any:
    """Return the tree with one value or key changed, removed or repeated."""
    tree = copy.deepcopy(tree)
    places = list(_places(tree))
    if not places:
        return pick(VALUES, choose)
    holder, key = pick(places, choose)
    value = holder[key]
    match choose(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[pick(NAMES, choose)] = holder.pop(key)
        case 1:
            holder.insert(key, copy.deepcopy(value))
        case 2:  # a value of another place, which has a right type for something
            other, name = pick(places, choose)
            holder[key] = copy.deepcopy(other[name])
        case 3 if isinstance(value, list):
            holder[key] = value * (2 + choose(50))
        case 4 if isinstance(holder, dict):
            holder[pick(NAMES, choose)] = pick(VALUES, choose)
        case _:
            holder[key] = pick(VALUES, choose)
    return tree


EXTREMES = (0, -1, 1e-308, 5e-324, 1e308, -1e308, 2**63 - 1, 1e18, "NaN", "Infinity", None)


def other_numbers(tree: Any, choose: Choose) -> Any:
    """Return the tree with several numbers at the ends of their range, beside each other."""
    tree = copy.deepcopy(tree)
    places = [(holder, key) for holder, key in _places(tree) if _is_number(holder[key])]
    for _ in range(1 + choose(8) if places else 0):
        holder, key = pick(places, choose)
        holder[key] = pick(EXTREMES, choose)
    return tree


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, int | float)


def _places(tree: Any) -> Sequence[tuple[Any, Any]]:
    """Every key of every dictionary and every index of every list; long lists in part."""
    found: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(min(len(holder), 8))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], dict | list) and holder[key]:
                waiting.append(holder[key])
    return found


def damaged_json(text: bytes, choose: Choose) -> bytes:
    """Damage a JSON document in its data, or else in its bytes."""
    match choose(8):
        case 0 | 1:
            return damaged_bytes(text, choose)
        case 2 | 3:
            return json.dumps(other_numbers(json.loads(text), choose)).encode()
        case _:
            return json.dumps(damaged_tree(json.loads(text), choose)).encode()


def damaged_jsonl(text: bytes, choose: Choose) -> bytes:
    """Damage lines of JSON: one of them, their order, or the bytes."""
    match choose(4):
        case 0:
            return damaged_bytes(text, choose)
        case 1:
            return damaged_lines(text.decode(), choose).encode()
        case _:
            lines = text.split(b"\n")
            at = choose(max(1, len(lines) - 1))
            lines[at] = damaged_json(lines[at], choose)
            return b"\n".join(lines)


# --- TOML -------------------------------------------------------------------------------------

TOML_VALUES = [
    '""',
    '"<script>"',
    '"\\u001b[2J"',
    "-1",
    "0",
    "9223372036854775808",
    "9" * 5000,
    "1e400",
    "nan",
    "inf",
    "true",
    "[]",
    "{}",
    "[[1], [2]]",
    "[" * 3000 + "]" * 3000,
    "{a = " * 3000 + "1" + "}" * 3000,
    "{" + "a." * 20_000 + "a = 1}",
    "1979-05-27T07:32:00Z",
    "07:32:00",
    '["x", 1]',
    '"' + "x" * 20_000 + '"',
]


def damaged_toml(text: bytes, choose: Choose) -> bytes:
    """Damage a TOML document: a value, lines, or bytes."""
    match choose(4):
        case 0:
            return damaged_bytes(text, choose)
        case 1:
            return damaged_lines(text.decode(), choose).encode()
        case _:
            lines = text.decode().split("\n")
            keyed = [n for n, line in enumerate(lines) if " = " in line]
            at = pick(keyed, choose)
            key = lines[at].partition(" = ")[0]
            lines[at] = f"{key} = {pick(TOML_VALUES, choose)}"
            return "\n".join(lines).encode()


# --- arrays -----------------------------------------------------------------------------------


class Bomb:
    """Pickled, it leaves a mark where it is loaded."""

    mark = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (f"open({self.mark!r}, 'w').close()",)


def npy(shape: str, dtype: str = "'<f8'", data: bytes = b"") -> bytes:
    """An array file whose header says what it likes."""
    text = f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def _saved(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


MEMBERS = [
    npy("(12500000000,)"),  # 100 GB
    npy("(1 << 62, 4)"),
    npy("(-1,)", data=bytes(8)),
    npy("(0, 10**30)"),
    npy("()", "'|O'", b"\x80\x04N."),
    npy("(2,)", "[('a', '<f8'), ('b', '|O')]", bytes(32)),
    npy("(1,)", "'<U1'", b"\xff\xff\xff\xff"),
    npy("(" + "-" * 4000 + "1,)"),
    npy("(" * 4000),
    npy("(1,)", "'<V0'"),
    b"\x93NUMPY\x09\x00",
    b"",
]
ARRAYS = [
    np.zeros(0),
    np.array(1.5),
    np.array([np.nan, np.inf]),
    np.array("text"),
    np.zeros((2, 3, 4), np.int8),
    np.array([1 + 2j]),
    np.array(["2020-01-01"], "M8[D]"),
    np.array([2**63], np.uint64),
]


def damaged_npz(data: bytes, choose: Choose) -> bytes:
    """Damage a file of arrays: bytes, the JSON inside, or its members."""
    kind = choose(6)
    if kind == 0:
        return damaged_bytes(data, choose)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = pick(sorted(members), choose)
    packing = zipfile.ZIP_STORED
    match kind:
        case 1:
            members[name] = pick(MEMBERS, choose)
        case 2:
            members[name] = _saved(pick([*ARRAYS, np.array([Bomb()])], choose))
        case 3:
            del members[name]
        case 4:  # a million zeros in a kilobyte
            members[name] = npy("(131072,)", data=bytes(1 << 20))
            packing = zipfile.ZIP_DEFLATED
        case _:
            texts = {n: np.load(io.BytesIO(m)) for n, m in members.items() if b"'<U" in m[:80]}
            for text_name, text in texts.items():
                members[text_name] = _saved(_other_text(text, choose))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return packed.getvalue()


def _other_text(text: np.ndarray, choose: Choose) -> np.ndarray:
    """Damage the JSON in an array, or exchange its words."""
    try:
        tree = json.loads(str(text))
    except ValueError:
        return np.array([pick(NAMES, choose)] * max(1, text.size)).reshape(text.shape)
    return np.array(json.dumps(damaged_tree(tree, choose)))


def pick(choices: Sequence[T], choose: Choose) -> T:
    """One of several."""
    return choices[choose(len(choices))]
