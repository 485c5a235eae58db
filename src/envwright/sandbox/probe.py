"""Check whether jails work on this machine."""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path

from envwright.sandbox.cgroup import limited_by
from envwright.sandbox.child import run
from envwright.sandbox.jail import Jail, JailFailed, Limits


@cache
def why_not() -> str | None:
    """Try a jail once; return None if it works, otherwise what to do."""
    if sys.platform != "linux":
        return "the sandbox needs Linux with bubblewrap; use a container, or `--unsafe`"
    with tempfile.TemporaryDirectory(prefix="envwright-") as folder:
        jail = Jail(writable=(Path(folder),), limits=Limits(seconds=20))
        try:
            done = run(["sh", "-c", "echo made > here && exit 7"], jail)
        except (JailFailed, OSError) as error:
            return str(error)
        if done.code != 7 or not (Path(folder) / "here").exists():
            told = done.stderr.strip() or f"exit code {done.code}"
            return f"bubblewrap starts, but a command in it fails: {told}"
    return None


def described(confined: bool = True) -> str:
    """Return what confines and what limits a command here, for people and records."""
    walls = "bubblewrap and seccomp" if confined else "none"
    return f"{walls}; limits by {limited_by()}"
