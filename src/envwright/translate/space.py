"""Bound the disk space of a run."""

from __future__ import annotations

from pathlib import Path

from envwright.agents.base import AgentFailed
from envwright.sandbox.disk import Usage

MOST = 8 << 30  # bytes of a run's folder: its turns, stored files and builds


def require_space(run: Path) -> None:
    """Raise if a run's folder holds so much that no further turn may add to it."""
    usage = Usage([run])
    usage.measure_all()
    if usage.total > MOST:
        raise AgentFailed(
            f"{run} takes more than {MOST >> 30} GB; remove what its turns left in "
            f"{run / 'turns'}, then continue with --resume"
        )
