"""Files that are whole or absent, and folders that one process uses at a time.

What a file holds is somebody else's: readers take regular files of a bounded size.
"""

from __future__ import annotations

import errno
import fcntl
import io
import json
import math
import os
import re
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from envwright.errors import EnvwrightError

LARGEST = 1 << 28  # bytes of a file that is read at once
CHUNK = 1 << 20
LOCK = ".lock"
# In a folder of others, it may be a link to a file or a pipe that blocks.
LOCKING = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
LARGEST_RUN = 1 << 33  # of a run's own log: a line of thousands of agents is a megabyte
_SURROGATES = re.compile("[\ud800-\udfff]")


def open_regular(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file to read. Raises `OSError` if it is a pipe, a device or a folder."""
    try:
        # A pipe without a writer would block.
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:  # its name has a NUL or a surrogate
        raise OSError(errno.EINVAL, "not the name of a file", str(path)) from error
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return open(number, "rb")


def read_bytes(path: str | os.PathLike[str], most: int = LARGEST) -> bytes:
    """Read a regular file. Raises `OSError`, also for a file of more than `most` bytes."""
    data = bytearray()
    with open_regular(path) as file:
        too_large = os.fstat(file.fileno()).st_size > most
        # `read(most)` would allocate it.
        while not too_large and (part := file.read(CHUNK)):
            data += part
            too_large = len(data) > most  # it may have grown, or not tell its size
    if too_large:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes", str(path))
    return bytes(data)


def read_text(path: str | os.PathLike[str], most: int = LARGEST) -> str:
    """Read a regular file as UTF-8. Raises `OSError`, or `ValueError` if it is not UTF-8."""
    return read_bytes(path, most).decode("utf-8").replace("\r\n", "\n")


def check_target(path: str | os.PathLike[str] | None) -> None:
    """Reject a place for a file before the long work for its content; None means no file.

    The folder must exist. Devices and pipes are rejected: a file is replaced as a whole, which
    would remove them.
    """
    if path is None:
        return
    target = Path(os.path.realpath(path))
    folder, there = _kind(path, target.parent), _kind(path, Path(path))
    if folder is None or not stat.S_ISDIR(folder):
        raise EnvwrightError(
            f"cannot write {path}: there is no folder {target.parent}; make it first"
        )
    if there is not None and stat.S_ISDIR(there):
        raise EnvwrightError(f"cannot write {path}: it is a folder; name a file in it")
    if there is not None and (not stat.S_ISREG(there) or _is_descriptor(path)):
        raise EnvwrightError(f"cannot write {path}: it is not a regular file; name another")
    if not os.access(target.parent, os.W_OK):
        raise EnvwrightError(f"cannot write {path}: its folder is read-only; choose another place")


def check_folder(path: str | os.PathLike[str]) -> None:
    """Reject a folder that nothing could be put into; it need not exist."""
    target = Path(os.path.realpath(path))
    if _kind(path, Path(path)) is not None:
        target = Path(path)  # the real path of a pipe, such as /dev/stdin, is none
    while (there := _kind(path, target)) is None:
        target = target.parent
    if not stat.S_ISDIR(there):
        raise EnvwrightError(f"cannot write into {path}: {target} is not a folder")
    if not os.access(target, os.W_OK):
        raise EnvwrightError(f"cannot write into {path}: {target} is read-only")


@contextmanager
def alone(folder: Path) -> Generator[None]:
    """Lock a folder, made if need be, against other processes until the block or process ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = os.open(folder / LOCK, LOCKING, 0o644)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvwrightError(f"cannot lock {folder}: {reason}; choose another place") from error
    with open(number, "rb"):
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise EnvwrightError(
                f"another process uses {folder}; wait for it, or stop it first"
            ) from error
        yield


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder and those above it, if they are not there."""
    check_folder(path)
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error


def write_bytes(path: str | os.PathLike[str], data: bytes) -> Path:
    """Put `data` at `path`, all of it or nothing; what stood there before stays until then."""
    check_target(path)
    target = Path(os.path.realpath(path))  # through a link, so that the link stays one
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(draft, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        # Gone already, unless an error or Ctrl-C came before the replacement.
        _remove(draft)
    return target


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Put `text` at `path`, all of it or nothing."""
    return write_bytes(path, text.encode())


def write_json(path: str | os.PathLike[str], data: Any) -> Path:
    """Put `data` at `path` as JSON, all of it or nothing.

    NumPy numbers and arrays are written as numbers and lists. JSON has no NaN and no
    infinity: they become the strings "NaN", "Infinity" and "-Infinity", which `float` reads.
    """
    return write_text(path, json_text(plain(data), indent=2, allow_nan=False) + "\n")


def json_text(data: Any, **options: Any) -> str:
    """Return data as JSON that can be encoded and that every reader accepts.

    A byte of a file name that is not UTF-8 is a lone surrogate in Python. It is spelled out as
    on the terminal: `\\udcff`, six letters.
    """
    text = json.dumps(data, ensure_ascii=False, **options)
    return _SURROGATES.sub(lambda found: f"\\\\u{ord(found[0]):04x}", text)


def files_below(folder: Path, suffix: str) -> list[Path]:
    """Return the files with a suffix, in order, however deep. What vanishes meanwhile is left out.

    Unlike `Path.rglob`, which recurses and raises.
    """
    found, waiting = [], [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listed:
                entries = list(listed)
        except OSError:
            continue
        waiting += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        found += [Path(entry.path) for entry in entries if entry.name.endswith(suffix)]
    return sorted(found)


def folders_below(folder: Path, deepest: int) -> list[Path]:
    """Return a folder and those in it, down to a depth, in order.

    Unlike `Path.glob`, this follows no links and passes over what vanishes or is locked.
    """
    found, level = [folder], [folder]
    for _ in range(deepest):
        level = [inner for outer in level for inner in _folders_in(outer)]
        found += level
    return sorted(found)


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as listed:
            return [folder / e.name for e in listed if e.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def plain(value: Any) -> Any:
    """NumPy numbers and arrays as numbers and lists; what JSON cannot say, as texts."""
    if isinstance(value, dict):
        return {key: plain(inside) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inside) for inside in value]
    if hasattr(value, "tolist"):  # NumPy's and JAX's
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def _kind(asked: str | os.PathLike[str], path: Path) -> int | None:
    """Return the mode of what is at a path; None if nothing is."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unwritable(asked, error) from error


def _is_descriptor(path: str | os.PathLike[str]) -> bool:
    """Whether a path, such as /dev/stdout, leads through a descriptor to a file that is open."""
    while os.path.islink(path):
        folder = os.path.realpath(os.path.dirname(path))
        if folder.startswith("/proc/"):
            return True
        path = os.path.join(folder, os.readlink(path))
    return False


def _unwritable(path: str | os.PathLike[str], error: OSError) -> EnvwrightError:
    reason = (error.strerror or str(error)).lower()
    return EnvwrightError(f"cannot write {path}: {reason}; choose another place")


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return  # its folder forbids it, and that has been reported
