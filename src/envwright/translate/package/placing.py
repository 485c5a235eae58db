"""Put a finished draft in the place of an earlier package, all of it or nothing.

The entries of the earlier package are set aside, in a folder that says which they are. A process
that is killed leaves that folder, and the next one puts them back.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from envwright.core.files import read_text
from envwright.errors import EnvwrightError

DRAFT = ".draft-"
LEAVING, LEFT = ".replacing-", ".replaced-"  # entries are being set aside; all of them are
NAMES = "names.json"


@contextmanager
def alone_in(folder: Path, known: Collection[str]) -> Iterator[None]:
    """Keep others from writing a package here, and undo what a killed process has half done.

    Only `known` entries are touched, whatever the folder says.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise EnvwrightError(
                f"another process writes a package in {folder}; wait for it, or stop it first"
            ) from error
        for aside in asides(folder):
            _put_back(aside, folder, [name for name in _stored(aside) if name in known])
        for draft in folder.glob(f"{DRAFT}*"):
            _discard(draft)
        yield
    finally:
        os.close(handle)


def asides(folder: Path) -> list[Path]:
    """Return the folders in which a process that was killed has left an earlier package."""
    found = [*folder.glob(f"{LEAVING}*"), *folder.glob(f"{LEFT}*")]
    return [place for place in found if place.is_dir() and not place.is_symlink()]


@contextmanager
def draft_in(folder: Path) -> Iterator[Path]:
    """Make a draft beside what it replaces, and remove it at the end."""
    draft = Path(tempfile.mkdtemp(dir=folder.resolve(), prefix=DRAFT))
    try:
        draft.chmod(0o755)  # a jail's user reads it
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def replace(draft: Path, folder: Path, names: Sequence[str]) -> None:
    """Put the entries of a draft into a folder; an entry that the draft lacks is removed.

    If anything fails, the folder and the draft are left as they were.
    """
    suffix = secrets.token_hex(4)
    leaving, left, done = (folder / f"{prefix}{suffix}" for prefix in (LEAVING, LEFT, DRAFT))
    try:
        leaving.mkdir()
        (leaving / NAMES).write_text(json.dumps(names))
        for name in names:
            _move(name, folder, leaving)
        os.rename(leaving, left)
        for name in names:
            _move(name, draft, folder)
        os.rename(left, done)  # from here on, the new package stays
    except BaseException:
        if left.exists():  # so what stands in the folder is the draft's
            _take_back(draft, folder, names)
        for aside in (leaving, left):
            if aside.exists():
                _put_back(aside, folder, names)
        raise
    _discard(done)


def _take_back(draft: Path, folder: Path, names: Sequence[str]) -> None:
    """Move the entries of a draft that were placed already back into it."""
    for name in names:
        if not os.path.lexists(_inside(draft, name)):
            with suppress(OSError):  # the earlier package takes its place all the same
                _move(name, folder, draft)


def _put_back(aside: Path, folder: Path, names: Sequence[str]) -> None:
    """Move the entries of an earlier package back, in place of those of its successor."""
    for name in names:
        had = os.path.lexists(_inside(aside, name))
        if had or aside.name.startswith(LEFT):
            _discard(_inside(folder, name))
        if had:
            _move(name, aside, folder)
    _discard(aside)


def _move(name: str, source: Path, target: Path) -> None:
    """Move an entry if it is there."""
    here, there = _inside(source, name), _inside(target, name)
    if os.path.lexists(here):
        there.parent.mkdir(parents=True, exist_ok=True)
        os.rename(here, there)


def _inside(folder: Path, name: str) -> Path:
    """Return the path of an entry. Raises `OSError` if a link leads out of the folder."""
    for above in [folder / part for part in Path(name).parents][:-1]:
        if above.is_symlink():
            raise OSError(errno.ELOOP, "a link", str(above))
    return folder / name


def _stored(aside: Path) -> list[str]:
    """Return the entries that a folder is about; [] if nothing was moved into it yet."""
    try:
        names = json.loads(read_text(aside / NAMES))
    except (OSError, ValueError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _discard(path: Path) -> None:
    """Remove a file, a link, or a folder with all that it contains."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
