"""The reference: Gymnasium's CartPole-v1, as installed from its package."""

from __future__ import annotations

from importlib.metadata import version

SIMULATOR = "gymnasium:CartPole-v1"
PINNED = "1.3.0"


def is_pinned() -> bool:
    """Return whether the installed Gymnasium is the version that the room was verified against."""
    return version("gymnasium") == PINNED
