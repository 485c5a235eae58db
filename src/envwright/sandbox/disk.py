"""Measure folders while other processes write to them."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from envwright.sandbox.jail import JailFailed
from envwright.sandbox.slices import Slices

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
DEEPEST = 200  # levels; only hostile trees are deeper
FILE = 1024  # bytes that a file takes beside its content, even an empty one
PATIENCE = 1.0  # seconds for which programs may lock a folder

Inode = tuple[int, int]  # device and number
Entry = tuple[int, str, os.stat_result]  # descriptor of its folder, name, status


class TooDeep(JailFailed):
    """A folder is nested too deep."""


def inode(status: os.stat_result) -> Inode:
    """Return the identity of a file, whatever its names."""
    return status.st_dev, status.st_ino


def unlock(handle: int) -> None:
    """Give the owner of a folder all rights to it. Programs could see that while they run."""
    mode = stat.S_IMODE(os.fstat(handle).st_mode)
    os.chmod(f"/proc/self/fd/{handle}", mode | stat.S_IRWXU)


def walk(
    folder: int,
    skip: frozenset[Inode] = frozenset(),
    levels: int = DEEPEST,
    locked: Callable[[int], None] = unlock,
) -> Iterator[Entry]:
    """Yield everything below an open folder; follow no link, not even a new one.

    `locked` is given the folders that hide their content. They are passed over if they still do.
    """
    if not levels:
        raise TooDeep(f"folders are nested more than {DEEPEST} levels deep; remove them")
    with os.scandir(folder) as listing:
        for found in listing:
            try:
                status = _status(found, folder, locked)
            except (FileNotFoundError, PermissionError):
                continue
            if inode(status) in skip:
                continue
            yield folder, found.name, status
            if stat.S_ISDIR(status.st_mode):
                with suppress(OSError):  # gone or replaced meanwhile
                    inner = _opened(found.name, folder, locked)
                    try:
                        yield from walk(inner, skip, levels - 1, locked)
                    finally:
                        os.close(inner)


def _status(found: os.DirEntry[str], folder: int, locked: Callable[[int], None]) -> os.stat_result:
    """Return an entry's status. Some locked folders show the names of their entries only."""
    with suppress(PermissionError):
        return found.stat(follow_symlinks=False)
    locked(folder)
    return found.stat(follow_symlinks=False)


def _opened(name: str, folder: int | None = None, locked: Callable[[int], None] = unlock) -> int:
    """Open a folder inside a folder, after `locked` if it cannot be read."""
    for quietly in (os.O_NOATIME, 0):  # it does not show that; the folder may be somebody else's
        with suppress(PermissionError):
            return os.open(name, FOLDER | quietly, dir_fd=folder)
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=folder)
    try:
        locked(handle)
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
        self._locked = False  # whether this measurement met a locked folder
        self._locked_since: float | None = None

    @property
    def total(self) -> int:
        """Bytes of the last complete measurement, or of this one if it has found more by now."""
        return max(self._complete, self._sum)

    @property
    def hidden(self) -> bool:
        """Whether folders have been locked for longer than a program has a reason to."""
        since = self._locked_since
        return since is not None and time.monotonic() - since > PATIENCE

    def measure(self, seconds: float = float("inf")) -> bool:
        """Continue for `seconds`; return whether a measurement is complete.

        Other processes may see changes, so nothing is unlocked.
        """
        if not self._slices.proceed(seconds):
            return False
        self._complete = self._sum
        if not self._locked:
            self._locked_since = None
        return True

    def measure_all(self) -> None:
        """Measure everything once, locked folders as well, while no other process runs."""
        for _ in self._steps(unlock):
            pass
        self._complete = self._sum

    def _steps(self, locked: Callable[[int], None] | None = None) -> Iterator[None]:
        self._sum, self._locked = 0, False
        counted: set[Inode] = set()
        locked = locked or self._meet
        for path in self.folders:
            try:
                folder = _opened(os.path.realpath(path), locked=locked)
            except PermissionError:
                continue
            try:
                for _, _, status in walk(folder, self.skip, locked=locked):
                    self._sum += FILE if inode(status) in counted else _taken(status)
                    if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
                        counted.add(inode(status))  # its other names take room, too
                    yield
            finally:
                os.close(folder)

    def _meet(self, handle: int) -> None:
        """Note a locked folder. Programs cannot lock those of other users."""
        if os.fstat(handle).st_uid == os.geteuid():
            self._locked = True
            self._locked_since = self._locked_since or time.monotonic()


def filled(places: Iterable[int]) -> int:
    """Return the bytes in use on the file systems of these descriptors."""
    return sum(map(_in_use, places))


def _in_use(place: int) -> int:
    state = os.fstatvfs(place)
    files = state.f_files - state.f_ffree
    return (state.f_blocks - state.f_bfree) * state.f_frsize + FILE * files
