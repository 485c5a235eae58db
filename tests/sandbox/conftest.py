"""A folder for a jail, and Python run in one."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from envwright.sandbox import Child, Finished, Jail, Limits, run, start, why_not
from envwright.sandbox.runtime import launcher_python

PYTHON = [str(launcher_python()), "-I", "-S", "-c"]


@pytest.fixture
def needs_jail() -> None:
    if reason := why_not():
        pytest.skip(reason)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    return made


@pytest.fixture
def jailed(needs_jail: None, folder: Path) -> Callable[..., Finished]:
    """Runs a Python text in a jail; limits and the jail's other fields by name."""

    def runs(code: str, *words: str, stdin: str = "", **given) -> Finished:
        return run([*PYTHON, code, *words], jail_of(folder, given), stdin=stdin)

    return runs


@pytest.fixture
def lodged(needs_jail: None, folder: Path) -> Callable[..., Child]:
    """Starts a Python text in a jail."""

    def starts(code: str, *words: str, **given) -> Child:
        return start([*PYTHON, code, *words], jail_of(folder, given))

    return starts


def jail_of(folder: Path, given: dict) -> Jail:
    limits = {name: given.pop(name) for name in list(given) if hasattr(Limits(), name)}
    return Jail(**{"writable": (folder,), "limits": Limits(**{"seconds": 120, **limits}), **given})


@pytest.fixture
def alive() -> Callable[[str], list[int]]:
    """The host's processes that have a word on their command line."""

    def found(word: str) -> list[int]:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        return [pid for pid in pids if word.encode() in _words(pid) and pid != os.getpid()]

    return found


def _words(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []
