"""How much lies in a folder that others are writing to."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from envwright.sandbox.jail import JailFailed

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
DEEPEST = 200  # levels; deeper trees are made to trouble those who walk them

Inode = tuple[int, int]  # device and number
Entry = tuple[int, str, os.stat_result]  # descriptor of its folder, name, status


class TooDeep(JailFailed):
    """A folder nested deeper than anybody needs."""


def inode(status: os.stat_result) -> Inode:
    """What tells a file from all others, whatever its names."""
    return status.st_dev, status.st_ino


def walk(
    folder: int, skip: frozenset[Inode] = frozenset(), levels: int = DEEPEST
) -> Iterator[Entry]:
    """Everything below an open folder. No link is followed, not even one put there meanwhile."""
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
    """A folder in a folder. One that was locked is unlocked, as it would hide what it holds."""
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
    """Bytes that a file takes, or would take if its holes were filled."""
    return max(status.st_size, status.st_blocks * 512)


class Usage:
    """Bytes in some folders, measured in slices of time so that nothing else has to wait."""

    def __init__(self, folders: Iterable[Path], skip: frozenset[Inode] = frozenset()) -> None:
        self.folders, self.skip = tuple(folders), skip
        self._sizes: Iterator[int] | None = None
        self._sum = 0
        self.total = 0  # of the last complete measurement

    def measure(self, seconds: float = float("inf")) -> bool:
        """Go on for so long; whether a measurement has been completed."""
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
    """Bytes in use on the file systems of these descriptors."""
    states = [os.fstatvfs(place) for place in places]
    return sum((state.f_blocks - state.f_bfree) * state.f_frsize for state in states)
