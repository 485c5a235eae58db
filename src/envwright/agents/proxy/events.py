"""Read event streams (SSE) leniently: skip garbage and accept truncated streams."""

from __future__ import annotations

import json
import re
from typing import Any


def blocks(text: str) -> list[str]:
    """Yield a stream's events as written, each with its trailing empty line."""
    return [block for block in re.split(r"(?<=\n\n)|(?<=\n\r\n)", text) if block]


def data(block: str) -> Any:
    """Return an event's JSON data, or None."""
    lines = [line.strip() for line in block.split("\n")]
    return parsed("\n".join(line[5:] for line in lines if line.startswith("data:")))


def written(block: str, value: Any) -> str:
    """Format the same event with other data."""
    lines = [line.strip() for line in block.split("\n")]
    kept = [line for line in lines if line and not line.startswith("data:")]
    return "\n".join([*kept, "data: " + json.dumps(value, ensure_ascii=False)]) + "\n\n"


def is_stream(text: str) -> bool:
    """Return whether this is a stream of events rather than one document."""
    return text.lstrip().startswith(("data:", "event:", "id:", "retry:", ":"))


def said(text: str) -> list[Any]:
    """Return all JSON in an answer: its events, its single document, or nothing."""
    found = map(data, blocks(text)) if is_stream(text) else [parsed(text)]
    return [value for value in found if value is not None]


def parsed(text: str) -> Any:
    """Parse JSON, or return None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
