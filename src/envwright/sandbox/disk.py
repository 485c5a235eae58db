"""Measure folders while other processes write to them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from envwright.sandbox.jail import JailFailed
from envwright.sandbox.slices import Slices

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
DEEPEST = 200  # levels; only hostile trees are deeper
FILE = 1024  # bytes that a file takes beside its content, even an empty one

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


def _opened(name: str, folder: int | None = None) -> int:
    """Open a folder inside a folder. Unlock it if it is locked, or it would hide its content."""
    with suppress(PermissionError):  # the folder is another user's, or locked
        return os.open(name, FOLDER | os.O_NOATIME, dir_fd=folder)  # it does not show that
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


def _taken(status: os.stat_result) -> int:
    return FILE + size(status)


class Usage:
    """The bytes in some folders, measured in slices of time so that nothing else waits."""

    def __init__(self, folders: Iterable[Path], skip: frozenset[Inode] = frozenset()) -> None:
        self.folders, self.skip = tuple(folders), skip
        self._slices = Slices(self._steps, share=0)
        self._complete = self._sum = 0

    @property
    def total(self) -> int:
        """Bytes of the last complete measurement, or of this one if it has found more by now."""
        return max(self._complete, self._sum)

    def measure(self, seconds: float = float("inf")) -> bool:
        """Continue for `seconds`; return whether a measurement is complete."""
        if not self._slices.proceed(seconds):
            return False
        self._complete = self._sum
        return True

    def _steps(self) -> Iterator[None]:
        self._sum = 0
        counted: set[Inode] = set()
        for path in self.folders:
            folder = _opened(os.path.realpath(path))
            try:
                for _, _, status in walk(folder, self.skip):
                    self._sum += FILE if inode(status) in counted else _taken(status)
                    if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
                        counted.add(inode(status))  # its other names take room, too
                    yield
            finally:
                os.close(folder)


def filled(places: Iterable[int]) -> int:
    """Return the bytes in use on the file systems of these descriptors."""
    return sum(map(_in_use, places))


def _in_use(place: int) -> int:
    state = os.fstatvfs(place)
    files = state.f_files - state.f_ffree
    return (state.f_blocks - state.f_bfree) * state.f_frsize + FILE * files
