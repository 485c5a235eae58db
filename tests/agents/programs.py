"""Real agents' programs for the tests: installed once into a cache, from a lock file."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

LOCK = Path(__file__).parent / "cli-lock"
MINI = ("mini-swe-agent==2.4.6", "litellm==1.106.2", "mcp==2.3.0")


def executable(name: str) -> Path:
    """The program; skips the test with the reason where it cannot be had."""
    if name == "claude":
        found = shutil.which("claude")
        return Path(found) if found else pytest.skip("claude is not on the PATH")
    if name == "mini-swe-agent":
        key = hashlib.sha256(f"{MINI} {sys.version}".encode()).hexdigest()[:12]
        return _installed(f"mini-{key}", _install_mini) / "bin" / "mini"
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("node and npm are missing")
    pins = b"".join((LOCK / file).read_bytes() for file in ("package.json", "package-lock.json"))
    key = hashlib.sha256(pins).hexdigest()[:12]
    return _installed(f"npm-{key}", _install_npm) / "node_modules" / ".bin" / name


def _installed(name: str, install: Callable[[Path], None]) -> Path:
    """The folder of an installation, which is whole or absent."""
    cache = Path(os.environ.get("ENVWRIGHT_CACHE") or Path.home() / ".cache/envwright/cli")
    cache.mkdir(parents=True, exist_ok=True)
    with _alone(cache / f"{name}.lock"):
        folder = cache / name
        done = folder / ".done"
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            try:
                install(folder)
            except (OSError, subprocess.SubprocessError) as error:
                told = getattr(error, "stderr", None) or str(error)
                pytest.skip(f"{name} could not be installed: {told.strip()[-300:]}")
            done.touch()
    return folder


def _install_npm(folder: Path) -> None:
    for file in ("package.json", "package-lock.json"):
        shutil.copy(LOCK / file, folder)
    # Not `npm ci`: it wants the programs of every platform in the lock, and some are not to be
    # had everywhere. What is in the lock is installed as it is there.
    _run(["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"], folder)
    # opencode's alone is needed; it puts the program of this platform in its place.
    _run(["node", "postinstall.mjs"], folder / "node_modules" / "opencode-ai")


def _install_mini(folder: Path) -> None:
    _run([sys.executable, "-m", "venv", str(folder)], folder)
    _run([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *MINI], folder)


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=900)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time, of all that run tests."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
