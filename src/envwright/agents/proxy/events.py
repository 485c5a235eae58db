"""Streams of events (SSE), read leniently: garbage is no event, and a cut stream is what came."""

from __future__ import annotations

import json
import re
from typing import Any


def blocks(text: str) -> list[str]:
    """The events of a stream as they were written, each with the empty line after it."""
    return [block for block in re.split(r"(?<=\n\n)|(?<=\n\r\n)", text) if block]


def data(block: str) -> Any:
    """What an event says, or None where it says nothing that is JSON."""
    lines = [line.strip() for line in block.split("\n")]
    return parsed("\n".join(line[5:] for line in lines if line.startswith("data:")))


def written(block: str, value: Any) -> str:
    """The same event with other data."""
    lines = [line.strip() for line in block.split("\n")]
    kept = [line for line in lines if line and not line.startswith("data:")]
    return "\n".join([*kept, "data: " + json.dumps(value, ensure_ascii=False)]) + "\n\n"


def is_stream(text: str) -> bool:
    """Whether this is a stream of events rather than one document."""
    return text.lstrip().startswith(("data:", "event:", "id:", "retry:", ":"))


def said(text: str) -> list[Any]:
    """All that an answer says as JSON: its events, or the one document, or nothing."""
    found = map(data, blocks(text)) if is_stream(text) else [parsed(text)]
    return [value for value in found if value is not None]


def parsed(text: str) -> Any:
    """The JSON value, or None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
