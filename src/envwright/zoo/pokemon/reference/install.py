"""Install Showdown's simulator and team generator from npm, once, into the user's cache."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from envwright.core.pinned import cache_folder
from envwright.core.progress import Say, quiet
from envwright.errors import EnvwrightError

HERE = Path(__file__).parent
LOCK = HERE / "package-lock.json"
SIM, RANDOMS = "@pkmn/sim", "@pkmn/randoms"
VERSION = re.compile(r"\d+\.\d+\.\d+([-+][0-9A-Za-z.-]+)?")
SET_UP = "python -m envwright.zoo.pokemon.reference"
MEGABYTES = 54


def lock_hash() -> str:
    """Return the SHA-256 of the lock file, which contains the hash of every package."""
    return hashlib.sha256(LOCK.read_bytes()).hexdigest()


def folder() -> Path:
    """Return the folder of the packages, below `$ENVWRIGHT_CACHE` or the user's cache.

    Named after the lock file, so that a change of version is installed beside the old one.
    """
    return cache_folder() / "references" / f"showdown-{lock_hash()[:12]}"


def why_not() -> str:
    """Return why Showdown cannot be used right now, or nothing. Uses no network."""
    if not shutil.which("node"):
        return "Showdown runs in Node.js; install node 18 or newer (and npm)"
    if not folder().is_dir():
        return f"Showdown's simulator is not here; fetch it once with: {SET_UP}"
    return ""


def installed() -> Path:
    """Return the folder of the packages. Raises with how to get them."""
    problem = why_not()
    if problem:
        raise EnvwrightError(problem)
    return folder()


def exit_code(run: Callable[[], object]) -> int:
    """Run something from the command line; return 0, or print the error and return its code."""
    try:
        run()
    except EnvwrightError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def locked(package: str) -> str:
    """Return the version of a package in the lock file."""
    return json.loads(LOCK.read_text())["packages"][f"node_modules/{package}"]["version"]


def newest() -> str:
    """Return the newest version of the simulator in npm's registry."""
    _require_tools()
    done = subprocess.run(
        ["npm", "view", SIM, "version"], capture_output=True, text=True, check=False
    )
    version = done.stdout.strip()
    if done.returncode or VERSION.fullmatch(version) is None:
        raise EnvwrightError(f"npm does not report the newest {SIM}; name a version with --to")
    return version


def set_up(say: Say = quiet) -> Path:
    """Install the packages of the lock file, unless they are there; return the folder."""

    def locked_packages(draft: Path) -> list[str]:
        for file in ("package.json", "package-lock.json"):
            shutil.copy(HERE / file, draft / file)
        return ["ci"]

    return _installed(folder(), locked_packages, say)


def checked_version(version: str) -> str:
    """Return a version of the simulator. Raises if it cannot be one."""
    if VERSION.fullmatch(version) is None:
        raise EnvwrightError(f"{version!r} is not a version of {SIM}; give one such as 0.10.11")
    return version


def set_up_version(version: str, say: Say = quiet) -> Path:
    """Install another version of the simulator, with the pinned team generator."""

    def wanted(draft: Path) -> list[str]:
        # Without a package.json npm would look for one in the folders above.
        (draft / "package.json").write_text('{"private": true}')
        return ["install", "--no-package-lock", *(f"{k}@{v}" for k, v in packages.items())]

    packages = {SIM: version, RANDOMS: locked(RANDOMS)}
    target = cache_folder() / "versions" / f"showdown-{version}-{packages[RANDOMS]}"
    return _installed(target, wanted, say)


def _require_tools() -> None:
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            raise EnvwrightError(
                f"Showdown is fetched with npm and runs in Node.js; {tool} is missing: "
                "install node 18 or newer with npm"
            )


def _installed(target: Path, prepare: Callable[[Path], list[str]], say: Say) -> Path:
    _require_tools()
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
        if not target.is_dir():  # another process may have installed it meanwhile
            say(f"fetching Showdown's simulator with npm ({MEGABYTES} MB unpacked)")
            _install(target, prepare)
    return target


def _install(target: Path, prepare: Callable[[Path], list[str]]) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".showdown-") as name:
        draft = Path(name) / "packages"
        draft.mkdir()
        done = subprocess.run(
            ["npm", *prepare(draft), "--no-audit", "--no-fund", "--ignore-scripts"],
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
