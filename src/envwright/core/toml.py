"""Parse TOML of others in bounded time."""

from __future__ import annotations

import re
import tomllib
from typing import Any

LARGEST = 1 << 20  # bytes of a file
DEEPEST = 100  # lists and tables inside each other
TOO_DEEP = f"its data is nested more than {DEEPEST} deep"
_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*"""  # of a key, with its dot
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_PART}){{{DEEPEST}}}")


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML. Raises `ValueError`, also for keys and values that the parser cannot bear."""
    if _LONG_KEY.search(text):  # the parser's time grows with the square of a key's parts
        raise ValueError(TOO_DEEP)
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
