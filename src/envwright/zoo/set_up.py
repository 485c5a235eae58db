"""What `python -m envwright.zoo.ROOM.reference` does in every room whose reference is fetched."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from envwright.errors import EnvwrightError


def set_up_reference(set_up: Callable[..., Any], what: str) -> int:
    """Fetch and build it, or one sentence that says why not; the exit code."""
    try:
        set_up(say=print)
    except EnvwrightError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"the reference of {what} is ready")
    return 0
