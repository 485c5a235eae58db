"""Compare two versions of a reference, each in a process and an environment of its own."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from envwright.core.pinned import Pin, python_with, read_pin
from envwright.core.progress import Say, quiet
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name
from envwright.schema.results import Update
from envwright.translate.proposal.subject import open_subject
from envwright.translate.spec import TranslationSpec
from envwright.translate.update.compare import compare_files, compare_modules, compare_whole
from envwright.translate.update.recorded import Plan, Recorded, Source, read
from envwright.translate.update.texts import difference

CHILD = "envwright.translate.update.record"
AS_MODULE = ("-P", "-m")  # nothing in the current folder stands for a package
OPENED_HERE = ("gymnasium", "gymnax", "gym", "dm_env", "pettingzoo", "python")  # by our interpreter


def pin_of(spec: TranslationSpec) -> Pin:
    """Return the pinned package of a specification. Raises if there is none."""
    named = spec.reference.package
    pin = read_pin(named)
    if pin is None:
        told = f"names {named!r}" if named else "names no package"
        raise EnvwrightError(
            f"{spec.path}: [reference] {told}, so there are no versions to compare; write "
            'package = "NAME==VERSION"'
        )
    require_opened_here(spec)
    return pin


def require_opened_here(spec: TranslationSpec) -> None:
    """Raise unless the reference runs in the interpreter that opens it."""
    simulator = spec.reference.simulator
    if parse_name(simulator).scheme not in OPENED_HERE:
        raise EnvwrightError(
            f"{spec.path}: {simulator or 'a written reference'} does not run in the interpreter "
            "that has the package; name one such as gymnasium:ID or python:MODULE:CLASS"
        )


def package_of(simulator: str) -> Pin:
    """Return the installed package of a simulator that is named instead of a folder."""
    subject = open_subject(simulator)
    try:
        pin = read_pin(subject.package)
    finally:
        subject.simulator.close()
    if pin is None:
        raise EnvwrightError(f"{simulator} does not come from an installed package with versions")
    return pin


class Comparison:
    """Two versions side by side. The records of both are kept until `close`."""

    def __init__(self, spec: TranslationSpec, old: Pin, new: Pin, say: Say = quiet) -> None:
        self.spec, self.old, self.new = spec, old, new
        pythons = [python_with(pin, say) for pin in (old, new)]  # before anything is recorded
        with tempfile.TemporaryDirectory(prefix="envwright-update-") as scratch:
            plan = Path(scratch, "plan.json")
            records = []
            for number, (pin, python) in enumerate(zip((old, new), pythons, strict=True)):
                say(f"recording what {spec.reference.simulator} does in {pin}")
                result = Path(scratch, f"{number}.json")
                _run(python, spec, pin, plan, result)
                records.append(read(result, Recorded))
            self.plan = read(plan, Plan)
        self.before, self.now = records

    def result(self, env: str = "") -> Update:
        """Return what changed."""
        parts = compare_whole(self.before, self.now, self.plan)
        notes = [
            f"{pin} was imported in {_environment_of(record.imported)}"
            for pin, record in ((self.old, self.before), (self.new, self.now))
        ]
        if not self.plan.states:
            notes.append("its state cannot be set, so that only starts and episodes are compared")
        return Update(
            env=env,
            simulator=self.spec.reference.simulator,
            package=self.old.name,
            old=self.old.version,
            new=self.new.version,
            modules=compare_modules(self.before, self.now, parts),
            parts=parts,
            texts=compare_files(self.before, self.now),
            notes=notes,
        )

    def sources(self, module: str) -> list[str]:
        """Return how a module's source changed, for a prompt."""
        pairs: list[tuple[Source, Source]] = list(
            zip(self.before.sources[module], self.now.sources[module], strict=True)
        )
        return [text for pair in pairs if (text := difference(*pair))]


def _environment_of(file: str) -> str:
    """Return the name of the environment that a file lies in, without the folders above it."""
    return file.partition("/versions/")[2].partition("/")[0]


def _run(python: Path, spec: TranslationSpec, pin: Pin, plan: Path, result: Path) -> None:
    command = [str(python), *AS_MODULE, CHILD, str(spec.path), str(pin), str(plan), str(result)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=child_env())
    if done.returncode == 0:
        return
    last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
    told = " ".join(last) or f"its process ended with {done.returncode}"
    raise EnvwrightError(f"{spec.reference.simulator} cannot be recorded in {pin}: {told}")


def child_env() -> dict[str, str]:
    """Return the variables of a process in another environment."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}
