"""Run the user's tests in a process of their own, once for each side.

The tests are the user's and run outside of the jail; the translation that they step is in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from envwright.core.files import files_below, read_bytes
from envwright.errors import EnvwrightError
from envwright.translate.spec import TranslationSpec

CHILD = "envwright.translate.users_tests.child"
SECONDS = 1800.0
OF_THE_SHELL = "PYTEST_ADDOPTS"  # options that would select other tests
Side = Literal["reference", "translation"]


class Outcome(msgspec.Struct):
    """How a test ended."""

    outcome: Literal["passed", "failed", "skipped"]
    detail: str = ""

    @property
    def verb(self) -> str:
        """The outcome in a sentence."""
        return {"passed": "passes", "failed": "fails", "skipped": "is skipped"}[self.outcome]

    @property
    def summary(self) -> str:
        """The line that says what failed."""
        lines = [line.strip() for line in self.detail.splitlines() if line.strip()]
        errors = [line[1:].strip() for line in lines if line.startswith("E ")]
        return (errors or lines or ["it failed"])[0 if errors else -1]


def check_tests(place: Path) -> None:
    """Reject a place without tests."""
    if not _files(place):
        raise EnvwrightError(
            f"there are no tests in {place}; name a file of pytest or a folder with test_*.py"
        )


def fingerprint(place: Path) -> str:
    """Return a hash of all files of the tests."""
    lines = [os.fsencode(path.name) + _digest(path) for path in _all(place)]
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


def require_tests(spec: TranslationSpec) -> str:
    """Run the tests against the reference, and return how many count.

    Raises if pytest finds none: they would decide nothing.
    """
    found = outcomes(spec, "reference", spec.folder, spec.folder, True)
    if not found:
        raise EnvwrightError(
            f"pytest finds no tests in {spec.tests}; name a file of pytest or a folder with "
            "test_*.py"
        )
    passed = sum(each.outcome == "passed" for each in found.values())
    return f"{passed} of your {len(found)} tests pass on the reference, and count"


def outcomes(
    spec: TranslationSpec, side: Side, workspace: Path, scratch: Path, confined: bool
) -> dict[str, Outcome]:
    """Run the tests against one side; return how each ended, by its name."""
    assert spec.tests is not None
    if side == "reference":
        return _of_reference(spec.path, spec.tests, fingerprint(spec.tests))
    return _run(spec.path, spec.tests, side, workspace, scratch, confined)


@cache
def _of_reference(spec: Path, tests: Path, files: str) -> dict[str, Outcome]:
    return _run(spec, tests, "reference", spec.parent, spec.parent, True)


def _run(
    spec: Path, tests: Path, side: Side, workspace: Path, scratch: Path, confined: bool
) -> dict[str, Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "outcomes.json"
        asked = {
            "spec": str(spec),
            "tests": str(tests),
            "side": side,
            "workspace": str(workspace),
            "scratch": str(scratch),
            "confined": confined,
            "result": str(result),
        }
        command = [sys.executable, "-P", "-m", CHILD, json.dumps(asked)]
        env = {name: value for name, value in os.environ.items() if name != OF_THE_SHELL}
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=SECONDS, env=env
            )
        except subprocess.TimeoutExpired as error:
            raise EnvwrightError(
                f"the tests in {tests} took longer than {SECONDS:g} s on the {side}; leave out "
                "slow ones"
            ) from error
        try:
            return msgspec.json.decode(read_bytes(result), type=dict[str, Outcome])
        except (OSError, msgspec.DecodeError) as error:
            last = (done.stderr.strip().splitlines() or done.stdout.splitlines() or ["nothing"])[-1]
            raise EnvwrightError(
                f"the tests in {tests} could not be run on the {side}: {last}"
            ) from error


def _digest(path: Path) -> bytes:
    try:
        return hashlib.sha256(read_bytes(path)).digest()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvwrightError(f"the test file {path} cannot be read: {reason}") from error


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return [p for p in _all(place) if p.name.startswith("test_") or p.name.endswith("_test.py")]


def _all(place: Path) -> list[Path]:
    """Return the files. Editors leave links to nowhere, such as `.#test_game.py`."""
    if place.is_file():
        return [place]
    return [path for path in files_below(place, ".py") if path.is_file()]
