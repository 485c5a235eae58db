"""Set up a reference: `python -m envwright.zoo.ROOM.reference`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from envwright.errors import EnvwrightError


def set_up_reference(set_up: Callable[..., Any], what: str) -> int:
    """Fetch and build it, or print why not; return the exit code."""
    try:
        set_up(say=print)
    except EnvwrightError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"the reference of {what} is ready")
    return 0
