"""Read, write and remove files where untrusted programs could write, without being misled.

Folders are entered one name at a time by descriptor. Links are never followed, special files are
never opened, locked folders are unlocked, and nothing depends on depth, length or number of names.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum, auto
from pathlib import Path

from envwright.errors import EnvwrightError
from envwright.sandbox.disk import FOLDER, Inode, inode, walk

HANDLE = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
FOLDERS, FILES = 0o755, 0o644  # modes, so that a jail of root's can read
DEEPEST = 64  # levels that are listed; only hostile trees are deeper
AT_A_TIME = 512  # inner folders that are remembered of one
NAMED = 50  # paths of a long list
LONGEST = 120  # letters of a path that is shown
ACCESS = {"system.posix_acl_default", "system.posix_acl_access"}
KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


Seen = tuple[str, os.stat_result]  # path and status


class Unusable(EnvwrightError):
    """A program left something that cannot be read as an ordinary file."""


class Fate(Enum):
    """The decision of `prune` about an entry."""

    KEEP = auto()  # a folder with all that it contains
    ENTER = auto()  # a folder: keep it and decide about each of its entries
    REMOVE = auto()
    SWEEP = auto()  # remove without a report


def shown(path: str) -> str:
    """Return a path on one line, without control characters, shortened."""
    text = path if path.isprintable() else ascii(path)[1:-1]
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}…{text[-LONGEST // 2 :]}"


# --- whole folders ---------------------------------------------------------------------------


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that it contains. Raises if anything remains."""
    with suppress(Missing), _reported("remove", path), _opened(path.parent) as parent:
        _drop(path.name, parent)


def fresh(path: Path) -> Path:
    """Create a folder that is certainly new and empty, in place of whatever was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    remove(path)
    with _reported("create", path):
        path.mkdir(FOLDERS)  # fails if something is there again
    return path


def reused(path: Path) -> Path:
    """Return a folder for another jail, with what the last one left unless none could hold it."""
    try:
        with _reported("open", path), _folder(path, (), make=True) as folder:
            deque(walk(folder), maxlen=0)
    except EnvwrightError:
        fresh(path)
    return path


# --- files -----------------------------------------------------------------------------------


def read(root: Path, path: str, most: int) -> bytes:
    """Return the bytes of an ordinary file. Raises `Unusable` for anything else."""
    *folders, name = _names(path)
    try:
        with _reported("read", root / path), _folder(root, folders) as folder:
            return _read(name, folder, path, most)
    except Missing:
        raise Unusable(f"{shown(path)} is missing") from None


def holds(root: Path, path: str, data: bytes) -> bool:
    """Return whether a file is as `write` would leave it: bytes, owner, mode, and a single name."""
    *folders, name = _names(path)
    try:
        with _reported("read", root / path), _folder(root, folders) as folder:
            return _is_plain(name, folder) and _read(name, folder, path, len(data)) == data
    except EnvwrightError:
        return False


def write(root: Path, path: str, data: bytes) -> None:
    """Write a new file in place of whatever was there, and of what is in its way."""
    *folders, name = _names(path)
    with _reported("write", root / path), _folder(root, folders, make=True) as folder:
        _drop(name, folder)
        with open(os.open(name, NEW, FILES, dir_fd=folder), "wb") as file:
            os.fchmod(file.fileno(), FILES)
            file.write(data)


def unlink(root: Path, path: str) -> None:
    """Remove a file or folder below `root`, if it is there."""
    *folders, name = _names(path)
    with (
        suppress(Missing),
        _reported("remove", root / path),
        _folder(root, folders) as folder,
    ):
        _drop(name, folder)


def make(root: Path, path: str) -> None:
    """Create a folder and its parents, in place of files and links in the way."""
    with _reported("create", root / path), _folder(root, _names(path), make=True):
        pass


# --- listing and pruning ---------------------------------------------------------------------


def listed(root: Path, path: str, most: int, skip: Container[str] = ()) -> Iterator[Seen]:
    """Yield everything but folders below a folder. Raises `Unusable` for too much or too deep."""
    with (
        suppress(Missing),
        _reported("read", root / path),
        _folder(root, _names(path)) as folder,
    ):
        for number, (name, status) in enumerate(_below(folder, path, skip, DEEPEST), 1):
            if number > most:
                raise Unusable(f"there are more than {most:,} files and folders in {shown(path)}")
            if not stat.S_ISDIR(status.st_mode):
                yield name, status


def prune(root: Path, fate: Callable[[str, os.stat_result], Fate]) -> list[str]:
    """Remove everything that is not to be kept; return its paths, at most `NAMED` of them."""
    removed: list[str] = []
    count = 0
    with _reported("tidy", root), _folder(root, (), make=True) as folder:
        for path in _pruned(folder, "", fate, DEEPEST):
            count += 1
            if len(removed) < NAMED:
                removed.append(shown(path))
    return removed + ([f"{count - NAMED:,} more"] if count > NAMED else [])


# --- parts -----------------------------------------------------------------------------------


class Missing(EnvwrightError):
    """There is no such file or folder."""


@contextmanager
def _reported(what: str, path: Path) -> Iterator[None]:
    """Turn an error of the system into a sentence."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        kind = Missing if isinstance(error, FileNotFoundError | NotADirectoryError) else None
        raise (kind or EnvwrightError)(
            f"cannot {what} {shown(str(path))}: {reason}; remove it by hand, then try again"
        ) from error


