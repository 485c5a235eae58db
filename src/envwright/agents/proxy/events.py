"""Read event streams (SSE) leniently: skip garbage and accept truncated streams."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

# The end of an event: of its last line, and an empty one.
END = r"(?:\r\n|\n|\r(?!\n)){2}"
MOST = 2_000_000  # values of a text that is parsed; each takes up to a hundred bytes of memory
_CLOSER = 10_000  # separators above which those inside of strings are recognised
_LOOKED_AT = 8 << 20  # letters, at most; that takes a while, and a model reads less text
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)  # one that does not end, too
_LINE_END = re.compile(r"\r\n|\n|\r")


def blocks(text: str) -> list[str]:
    """Return a stream's events as written, each with its trailing empty line."""
    ends = [0, *(found.end() for found in re.finditer(END, text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends) if start < end]


def data(block: str) -> Any:
    """Return an event's JSON data, or None."""
    return parsed("\n".join(line[5:] for line in _lines(block) if line.startswith("data:")))


def written(block: str, value: Any) -> str:
    """Format the same event with other data."""
    kept = [line for line in _lines(block) if line and not line.startswith("data:")]
    return "\n".join([*kept, "data: " + json.dumps(value, ensure_ascii=False)]) + "\n\n"


def _lines(block: str) -> list[str]:
    return [line.strip() for line in _LINE_END.split(block.removeprefix("\ufeff"))]


def is_stream(text: str) -> bool:
    """Return whether this is a stream of events rather than one document."""
    return text.lstrip().startswith(("data:", "event:", "id:", "retry:", ":"))


def said(text: str) -> list[Any]:
    """Return all JSON in an answer: its events, its single document, or nothing."""
    found = map(data, blocks(text)) if is_stream(text) else [parsed(text)]
    return [value for value in found if value is not None]


def parsed(text: str) -> Any:
    """Parse JSON, or return None for what is not JSON or has too many values."""
    try:
        return json.loads(text) if most_values(text) <= MOST else None
    except (ValueError, RecursionError):
        return None


def most_values(text: str) -> int:
    """Return a bound on how many values a JSON text has. As `[],[],`, they are short."""
    count = _separators(text)
    if count > _CLOSER and len(text) <= _LOOKED_AT:
        return _separators(_STRING.sub("", text))
    return count


def _separators(text: str) -> int:
    return sum(map(text.count, ",[{"))
