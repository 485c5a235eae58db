"""The compiler's task as plain data, made from a specification."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.schema.translation import Module


@dataclass(frozen=True)
class Job:
    """One environment."""

    simulator: str
    package: str
    entry: str
    id: str
    version: int
    modules: tuple[Module, ...]
    folder: Path  # contains the specification and bridge.py
    pairs: dict[str, str | tuple[str, ...]] = field(default_factory=dict)  # reference -> ours
    bridged: bool = False  # bridge.py says more
    options: dict[str, Any] = field(default_factory=dict)  # constructor options beside dtype
    backend: str = "jax"
