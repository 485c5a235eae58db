"""Run the user's tests in a process of their own, once for each side.

The tests are the user's and run outside of the jail; the translation that they step is in it.
"""

from __future__ import annotations

import hashlib
import json
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
    lines = [f"{path.name} {hashlib.sha256(read_bytes(path)).hexdigest()}" for path in _all(place)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


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
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
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


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    names = [path for path in files_below(place, ".py") if place.is_dir()]
    return [p for p in names if p.name.startswith("test_") or p.name.endswith("_test.py")]


def _all(place: Path) -> list[Path]:
    return [place] if place.is_file() else files_below(place, ".py")
