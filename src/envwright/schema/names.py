"""Names of simulators: `gymnasium:FrozenLake-v1?is_slippery=false` is scheme, target, options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from envwright.errors import EnvwrightError


class SimulatorName(NamedTuple):
    """The parts of a name, as written. Parts that the name lacks are empty."""

    scheme: str  # gymnasium, gymnax, envwright, python or command
    target: str  # what the scheme opens; of a command the whole line
    query: str = ""  # the options, not read yet

    @property
    def bare(self) -> str:
        """The name without options."""
        return f"{self.scheme}:{self.target}"

    @property
    def module(self) -> str:
        """The module of a target `module:attribute`."""
        return self.target.partition(":")[0]

    @property
    def options(self) -> dict[str, Any]:
        """The options with their values. Raises `EnvwrightError` if they cannot be read."""
        return split_options(f"{self.target}?{self.query}")[1]


def parse_name(name: str) -> SimulatorName:
    """Split the name of a simulator, whether or not it can be opened."""
    scheme, _, rest = name.partition(":")
    if scheme == "command":  # a question mark belongs to the command
        return SimulatorName(scheme, rest)
    target, _, query = rest.partition("?")
    return SimulatorName(scheme, target, query)


def split_options(text: str) -> tuple[str, dict[str, Any]]:
    """Split `ID?key=value&…` into the id and its options; values are JSON if they parse."""
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
    """Join an id and its options to a name, the inverse of `split_options`."""
    if not options:
        return target
    return f"{target}?{urlencode({key: _text(value) for key, value in options.items()})}"


def _text(value: Any) -> str:
    """Return a value as JSON; a text that cannot be mistaken for JSON stays as it is."""
    return value if isinstance(value, str) and _value(value) == value else json.dumps(value)


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):  # a number of thousands of digits is a text, too
        return text


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
