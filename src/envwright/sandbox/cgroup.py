"""Limit a jail's memory and processes by cgroup v2, where this process may.

The kernel then counts everything that a jail holds, at the moment it is taken. A cgroup comes
from systemd, or is made below one whose controllers are at this process's disposal.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from envwright.sandbox.jail import MB, JailFailed, Limits

ROOT = Path("/sys/fs/cgroup")
SYSTEMD = Path("/run/systemd/system")  # exists while systemd runs
NEEDED = {"memory", "pids"}
NAME = "envwright-{pid}-{number}"
PATIENCE = 10.0  # seconds for systemd to answer
REMOVAL = 10.0  # seconds for the processes of a cgroup to be gone
ROOM = 64 * MB  # for bubblewrap and the kernel, so that the watcher sees a limit reached first
# What systemd adds to the environment of commands, or needs and a jail must not see.
BUS = ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
SCOPE = ("INVOCATION_ID", "SYSTEMD_EXEC_PID")

_numbers = itertools.count()


@dataclass(frozen=True)
class Way:
    """How this process makes cgroups."""

    name: str
    parent: Path | None = None  # make one below; None: ask systemd


class Cgroup:
    """The cgroup of one jail."""

    def __init__(self, words: tuple[str, ...], env: dict[str, str], folder: Path | None) -> None:
        self.words, self.env = words, env  # precede a command to start it inside
        self._folder = folder

    def entered(self, pid: int) -> None:
        """Find the cgroup of a process that was started with these words."""
        self._folder = self._folder or folder_of(pid)
        self._write("memory.oom.group", "1")

    def memory(self) -> int | None:
        """Return the bytes that its processes hold, without what the kernel can drop."""
        counts = self._counts("memory.stat")
        if not counts:
            return None
        dropped = counts["file"] - counts["shmem"] + counts.get("slab_reclaimable", 0)
        return int(self._read("memory.current") or 0) - dropped

    @property
    def overflowed(self) -> bool:
        """Whether the kernel ended processes because the memory was used up."""
        return self._counts("memory.events").get("oom_kill", 0) > 0

    def _counts(self, name: str) -> dict[str, int]:
        pairs = (line.split() for line in self._read(name).splitlines())
        return {key: int(value) for key, value in pairs}

    def _read(self, name: str) -> str:
        with suppress(OSError):  # systemd removes it with its last process
            return (self._folder / name).read_text() if self._folder else ""
        return ""

    def _write(self, name: str, value: str) -> None:
        with suppress(OSError):
            if self._folder:
                (self._folder / name).write_text(value)


def bounds(limits: Limits) -> dict[str, str]:
    """Return a cgroup's settings. The watcher's limits are slightly lower, and it has reasons."""
    # Files in /tmp and /dev/shm are memory too.
    memory = (limits.memory_mb + limits.disk_mb) * MB + ROOM
    processes = limits.processes + limits.processes // 8 + 32
    return {"memory.max": str(memory), "memory.swap.max": "0", "pids.max": str(processes)}


@contextmanager
def around(limits: Limits) -> Iterator[Cgroup | None]:
    """Yield a cgroup for one jail and remove it afterwards; None where there are none."""
    found = way()
    if found is None:
        yield None
    elif found.parent is None:
        yield Cgroup(_scope(limits), _bus(), None)
    else:
        with _below(found.parent, bounds(limits)) as folder:
            enter = ("/bin/sh", "-c", 'echo 0 >"$0/cgroup.procs" && exec "$@"', str(folder))
            yield Cgroup(enter, {}, folder)


@cache
def way() -> Way | None:
    """Find out once how cgroups can be made here, by making one."""
    if SYSTEMD.is_dir() and shutil.which("systemd-run") and _scope_holds():
        return Way("systemd-run --scope" if os.geteuid() == 0 else "systemd-run --user --scope")
    parent = _parent()
    if parent is not None:
        with suppress(JailFailed), _below(parent, bounds(Limits())):
            return Way(f"cgroups below {parent}", parent)
    return None


def limited_by() -> str:
    """Return how memory and processes of jails are limited here, for people and records."""
    found = way()
    return f"cgroup v2 ({found.name})" if found else "polling"


def folder_of(pid: int | str) -> Path | None:
    """Return the folder of a process's cgroup, if version 2 has it."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            if line.startswith("0::"):
                return ROOT / line[3:].lstrip("/")
    return None


def _parent() -> Path | None:
    """Return the closest folder above this process that has controllers for new cgroups."""
    own = folder_of("self")
    if own is None:
        return None
    for folder in (own, *own.parents):
        with suppress(OSError):
            offered = set((folder / "cgroup.subtree_control").read_text().split())
            # A process may be moved by whoever may write here.
            if offered >= NEEDED and os.access(folder / "cgroup.procs", os.W_OK):
                return folder
        if folder == ROOT:
            break
    return None


@contextmanager
def _below(parent: Path, settings: dict[str, str]) -> Iterator[Path]:
    _sweep(parent)
    folder = parent / NAME.format(pid=os.getpid(), number=next(_numbers))
    try:
        folder.mkdir()
        for name, value in settings.items():
            # Kernels without swap have no limit of it.
            with suppress(OSError) if "swap" in name else nullcontext():
                (folder / name).write_text(value)
    except OSError as error:
        _remove(folder)
        raise JailFailed(f"no cgroup can be made: {error}; check the limits of {parent}") from None
    try:
        yield folder
    finally:
        _remove(folder)


def _sweep(parent: Path) -> None:
    """Remove what killed processes have left."""
    for folder in parent.glob(NAME.format(pid="*", number="*")):
        if not os.path.exists(f"/proc/{folder.name.split('-')[1]}"):
            with suppress(OSError):
                folder.rmdir()


def _remove(folder: Path) -> None:
    with suppress(OSError):
        (folder / "cgroup.kill").write_text("1")
    deadline = time.monotonic() + REMOVAL
    while folder.exists() and time.monotonic() < deadline:
        with suppress(OSError):  # its processes are ending
            folder.rmdir()
            return
        time.sleep(0.01)


def _scope(limits: Limits) -> tuple[str, ...]:
    settings = bounds(limits)
    properties = {
        "MemoryMax": settings["memory.max"],
        "MemorySwapMax": settings["memory.swap.max"],
        "TasksMax": settings["pids.max"],
    }
    user = [] if os.geteuid() == 0 else ["--user"]
    found = shutil.which("systemd-run") or "systemd-run"
    unset = (word for name in (*BUS, *SCOPE) for word in ("-u", name))
    return (
        *(found, *user, "--scope", "--collect", "--quiet"),
        *(word for name, value in properties.items() for word in ("-p", f"{name}={value}")),
        *("--", "/usr/bin/env", *unset),
    )


def _bus() -> dict[str, str]:
    return {name: os.environ[name] for name in BUS if name in os.environ}


def _scope_holds() -> bool:
    """Start a command in a scope and compare the limit that it has with the one asked for."""
    limits = Limits()
    tell = f'cat "{ROOT}$(sed -n s/^0:://p /proc/self/cgroup)/memory.max"'
    try:
        asked = subprocess.run(
            [*_scope(limits), "/bin/sh", "-c", tell],
            env={**_bus(), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.stdout.strip() == bounds(limits)["memory.max"]
