"""Interpreters with a pinned version of a package, each in a virtual environment of its own.

An environment holds the pinned package and whatever it needs that is not installed here. It borrows
everything else from this interpreter, whose packages come last on its path. Environments lie in
the user's cache and are whole or absent.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from envwright.core.files import make_folder
from envwright.core.package import FOLDER
from envwright.core.progress import Say, quiet
from envwright.errors import EnvwrightError

BORROWED = "envwright-borrowed.pth"  # in an environment: the packages of the one it was made by
CACHE = "ENVWRIGHT_CACHE"
SITES = ("site-packages", "dist-packages")
NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
VERSION = r"[A-Za-z0-9][A-Za-z0-9.+!_-]*"
PIN = re.compile(rf"({NAME}) *== *({VERSION})", re.ASCII)
KNOWN = re.compile(r"\(from versions: (.*?)\)")
LATEST = 6  # known versions that an error names


@dataclass(frozen=True)
class Pin:
    """A package of a registry at one version."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"

    def at(self, version: str) -> Pin:
        """Return the package at another version. Raises if it cannot be one."""
        if re.fullmatch(VERSION, version, re.ASCII) is None:
            raise EnvwrightError(f"{version!r} is not a version; give one such as 1.3.0")
        return Pin(self.name, version)


def read_pin(text: str) -> Pin | None:
    """Read `gymnasium==1.3.0`; None if it is anything but a plain name and a version."""
    found = PIN.fullmatch(text.strip())
    return Pin(*found.groups()) if found else None


def cache_folder() -> Path:
    """Return envwright's folder in the user's cache."""
    return Path(os.environ.get(CACHE) or Path.home() / ".cache/envwright")


# --- in this process -----------------------------------------------------------------------------


def newest(name: str) -> str:
    """Return the newest version of a package that pip would install here."""
    asked = ["--dry-run", "--ignore-installed", "--no-deps", "--report", "-"]
    try:
        report = json.loads(_pip(Path(sys.executable), asked, name))
        return str(report["install"][0]["metadata"]["version"])
    except (ValueError, LookupError) as error:
        raise EnvwrightError(
            f"pip does not report the newest version of {name}; give one with --to"
        ) from error


def python_with(pin: Pin, say: Say = quiet) -> Path:
    """Return an interpreter that imports this version; make its environment if it is new."""
    place = _place(pin)
    if not place.is_dir():
        make_folder(place.parent)
        with _locked(place.with_name(f".{place.name}.lock")):
            if not place.is_dir():  # another process may have made it meanwhile
                say(f"installing {pin} in an environment of its own, {place}")
                _make(pin, place)
    return _program(place)


def _place(pin: Pin) -> Path:
    """Return the folder of an environment; other interpreters and packages have others."""
    parts = [sys.version, sys.prefix, *sites(), str(FOLDER.parent)]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
    return cache_folder().absolute() / "versions" / f"{pin.name.lower()}-{pin.version}-{key}"


def _program(place: Path) -> Path:
    return place / "bin" / "python"


def _make(pin: Pin, place: Path) -> None:
    draft = place.with_name(f".{place.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)  # of a process that was killed
    try:
        venv.EnvBuilder(symlinks=True).create(draft)
        _borrow(draft)
        # First the package itself, which the path may hold in another place; then its needs.
        _pip(_program(draft), ["--ignore-installed", "--no-deps"], str(pin))
        _pip(_program(draft), [], str(pin))
        os.replace(draft, place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _borrow(environment: Path) -> None:
    """Let an environment find the packages of this interpreter behind its own."""
    lines = [f"import site; site.addsitedir({site!r})" for site in sites()]
    lines.append(str(FOLDER.parent))
    base = str(environment)
    site = sysconfig.get_path("purelib", "venv", vars={"base": base, "platbase": base})
    Path(site, BORROWED).write_text("\n".join(lines) + "\n", encoding="utf-8")


def sites() -> list[str]:
    """Return the folders of installed packages on this interpreter's path."""
    return [path for path in sys.path if Path(path).name in SITES and Path(path).is_dir()]


def _pip(program: Path, options: list[str], what: str) -> str:
    """Install from the user's registry; return what pip prints."""
    if find_spec("pip") is None:
        raise EnvwrightError(
            f"{what} is fetched with pip, which is not installed here; run "
            f"{sys.executable} -m ensurepip"
        )
    quietly = ["--quiet", "--no-input", "--disable-pip-version-check"]
    command = [str(program), "-m", "pip", "install", *quietly, *options, what]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise EnvwrightError(_why(done.stderr, what))
    return done.stdout


def _why(told: str, what: str) -> str:
    """Return what pip could not do, in a sentence."""
    known = KNOWN.search(told)
    if known is not None and known[1] not in ("", "none"):
        latest = ", ".join(known[1].split(", ")[-LATEST:])
        return f"pip finds no {what} for this Python; its latest versions are {latest}"
    if known is not None:
        return f"pip finds no {what}; check the name, and whether there is a network"
    last = [line for line in told.splitlines() if "ERROR" in line] or told.splitlines()
    return f"pip could not install {what}: {' '.join(last[-1:])[:300]}"


@contextmanager
def _locked(path: Path) -> Generator[None]:
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# --- in the other one ----------------------------------------------------------------------------


def require_own(pin: Pin) -> Distribution:
    """Raise unless this interpreter's environment itself holds the version; return the package."""
    try:
        found = distribution(pin.name)
    except PackageNotFoundError as error:
        raise EnvwrightError(f"{sys.prefix} does not hold {pin}; remove the folder") from error
    if _shortest(found.version) != _shortest(pin.version):
        raise EnvwrightError(f"{sys.prefix} holds {pin.name} {found.version}, not {pin.version}")
    if not _is_own(Path(str(found.locate_file("")))):
        raise EnvwrightError(f"{pin} comes from {found.locate_file('')}, not from {sys.prefix}")
    return found


def require_imported(pin: Pin) -> str:
    """Raise if a module of the package comes from elsewhere; return the file of the first one."""
    tops = {file.parts[0].removesuffix(".py") for file in require_own(pin).files or ()}
    loaded = {top: getattr(sys.modules.get(top), "__file__", None) for top in sorted(tops)}
    files = {top: Path(file) for top, file in loaded.items() if file}
    for top, file in files.items():
        if not _is_own(file):
            raise EnvwrightError(
                f"{top} was imported from {file} instead of {pin}; take it off PYTHONPATH"
            )
    return str(next(iter(files.values()), ""))


def _is_own(path: Path) -> bool:
    return path.absolute().is_relative_to(sys.prefix)


def _shortest(version: str) -> str:
    """Return a version without the zeros at its end, which mean nothing."""
    return re.sub(r"(\.0+)+$", "", version.lower())
