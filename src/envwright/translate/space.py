"""Bound the disk space of a run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from envwright.agents.base import AgentFailed
from envwright.sandbox.disk import TooDeep, Usage

MOST = 8 << 30  # bytes of what turns leave
KEPT = ("turns", "objects")  # the rest is made anew, whatever a program has left there


def require_space(run: Path) -> None:
    """Raise if turns have left so much in a run's folder that no further one may add to it."""
    usage = Usage(folder for name in KEPT if (folder := run / name).is_dir())
    with suppress(TooDeep):  # in the home of an attempt that was killed, which is removed next
        usage.measure_all()
    if usage.total > MOST:
        raise AgentFailed(
            f"the turns of {run} take more than {MOST >> 30} GB; remove what is not needed in "
            f"{run / KEPT[0]}, then continue with --resume"
        )
