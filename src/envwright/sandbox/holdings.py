"""Measure what processes hold that is neither resident memory nor a file with a name.

Other ways to hold memory or files do not exist in a jail: see `syscalls`.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from errno import ENAMETOOLONG
from pathlib import Path

from envwright.sandbox.disk import size
from envwright.sandbox.processes import PAGE, Inmates, content, living
from envwright.sandbox.slices import Slices

# What something can hold at most, whether it does or not.
PIPE = 16 * PAGE
DESCRIPTOR = 1024  # bytes in the kernel; some are larger
MAPPING = 256
WATCH = 256  # one descriptor or file that epoll or inotify observes
LOCK = 256  # one range of a file
NOTICES = 16_384 * 320  # events that wait in an inotify instance, with long names
USUAL_BUFFER = 212_992
# Seconds for which a descriptor may be on its way from one process to another.
PATIENCE = 5.0
GONE = " (deleted)"
TOO_LONG = f"…{GONE}"  # a path that the kernel does not show, so it may be deleted
WATCHERS = {"anon_inode:[eventpoll]": 0, "anon_inode:inotify": NOTICES}


class Holdings:
    """The holdings of a jail, as of the last look or, if it has found more by now, of this one."""

    def __init__(self, inmates: Inmates, places: Iterable[int]) -> None:
        self._inmates = inmates
        # Deleted files on these file systems are among the blocks in use.
        self._counted = frozenset(os.fstat(place).st_dev for place in places)
        self.release()
        self._hidden_since: float | None = None
        self._slices = Slices(self._steps)

    @property
    def memory(self) -> int:
        """Bytes in the kernel: buffers, page tables, descriptors; and in swap."""
        return max(self._last.memory, self._this.memory)

    @property
    def files(self) -> int:
        """Bytes in deleted files that are still open or mapped."""
        return max(self._last.files, self._this.files)

    @property
    def hidden(self) -> bool:
        """Whether descriptors have been out of sight for longer than passing them takes."""
        since = self._hidden_since
        return since is not None and time.monotonic() - since > PATIENCE

    def measure(self, seconds: float) -> None:
        """Continue to look for `seconds`."""
        if self._slices.proceed(seconds):
            self._last = self._this
            if not self._last.hidden:
                self._hidden_since = None
            elif self._hidden_since is None:
                self._hidden_since = time.monotonic()

    def release(self) -> None:
        """Forget everything: the processes have ended."""
        self._last = self._this = _Look(self._inmates, self._counted)

    def _steps(self) -> Iterator[None]:
        self._this = _Look(self._inmates, self._counted)
        return self._this.steps()


class _Look:
    """One look at all processes."""

    def __init__(self, inmates: Inmates, counted: frozenset[int]) -> None:
        self._inmates, self._proc, self._counted = inmates, inmates.proc, counted
        self._pipes: set[str] = set()
        self._deleted: dict[int, int] = {}  # bytes by inode
        self.memory = 0
        self.hidden = 0  # descriptors on their way, and processes that cannot be looked into

    @property
    def files(self) -> int:
        return sum(self._deleted.values())

    def steps(self) -> Iterator[None]:
        for name in self._inmates.names():
            folder = living(name, self._proc)
            # Processes end at any time.
            with suppress(FileNotFoundError, ProcessLookupError):
                yield from self._descriptors(folder)
                self._tables(folder)
                yield
                self._mappings(folder)
                yield
        self._sockets()

    def _descriptors(self, folder: str) -> Iterator[None]:
        try:
            names = os.listdir(f"/proc/self/fd/{self._proc}/{folder}/fd")
        except PermissionError:
            self.hidden += _hides(folder, self._proc)
            return
        for name in names:
            path = f"{folder}/fd/{name}"
            with suppress(OSError):
                self._descriptor(_target(path, self._proc), path)
            yield

    def _descriptor(self, target: str, path: str) -> None:
        self.memory += DESCRIPTOR
        if target.startswith(("pipe:", "/dev/pts/", "/dev/ptmx")):
            self.memory += 0 if target in self._pipes else PIPE
            self._pipes.add(target)
        elif target.startswith("socket:"):
            self.hidden += _on_their_way(_information(path), self._proc)
        elif target in WATCHERS:
            lines = content(_information(path), self._proc).count("\n")
            self.memory += WATCHERS[target] + WATCH * lines
        else:
            self.memory += LOCK * content(_information(path), self._proc).count("\nlock:")
            if target.endswith(GONE):
                self._file(os.stat(path, dir_fd=self._proc))

    def _file(self, status: os.stat_result) -> None:
        if stat.S_ISREG(status.st_mode) and not status.st_nlink:
            self._keep(status.st_dev, status.st_ino, size(status))

    def _keep(self, device: int, inode: int, bytes_: int) -> None:
        if device not in self._counted:
            self._deleted[inode] = max(bytes_, self._deleted.get(inode, 0))

    def _tables(self, folder: str) -> None:
        found = re.findall(
            r"^Vm(?:PTE|Swap):\s*(\d+) kB", content(f"{folder}/status", self._proc), re.M
        )
        self.memory += 1024 * sum(map(int, found))

    def _mappings(self, folder: str) -> None:
        lines = content(f"{folder}/maps", self._proc).splitlines()
        self.memory += MAPPING * len(lines)
        for line in lines:
            if line.endswith(GONE):
                self._mapping(folder, *line.split(maxsplit=5)[:5])

    def _mapping(
        self, folder: str, where: str, _: str, offset: str, place: str, inode: str
    ) -> None:
        try:
            self._file(os.stat(f"{folder}/map_files/{where}", dir_fd=self._proc))
        except OSError:  # only root sees the file, others its mapped part
            first, last = (int(end, 16) for end in where.split("-"))
            device = os.makedev(*(int(number, 16) for number in place.split(":")))
            self._keep(device, int(inode), int(offset, 16) + last - first)

    def _sockets(self) -> None:
        """Add the network's buffers: every socket has one, and connections have larger ones."""
        network = self._inmates.network
        if network:
            found = re.search(r"^sockets: used (\d+)", content(f"{network}/sockstat", self._proc))
            self.memory += buffer_size() * int(found[1]) if found else 0
            for table in ("tcp", "tcp6"):
                lines = content(f"{network}/{table}", self._proc).splitlines()[1:]
                self.memory += sum(_queued(line) for line in lines)


def buffer_size() -> int:
    """Return the bytes that a socket can hold for one direction."""
    try:
        usual = [Path(f"/proc/sys/net/core/{way}mem_default").read_text() for way in "rw"]
    except OSError:
        return USUAL_BUFFER
    return max(map(int, usual))


def _queued(line: str) -> int:
    """Return the bytes that wait in a connection, from a line of /proc/net/tcp."""
    return sum(int(queue, 16) for queue in line.split()[4].split(":"))


def _target(path: str, proc: int) -> str:
    """Return what a descriptor leads to."""
    try:
        return os.readlink(path, dir_fd=proc)
    except OSError as error:
        if error.errno != ENAMETOOLONG:
            raise
        return TOO_LONG


def _information(path: str) -> str:
    return path.replace("/fd/", "/fdinfo/")


def _on_their_way(path: str, proc: int) -> int:
    found = re.search(r"^scm_fds:\s*(\d+)", content(path, proc), re.MULTILINE)
    return int(found[1]) if found else 0


def _hides(folder: str, proc: int) -> bool:
    """Return whether an ordinary user's process has made itself another's."""
    with suppress(OSError):
        owner = os.stat(f"{folder}/fd", dir_fd=proc).st_uid
        return os.geteuid() not in (0, owner)
    return False
