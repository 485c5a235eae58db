"""Own a jail's folders: root lends them to an unused user and takes them back.

The limit on processes does not apply to user 0 in any namespace, so root's jails run as users of
their own. Jails of other users run as these users, and nothing is lent.
"""

from __future__ import annotations

import fcntl
import os
import stat
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from envwright.sandbox import runtime
from envwright.sandbox.disk import FOLDER, Inode, TooDeep, inode, walk
from envwright.sandbox.jail import Jail, JailFailed

# Unused user ids: above those that systems assign, below the reserved ones.
FIRST_UID = 0x7000_0000
AT_ONCE = 64  # jails of one process
PIDS = 1 << 22  # the kernel's limit

_taken: set[int] = set()
_lock = threading.Lock()


def is_root() -> bool:
    """Return whether this process is the machine's user 0, not just a container's."""
    if os.geteuid() != 0:
        return False
    inside, outside, count = map(int, Path("/proc/self/uid_map").read_text().split()[:3])
    return inside == outside == 0 and count > FIRST_UID + AT_ONCE * PIDS - 1


@contextmanager
def lent(jail: Jail) -> Iterator[int | None]:
    """Yield the user that runs the jail and owns its folders meanwhile; None is the caller."""
    with ExitStack() as stack:
        folders = [stack.enter_context(_locked(path)) for path in jail.folders]
        if not (jail.confined and is_root()):
            yield None
            return
        uid = stack.enter_context(_own_uid())
        skip = read_only(jail)
        for folder in folders:
            stack.enter_context(_handed_over(folder, uid, skip))
        yield uid


def read_only(jail: Jail) -> frozenset[Inode]:
    """Return the read-only paths, which may lie inside writable folders."""
    paths = {*jail.readable, *runtime.interpreter()} - {*jail.writable, jail.home}
    return frozenset(inode(path.stat()) for path in paths)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Yield a folder's descriptor, locked against other jails."""
    folder = os.open(path, FOLDER & ~os.O_NOFOLLOW)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"{path} is in use by another jail; pass a separate folder to each"
            raise JailFailed(message) from None
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _own_uid() -> Iterator[int]:
    mine = FIRST_UID + os.getpid() % PIDS * AT_ONCE
    with _lock:
        free = next((uid for uid in range(mine, mine + AT_ONCE) if uid not in _taken), None)
        if free is None:
            raise JailFailed(f"{AT_ONCE} jails are open, which is the maximum; close some")
        _taken.add(free)
    try:
        yield free
    finally:
        with _lock:
            _taken.discard(free)


@contextmanager
def _handed_over(folder: int, uid: int, skip: frozenset[Inode]) -> Iterator[None]:
    outside = _linked_outside(folder, skip)
    top = os.fstat(folder)
    usual = _owner(top)
    others: dict[Inode, tuple[int, int]] = {}
    try:
        for parent, name, status in walk(folder, skip):
            if inode(status) in outside:
                continue
            if _owner(status) != usual:
                others[inode(status)] = _owner(status)
            _give(parent, name, (uid, uid))
        os.fchown(folder, uid, uid)
        yield
    finally:
        os.fchown(folder, *usual)
        try:
            for parent, name, status in walk(folder, skip):
                if status.st_uid == uid:
                    _give(parent, name, others.get(inode(status), usual))
        except TooDeep:
            pass  # still another user's, but root can read and remove it


def _give(parent: int, name: str, owner: tuple[int, int]) -> None:
    with suppress(FileNotFoundError):  # the caller may remove things meanwhile
        os.chown(name, *owner, dir_fd=parent, follow_symlinks=False)


def _owner(status: os.stat_result) -> tuple[int, int]:
    """Return user and group; root's for files that a killed keeper's jail left behind."""
    if FIRST_UID <= status.st_uid < FIRST_UID + AT_ONCE * PIDS:
        return 0, 0
    return status.st_uid, status.st_gid


def _linked_outside(folder: int, skip: frozenset[Inode]) -> set[Inode]:
    """Return files with a name elsewhere, which the jail could change if it owned them."""
    names: Counter[Inode] = Counter()
    links: dict[Inode, int] = {}
    for _, _, status in walk(folder, skip):
        if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
            names[inode(status)] += 1
            links[inode(status)] = status.st_nlink
    return {file for file, count in names.items() if count < links[file]}
