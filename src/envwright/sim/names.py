"""Names of simulators: `gymnasium:FrozenLake-v1?is_slippery=false` is kind, target, options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from envwright.errors import EnvwrightError


def split_options(text: str) -> tuple[str, dict[str, Any]]:
    """`ID?key=value&…` as the id and its options; values are JSON where they parse as such."""
    target, _, query = text.partition("?")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True)
    except ValueError as error:
        raise EnvwrightError(
            f"{text!r} does not name options; write {target}?NAME=VALUE&NAME=VALUE"
        ) from error
    options = {key: _value(value) for key, value in pairs}
    if len(options) < len(pairs):
        raise EnvwrightError(f"{text!r} names an option twice; name each once")
    return target, options


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
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):  # a number of thousands of digits is a text, too
        return text


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
