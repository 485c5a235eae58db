"""What a reference was recorded to do, kept for as long as the process lives.

A mutant's modules are imported anew, and what is recorded in them would be recorded for each.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

_KEPT: dict[Hashable, Any] = {}


def kept(key: Hashable, record: Callable[[], Any]) -> Any:
    """What was recorded under this name before, or else what `record` gives now."""
    if key not in _KEPT:
        _KEPT[key] = record()
    return _KEPT[key]