def _names(path: str) -> list[str]:
    names = path.split("/")
    if "\0" in path or not {"", ".", ".."}.isdisjoint(names):
        raise EnvwrightError(f"{shown(path)!r} is not a plain path below its folder")
    return names


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Yield a folder of ours, whose parents no program could change."""
    folder = os.open(path, FOLDER & ~os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _folder(root: Path, names: Sequence[str], make: bool = False) -> Iterator[int]:
    """Yield the folder of these names below `root`, unlocked; `make` puts missing ones there."""
    if make:
        root.parent.mkdir(parents=True, exist_ok=True)
    here = os.open(root.parent, FOLDER & ~os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for name in (root.name, *names):
            if make:
                _make(name, here)
            here = _moved(here, _enter(name, here))
        yield here
    finally:
        os.close(here)


def _make(name: str, parent: int) -> None:
    """Create a folder, in place of a file or a link of this name."""
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            return
        os.unlink(name, dir_fd=parent)
    os.mkdir(name, FOLDERS, dir_fd=parent)


def _enter(name: str, parent: int) -> int:
    """Open a folder that is not a link, after giving its owner all rights to it."""
    handle = os.open(name, HANDLE | os.O_DIRECTORY, dir_fd=parent)
    try:
        _unlock(handle, FOLDERS)
        return os.open(".", FOLDER | os.O_CLOEXEC, dir_fd=handle)
    finally:
        os.close(handle)


def _unlock(handle: int, mode: int) -> None:
    """Give an inode an ordinary mode and no access lists."""
    place = f"/proc/self/fd/{handle}"
    if stat.S_IMODE(os.fstat(handle).st_mode) != mode:
        os.chmod(place, mode)
    with suppress(OSError):  # the file system knows none
        for name in ACCESS.intersection(os.listxattr(place)):
            os.removexattr(place, name)


def _read(name: str, folder: int, path: str, most: int) -> bytes:
    handle = os.open(name, HANDLE, dir_fd=folder)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            kind = KINDS.get(stat.S_IFMT(status.st_mode), "a special file")
            raise Unusable(f"{shown(path)} is {kind}, not an ordinary file")
        if not status.st_mode & stat.S_IRUSR:
            _unlock(handle, FILES)
        with open(f"/proc/self/fd/{handle}", "rb") as file:  # this inode, whatever its name is now
            data = file.read(most + 1) if status.st_size <= most else None
    finally:
        os.close(handle)
    if data is None or len(data) > most:  # it may have grown meanwhile
        raise Unusable(f"{shown(path)} is larger than {most:,} bytes")
    return data


def _is_plain(name: str, folder: int) -> bool:
    """Return whether an entry is a file of ours that no other user may change."""
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode) or stat.S_IMODE(status.st_mode) != FILES:
        return False
    access: set[str] = set()
    with suppress(OSError):  # the file system knows none
        access = ACCESS.intersection(os.listxattr(f"/proc/self/fd/{folder}/{name}"))
    return status.st_nlink == 1 and status.st_uid == os.geteuid() and not access


def _drop(name: str, folder: int) -> None:
    """Remove an entry of an unlocked folder."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
    except IsADirectoryError:
        inner = _enter(name, folder)
        try:
            _empty(inner)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=folder)


def _empty(folder: int) -> None:
    """Remove everything in a folder. Only one folder is open at a time, however deep."""
    here = os.dup(folder)
    # From the folder down to where we are: who each is, and its inner folders to be removed.
    way: list[tuple[Inode, list[str]]] = [(inode(os.fstat(here)), [])]
    try:
        while True:
            inner = way[-1][1]
            if not inner:
                inner += _inner_folders(here)
            if inner:
                here = _moved(here, _enter(inner[-1], here))
                way.append((inode(os.fstat(here)), []))
                continue
            way.pop()
            if not way:
                return
            here = _moved(here, os.open("..", FOLDER | os.O_CLOEXEC, dir_fd=here))
            known, inner = way[-1]
            if inode(os.fstat(here)) != known:
                raise OSError("a program still moves folders there")
            os.rmdir(inner.pop(), dir_fd=here)
    finally:
        os.close(here)


def _moved(old: int, new: int) -> int:
    os.close(old)
    return new


def _inner_folders(folder: int) -> list[str]:
    """Remove all files and empty folders of a folder; return some of the other folders."""
    found: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.name, dir_fd=folder)
                continue
            try:
                os.rmdir(entry.name, dir_fd=folder)
            except OSError:
                found.append(entry.name)
            if len(found) == AT_A_TIME:
                break
    return found


def _below(folder: int, path: str, skip: Container[str], levels: int) -> Iterator[Seen]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name in skip:
                continue
            inner, status = f"{path}/{entry.name}", entry.stat(follow_symlinks=False)
            yield inner, status
            if stat.S_ISDIR(status.st_mode):
                if not levels:
                    raise Unusable(f"{shown(path)} is nested more than {DEEPEST} levels deep")
                opened = _enter(entry.name, folder)
                try:
                    yield from _below(opened, inner, skip, levels - 1)
                finally:
                    os.close(opened)


def _pruned(
    folder: int, path: str, fate: Callable[[str, os.stat_result], Fate], levels: int
) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name, status = entry.name, entry.stat(follow_symlinks=False)
            inner, is_folder = f"{path}{name}", stat.S_ISDIR(status.st_mode)
            decided = fate(inner, status)
            if decided is Fate.ENTER and is_folder and levels:
                opened = _enter(name, folder)
                try:
                    yield from _pruned(opened, f"{inner}/", fate, levels - 1)
                finally:
                    os.close(opened)
            elif decided is not Fate.KEEP:
                _drop(name, folder)
                if decided is not Fate.SWEEP:
                    yield f"{inner}/" if is_folder else inner
