"""Measure folders while other processes write to them."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from envwright.sandbox.jail import JailFailed

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
DEEPEST = 200  # levels; only hostile trees are deeper

Inode = tuple[int, int]  # device and number
Entry = tuple[int, str, os.stat_result]  # descriptor of its folder, name, status


class TooDeep(JailFailed):
    """A folder is nested too deep."""


def inode(status: os.stat_result) -> Inode:
    """Return the identity of a file, whatever its names."""
    return status.st_dev, status.st_ino


def walk(
    folder: int, skip: frozenset[Inode] = frozenset(), levels: int = DEEPEST
) -> Iterator[Entry]:
    """Yield everything below an open folder; follow no link, not even a new one."""
    if not levels:
        raise TooDeep(f"folders are nested more than {DEEPEST} levels deep; remove them")
    with os.scandir(folder) as listing:
        for found in listing:
            try:
                status = found.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if inode(status) in skip:
                continue
            yield folder, found.name, status
            if stat.S_ISDIR(status.st_mode):
                with suppress(OSError):  # gone or replaced meanwhile
                    inner = _opened(found.name, folder)
                    try:
                        yield from walk(inner, skip, levels - 1)
                    finally:
                        os.close(inner)


def _opened(name: str, folder: int) -> int:
    """Open a folder inside a folder. Unlock it if it is locked, or it would hide its content."""
    try:
        return os.open(name, FOLDER, dir_fd=folder)
    except PermissionError:
        handle = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=folder)
        try:
            mode = stat.S_IMODE(os.fstat(handle).st_mode)
            os.chmod(f"/proc/self/fd/{handle}", mode | stat.S_IRWXU)
        finally:
            os.close(handle)
        return os.open(name, FOLDER, dir_fd=folder)


def size(status: os.stat_result) -> int:
    """Return the bytes of a file, counting holes as filled."""
    return max(status.st_size, status.st_blocks * 512)


class Usage:
    """The bytes in some folders, measured in slices of time so that nothing else waits."""

    def __init__(self, folders: Iterable[Path], skip: frozenset[Inode] = frozenset()) -> None:
        self.folders, self.skip = tuple(folders), skip
        self._sizes: Iterator[int] | None = None
        self._sum = 0
        self.total = 0  # of the last complete measurement

    def measure(self, seconds: float = float("inf")) -> bool:
        """Continue for `seconds`; return whether a measurement is complete."""
        deadline = time.monotonic() + seconds
        if self._sizes is None:
            self._sizes, self._sum = self._all(), 0
        for bytes_ in self._sizes:
            self._sum += bytes_
            if time.monotonic() > deadline:
                return False
        self._sizes, self.total = None, self._sum
        return True

    def _all(self) -> Iterator[int]:
        counted: set[Inode] = set()
        for path in self.folders:
            folder = os.open(path, FOLDER & ~os.O_NOFOLLOW)
            try:
                for _, _, status in walk(folder, self.skip):
                    if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
                        if inode(status) in counted:
                            continue
                        counted.add(inode(status))
                    yield size(status)
            finally:
                os.close(folder)


def filled(places: Iterable[int]) -> int:
    """Return the bytes in use on the file systems of these descriptors."""
    states = [os.fstatvfs(place) for place in places]
    return sum((state.f_blocks - state.f_bfree) * state.f_frsize for state in states)
