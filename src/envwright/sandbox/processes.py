"""Measure and end the processes of a jail from outside."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")
CHUNK = 1 << 16
ENDED = "ZX"  # states: ended but not yet collected


@dataclass(frozen=True)
class Census:
    """The resources of some processes together; shared memory counts for each of them."""

    processes: int  # and threads
    memory: int  # bytes, resident
    cpu_seconds: float  # including processes that have ended


@dataclass(frozen=True)
class _Stat:
    """A line of /proc/<pid>/stat."""

    parent: int
    threads: int
    began: int
    memory: int
    ticks: int  # including children that it has waited for


class Inmates(Protocol):
    """All processes of a jail."""

    ended: int  # a descriptor that becomes readable when the jail has ended
    proc: int  # the folder /proc
    network: str  # the folder of a network of their own in it, if any

    def names(self) -> list[str]:
        """Return the folders in /proc of the processes that run commands."""
        ...

    def census(self) -> Census:
        """Return their current use."""
        ...

    def memory(self) -> int:
        """Return their bytes, shared ones counted once; slower than a census."""
        ...

    def kill(self) -> None:
        """End them all, if they have not ended."""
        ...

    def close(self) -> None:
        """Close the descriptors."""
        os.close(self.ended)
        os.close(self.proc)


class Namespace(Inmates):
    """The processes of a jail's namespace: ending its first process ends all others."""

    network = "1/net"

    def __init__(self, first: int, proc: int) -> None:
        self.ended, self.proc = first, proc

    def names(self) -> list[str]:
        return [name for name in _numbers(self.proc) if name != "1"]  # bubblewrap

    def census(self) -> Census:
        every = _sum(filter(None, (_stat(name, self.proc) for name in _numbers(self.proc))))
        # The first process is bubblewrap's, which waits for orphans.
        return replace(every, processes=every.processes - 1)

    def memory(self) -> int:
        return sum(_share(name, self.proc) for name in _numbers(self.proc))

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.ended, signal.SIGKILL)


class Family(Inmates):
    """Without a jail: a process and its known descendants.

    A process that detaches itself twice between two looks is lost, so this is not a jail.
    """

    network = ""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._began: dict[int, int] = {}  # because the system reuses process ids
        self.proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        self.ended = os.pidfd_open(pid)

    def names(self) -> list[str]:
        return list(map(str, self._look()))

    def census(self) -> Census:
        return _sum(iter(self._look().values()))

    def memory(self) -> int:
        return sum(_share(name, self.proc) for name in self.names())

    def kill(self) -> None:
        members = self._look()
        with suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        for pid in members:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _look(self) -> dict[int, _Stat]:
        every = {int(name): _stat(name, self.proc) for name in _numbers(self.proc)}
        there = {pid: seen for pid, seen in every.items() if seen is not None}
        family = {pid for pid, began in self._began.items() if _same(there.get(pid), began)}
        family |= {self._pid} & there.keys()
        grown = True
        while grown:
            children = {pid for pid, seen in there.items() if seen.parent in family} - family
            family |= children
            grown = bool(children)
        self._began = {pid: there[pid].began for pid in family}
        return {pid: there[pid] for pid in family}


def _same(seen: _Stat | None, began: int) -> bool:
    return seen is not None and seen.began == began


def _numbers(proc: int) -> list[str]:
    return [name for name in os.listdir(proc) if name.isdigit()]


def content(path: str, proc: int) -> str:
    """Read a file of /proc; return "" if its process has ended or is not readable."""
    try:
        file = os.open(path, os.O_RDONLY, dir_fd=proc)
    except OSError:
        return ""
    parts = []
    try:
        while part := os.read(file, CHUNK):
            parts.append(part)
    except OSError:
        return ""
    finally:
        os.close(file)
    return b"".join(parts).decode(errors="replace")


def living(name: str, proc: int) -> str:
    """Return the folder of a process's first living thread, which need not be its first.

    A thread that has ended shows neither memory nor files, even if others use them.
    """
    if _state(name, proc) in ENDED:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/self/fd/{proc}/{name}/task"):
                folder = f"{name}/task/{thread}"
                if _state(folder, proc) not in ENDED:
                    return folder
    return name


def _state(folder: str, proc: int) -> str:
    return _fields(content(f"{folder}/stat", proc))[0]


def _fields(line: str) -> list[str]:
    """Return the fields of a line of stat from the third on, which is the state."""
    # The name in brackets may contain brackets and spaces.
    return line[line.rindex(")") + 2 :].split() if line else list(ENDED)


def _stat(name: str, proc: int) -> _Stat | None:
    line = content(f"{name}/stat", proc)
    if not line:
        return None
    fields = _fields(line)
    resident = fields[21]
    if fields[0] in ENDED and (folder := living(name, proc)) != name:
        resident = (content(f"{folder}/statm", proc).split() or "00")[1]
    return _Stat(
        parent=int(fields[1]),
        threads=int(fields[17]),
        began=int(fields[19]),
        memory=int(resident) * PAGE,
        ticks=sum(map(int, fields[11:15])),
    )


def _sum(seen: Iterator[_Stat]) -> Census:
    lines = list(seen)
    return Census(
        processes=sum(line.threads for line in lines),
        memory=sum(line.memory for line in lines),
        cpu_seconds=sum(line.ticks for line in lines) / TICKS,
    )


def _share(name: str, proc: int) -> int:
    """Return the bytes of a process; a page shared by n processes counts 1/n."""
    path = f"{living(name, proc)}/smaps_rollup"
    found = re.search(r"^Pss:\s*(\d+) kB", content(path, proc), re.MULTILINE)
    if found:
        return int(found[1]) * 1024
    seen = _stat(name, proc)
    return seen.memory if seen else 0
