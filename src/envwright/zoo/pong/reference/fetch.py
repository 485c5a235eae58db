"""Fetch PufferLib's source package by name, check its hash, and keep the few needed files."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from envwright.core.progress import Say, quiet
from envwright.errors import EnvwrightError, MissingPackage

PACKAGE, VERSION = "pufferlib", "3.0.0"
ARCHIVE = f"{PACKAGE}-{VERSION}.tar.gz"
SHA256 = "7df3a3e3f5f894d78d2a1f5374097890aec01473183e748abefe4f3faa10eaa9"
SET_UP = "python -m envwright.zoo.pong.reference"

RAYLIB = "raylib-5.5_linux_amd64"
NEEDED = (
    "LICENSE",
    "setup.py",  # its flags are ours; a test compares them
    "pufferlib/ocean/env_binding.h",
    "pufferlib/ocean/pong/binding.c",
    "pufferlib/ocean/pong/pong.h",
    "pufferlib/ocean/pong/pong.py",  # its settings are ours; a test compares them
    f"{RAYLIB}/include/raylib.h",
    f"{RAYLIB}/lib/libraylib.a",
)


def cache_folder() -> Path:
    """Return the folder of the reference, below `$ENVWRIGHT_CACHE` or the user's cache."""
    cache = os.environ.get("ENVWRIGHT_CACHE") or Path.home() / ".cache/envwright"
    return Path(cache) / "references" / f"{PACKAGE}-{VERSION}"


def sources() -> Path:
    """Return the folder of the unpacked files; it is complete or absent."""
    return cache_folder() / "sources"


def fetch(say: Say = quiet) -> Path:
    """Download and unpack, unless that was done before; return the folder of the files.

    Without a network, the package's file may be put into `cache_folder()` by hand.
    """
    if sources().is_dir():
        return sources()
    with alone(), draft_folder("fetch") as draft:
        if sources().is_dir():  # another process unpacked it meanwhile
            return sources()
        by_hand = cache_folder() / ARCHIVE
        archive = by_hand if by_hand.is_file() else _download(draft, say)
        _check(archive)
        say(f"unpacking {len(NEEDED)} files of {ARCHIVE}")
        _unpack(archive, draft / "sources")
        os.replace(draft / "sources", sources())
    return sources()


@contextmanager
def alone() -> Iterator[None]:
    """Let one process at a time set the reference up."""
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        lock = open(cache_folder() / "lock", "w")  # noqa: SIM115  closed below
    except OSError as error:
        raise EnvwrightError(
            f"cannot keep the reference in {cache_folder()} ({error.strerror}); "
            "name a folder with ENVWRIGHT_CACHE"
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def draft_folder(kind: str) -> Iterator[Path]:
    """Make a temporary folder beside the result. Call it inside `alone`: it clears older ones."""
    for left in cache_folder().glob(f".{kind}-*"):  # left by a process that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=cache_folder(), prefix=f".{kind}-") as folder:
        yield Path(folder)


def _download(folder: Path, say: Say) -> Path:
    try:
        from unearth import PackageFinder
    except ModuleNotFoundError as error:
        raise MissingPackage(
            f"fetching the reference of Pong needs the package {error.name!r}; "
            "install it with pip install 'envwright[reference]'"
        ) from error
    say(f"fetching {PACKAGE} {VERSION} (60 MB)")
    asked = os.environ.get("PIP_INDEX_URL")
    finder = PackageFinder(index_urls=[asked] if asked else [], no_binary=[PACKAGE])
    try:
        found = next(iter(finder.find_matches(f"{PACKAGE}=={VERSION}")), None)
        if found is not None:
            return finder.download(found.link, folder, hashes={"sha256": [SHA256]})
        reason = "the registry does not answer or does not have it"
    except Exception as error:  # anything that the network and its library raise
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
    raise EnvwrightError(
        f"{PACKAGE} {VERSION} could not be fetched ({reason}); try again with a network, "
        f"or put its file {ARCHIVE} into {cache_folder()}"
    )


def _check(archive: Path) -> None:
    with open(archive, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise EnvwrightError(
            f"{archive.name} is not the file that was verified: its sha256 is {found}, not "
            f"{SHA256}; remove it from {archive.parent} and fetch it again"
        )


def _unpack(archive: Path, target: Path) -> None:
    """Unpack the needed files, read by name: paths in the archive do not decide where they go."""
    with tarfile.open(archive) as files:
        for name in NEEDED:
            packed = files.extractfile(f"{PACKAGE}-{VERSION}/{name}")
            assert packed is not None, f"{name} is a file"
            place = target / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(packed.read())
