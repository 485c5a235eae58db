"""Names of simulators: `gymnasium:FrozenLake-v1?is_slippery=false` is kind, target, options."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl


def split_options(text: str) -> tuple[str, dict[str, Any]]:
    """`ID?key=value&…` as the id and its options; values are JSON where they parse as such."""
    target, _, query = text.partition("?")
    return target, {key: _value(value) for key, value in parse_qsl(query)}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
