"""Showdown's simulator and team generator from npm, installed once into the user's cache."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from envwright.errors import EnvwrightError

HERE = Path(__file__).parent
LOCK = HERE / "package-lock.json"
SET_UP = "python -m envwright.zoo.pokemon.reference"
MEGABYTES = 54

Say = Callable[[str], object]


def quiet(_: str) -> None:
    """Says nothing."""


def lock_hash() -> str:
    """SHA-256 of the lock file, which itself holds the hash of every package."""
    return hashlib.sha256(LOCK.read_bytes()).hexdigest()


def folder() -> Path:
    """Where the packages are kept, below `$ENVWRIGHT_CACHE` or the user's cache.

    Named after the lock file, so that a change of version is installed beside the old one.
    """
    cache = os.environ.get("ENVWRIGHT_CACHE") or Path.home() / ".cache/envwright"
    return Path(cache) / "references" / f"showdown-{lock_hash()[:12]}"


def why_not() -> str:
    """Why Showdown cannot be used right now, or nothing. Asks no network."""
    if not shutil.which("node"):
        return "Showdown runs in Node.js; install node 18 or newer (and npm)"
    if not folder().is_dir():
        return f"Showdown's simulator is not here; fetch it once with: {SET_UP}"
    return ""


def installed() -> Path:
    """The folder of the packages, or one sentence that says how to get them."""
    problem = why_not()
    if problem:
        raise EnvwrightError(problem)
    return folder()


def exit_code(run: Callable[[], object]) -> int:
    """Run something from the command line: 0, or the error's code once it is printed."""
    try:
        run()
    except EnvwrightError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def set_up(say: Say = quiet) -> Path:
    """Install what the lock file names, unless that was done before; the folder."""
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            raise EnvwrightError(
                f"Showdown is fetched with npm and runs in Node.js; {tool} is missing: "
                "install node 18 or newer with npm"
            )
    target = folder()
    if target.is_dir():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvwrightError(
            f"cannot write to {target.parent} ({error.strerror}); "
            "name a folder with ENVWRIGHT_CACHE"
        ) from error
    with open(target.parent / ".showdown.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.is_dir():  # another process may have been faster
            say(f"fetching Showdown's simulator with npm ({MEGABYTES} MB unpacked)")
            _install(target)
    return target


def _install(target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".showdown-") as name:
        draft = Path(name) / "packages"
        draft.mkdir()
        for file in ("package.json", "package-lock.json"):
            shutil.copy(HERE / file, draft / file)
        done = subprocess.run(
            ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
            cwd=draft,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            told = [line for line in done.stderr.splitlines() if "error" in line.lower()]
            raise EnvwrightError(
                f"npm could not install Showdown: {' '.join(told[:2])[:300]}; "
                f"is there a network? try again with: {SET_UP}"
            )
        os.replace(draft, target)
