"""Create and find runs, which are folders below `runs/` in a translation's folder."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from envwright.core.files import folders_below
from envwright.errors import EnvwrightError
from envwright.translate.folders import same
from envwright.translate.journal import Journal
from envwright.translate.plan import Position, fold
from envwright.translate.spec import TranslationSpec, load_spec

RUNS = "runs"
JOURNAL = "journal.jsonl"
# What reading events raises that lack a field or stand in another order than they were written.
_DAMAGE = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
# Folders in which agents or their code write.
OF_AGENTS = ("workspace", "incumbent", "candidate", "home", "scratch")
DEEPEST_LINK = 3  # runs/ID/optimise/turns/001 is the deepest folder that we write into
DEEPEST = 4  # folders below the current one in which runs are looked for


@dataclass(frozen=True)
class StoredRun:
    """A run on disk."""

    folder: Path
    spec: TranslationSpec
    journal: Journal

    @property
    def id(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def is_current(self) -> bool:
        """Whether it translates the simulator that its specification names now."""
        return same(_reference(self.journal, self.spec), self.spec.reference.simulator)

    @property
    def levels(self) -> tuple[int, ...]:
        """The levels it verifies."""
        with as_damage(self.folder):
            last = self.journal.of("begun", "resumed")[-1]
            return tuple(last["levels"])

    @property
    def tests(self) -> Path | None:
        """The user's tests that it runs."""
        told = self.journal.of("begun", "resumed")[-1].data.get("tests", "")
        return Path(told) if isinstance(told, str) and told else None

    @property
    def agents(self) -> list[str]:
        """The kinds of agents that wrote its code."""
        with as_damage(self.folder):
            kinds = [event["agent"]["kind"] for event in self.journal.of("begun", "resumed")]
            return sorted(set(kinds))

    @property
    def position(self) -> Position:
        """Where it stands."""
        levels = self.levels
        with as_damage(self.folder):
            return fold(self.journal.events, self.spec, levels)


def _require_no_links(run: Path) -> None:
    """Reject a run of others whose links would lead what is written or shown out of its folder.

    An agent's own folders may hold links, which are never followed.
    """
    waiting = [(run, 0)]
    while waiting:
        folder, depth = waiting.pop()
        for entry in _entries(folder):
            if entry.is_symlink():
                raise EnvwrightError(
                    f"{entry.path} is a link, and runs have none; remove it, or make a new run"
                )
            if depth < DEEPEST_LINK and entry.name not in OF_AGENTS and entry.is_dir():
                waiting.append((Path(entry.path), depth + 1))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder; what an agent has just removed or locked is left out."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


@contextmanager
def as_damage(run: Path) -> Iterator[None]:
    """Report a journal whose events do not follow from each other in one sentence."""
    try:
        yield
    except _DAMAGE as error:
        raise EnvwrightError(
            f"{run / JOURNAL} is not the whole journal of a run: {error!r}"
        ) from error


def new_run(spec: TranslationSpec) -> Path:
    """Return the folder of a new run, named by the time and a random suffix."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return spec.folder / RUNS / f"{stamp}-{secrets.token_hex(2)}"


def last_run(spec: TranslationSpec, ended: str | None = None) -> Path | None:
    """Return a specification's newest run, or the newest that ended as given."""
    begun = sorted(run for run in (spec.folder / RUNS).glob("*") if _has_begun(run))
    fitting = [run for run in begun if ended is None or _ended_as(open_run(run), ended)]
    return fitting[-1] if fitting else None


def require_current(run: str, journal: Journal, spec: TranslationSpec) -> None:
    """Raise if a run translates another simulator than its specification names now."""
    then, now = _reference(journal, spec), spec.reference.simulator
    if not same(then, now):
        raise EnvwrightError(
            f"run {run} translates {then or 'written rules'}, but {spec.path} now names "
            f"{now or 'written rules'}; put the name back, or make a new run"
        )


def open_run(folder: Path) -> StoredRun:
    """Open a run by its folder."""
    if not (folder / JOURNAL).is_file():
        raise EnvwrightError(f"{folder} is not a run: it has no {JOURNAL}")
    _require_no_links(folder)
    journal = Journal(folder / JOURNAL)
    if not journal.of("begun"):
        raise EnvwrightError(f"{folder} has not begun")
    return StoredRun(folder, load_spec(folder.parent.parent), journal)


def find_run(name: str, below: Path) -> StoredRun:
    """Open a run by its id, a prefix of it, or its folder."""
    if (Path(name) / JOURNAL).is_file():
        return open_run(Path(name))
    found = [run for run in all_runs(below) if run.name.startswith(name)]
    if len(found) == 1:
        return open_run(found[0])
    if not found:
        raise EnvwrightError(f"no run {name!r} below {below}; list runs with envwright runs")
    raise EnvwrightError(
        f"{name!r} is ambiguous: it matches {', '.join(run.name for run in found)}"
    )


def all_runs(below: Path) -> list[Path]:
    """Return every run's folder, oldest first."""
    places = [folder / RUNS for folder in folders_below(below, DEEPEST)]
    runs = [run for place in places if place.is_dir() for run in folders_below(place, 1)[1:]]
    return sorted((run for run in runs if _has_begun(run)), key=lambda run: run.name)


def _ended_as(run: StoredRun, ended: str) -> bool:
    return run.position.ended == ended and run.is_current


def _reference(journal: Journal, spec: TranslationSpec) -> str:
    """Return the simulator of a run; early runs do not store it."""
    return journal.of("begun")[0].data.get("reference", spec.reference.simulator)


def _has_begun(folder: Path) -> bool:
    """Return whether the journal's first line is complete."""
    path = folder / JOURNAL
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return b"\n" in file.read(100_000)
