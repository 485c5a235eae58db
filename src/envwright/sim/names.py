"""Names of simulators: `gymnasium:FrozenLake-v1?is_slippery=false` is kind, target, options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode


def split_options(text: str) -> tuple[str, dict[str, Any]]:
    """`ID?key=value&…` as the id and its options; values are JSON where they parse as such."""
    target, _, query = text.partition("?")
    return target, {key: _value(value) for key, value in parse_qsl(query)}


def join_options(target: str, options: Mapping[str, Any]) -> str:
    """The name that `split_options` takes apart into these."""
    if not options:
        return target
    return f"{target}?{urlencode({key: _text(value) for key, value in options.items()})}"


def _text(value: Any) -> str:
    """JSON, but for texts that cannot be mistaken for it."""
    return value if isinstance(value, str) and _value(value) == value else json.dumps(value)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # a number of thousands of digits is a text, too
        return text
