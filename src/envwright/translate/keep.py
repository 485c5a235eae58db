"""Make a compact recording of a run that can repeat the whole loop anywhere.

A separate file beside it stores rounds of optimisation. Each round stores the whole candidate, so
that it is the same whichever earlier candidates were kept.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from envwright.core.files import make_folder, read_bytes, write_bytes
from envwright.errors import EnvwrightError
from envwright.schema.recording import (
    RecordedOptimisation,
    Recording,
    Round,
    Turn,
    Usage,
    load_recording,
)
from envwright.translate.journal import Event, Journal, Store
from envwright.translate.optimise.history import History, round_of
from envwright.translate.optimise.loop import FOLDER
from envwright.translate.stored_runs import JOURNAL, StoredRun, require_current
from envwright.translate.workspace import Snapshot, applied

KEPT = (".toml", ".py", ".md", ".txt", ".rs", ".c", ".h", ".js", ".ts", ".json")


def keep_recording(run: StoredRun, folder: Path, about: dict[str, str]) -> list[Path]:
    """Write a run's specification, turns and optimisation rounds into a folder.

    `about` states who made the run.
    """
    _must_be_new(folder / Recording.file)
    require_current(run.id, run.journal, run.spec)
    _must_not_replace(run, folder)
    store = Store(run.folder / "objects")
    begun = run.journal.of("begun")[0]
    decides = {"levels": ",".join(map(str, run.levels)), "seed": begun["seed"]}
    known = {
        **_made(begun, bool(run.position.usage.tokens)),
        "ended": run.position.ended,
        **decides,
    }
    turns = _turns(run.journal, store)
    make_folder(folder)
    _copy_files(run.spec.folder, folder)
    made = Recording({**known, **about, **decides}, turns).save(folder)
    rounds = _journal(run).of("round")
    return [made, *(keep_optimisation(run, folder, about) if rounds else ())]


def keep_optimisation(run: StoredRun, folder: Path, about: dict[str, str]) -> list[Path]:
    """Write the rounds after a run beside its recording."""
    _must_be_new(folder / RecordedOptimisation.file)
    journal, store = _journal(run), Store(run.folder / "objects")
    if not journal.of("round") or not journal.of("begun"):  # or by an early version of this
        raise EnvwrightError(f"run {run.id} was not optimised; see envwright optimise")
    _must_begin_there(run, store, folder)
    past = History(journal, run.position.files)
    begun = journal.of("begun")[0]
    known = {
        **_made(begun, bool(past.usage.tokens)),
        "machine": begun["machine"].get("cpu", "an unnamed machine"),
        "gain": past.gain,
    }
    return [RecordedOptimisation({**known, **about}, _rounds(past, store)).save(folder)]


def _copy_files(source: Path, folder: Path) -> None:
    """Copy a specification and what it may name beside it."""
    for path in sorted(source.iterdir()):
        ours = path.name in (Recording.file, RecordedOptimisation.file) or path.name.startswith(".")
        # A link may lead to files that were not meant to be passed on.
        inside = path.resolve().is_relative_to(source.resolve())
        if inside and path.is_file() and path.suffix in KEPT and not ours:
            write_bytes(folder / path.name, read_bytes(path))


def _must_be_new(path: Path) -> None:
    if path.exists():
        raise EnvwrightError(f"{path.parent} already contains a recording; choose another folder")


def _must_not_replace(run: StoredRun, folder: Path) -> None:
    """Raise if the folder already has another translation."""
    theirs = folder / run.spec.path.name
    if theirs.exists() and read_bytes(theirs) != read_bytes(run.spec.path):
        raise EnvwrightError(f"{folder} contains another translation; choose another folder")


def _must_begin_there(run: StoredRun, store: Store, folder: Path) -> None:
    """Raise unless the rounds start from the code with which the recording ends."""
    recorded: dict[str, str | None] = {}
    for turn in load_recording(folder).turns:
        recorded |= turn.files
    ends = {path: text for path, text in recorded.items() if text is not None}
    if ends != _texts(store, run.position.files):
        raise EnvwrightError(
            f"the recording in {folder} ends with different code than run {run.id}; "
            "record this run in a folder of its own"
        )


def _journal(run: StoredRun) -> Journal:
    return Journal(run.folder / FOLDER / JOURNAL)


def _made(begun: Event, counted: bool) -> dict[str, Any]:
    """Describe who made it, when, and what its costs mean."""
    agent = begun["agent"]
    return {
        "made by": agent.get("who") or agent["kind"],
        "made on": time.strftime("%Y-%m-%d", time.gmtime(begun.time)),
        "costs": _costs(agent) if counted else "not known",
        "envwright": begun["envwright"],
    }


def _costs(agent: dict[str, str]) -> str:
    """Return what the costs mean, for a replay those of the recorded agent."""
    return agent.get("costs") or agent.get("recorded costs", "not known")


def _turns(journal: Journal, store: Store) -> tuple[Turn, ...]:
    """Return every answer as the agent gave it."""
    if base := journal.of("begun")[0].data.get("base"):
        raise EnvwrightError(
            f"this run began with the code of run {base}, so it is not the whole work of an agent; "
            "record that run"
        )
    tasks = {event["turn"]: event["task"] for event in journal.of("asked")}
    turns: list[Turn] = []
    for event in journal.of("answered", "edited"):
        files = _texts(store, event["files"])
        if event.kind == "edited":
            raise EnvwrightError(
                "a person changed this run's code, so it cannot be recorded as the agent's work"
            )
        turns.append(
            Turn(
                purpose=tasks[event["turn"]],
                status=event["status"],
                reason=event["reason"],
                text=event["text"],
                usage=Usage(**event["usage"]),
                seconds=event["seconds"],
                files=files,
            )
        )
    return tuple(turns)


def _rounds(past: History, store: Store) -> tuple[Round, ...]:
    """Return every candidate in whole, with its outcome."""
    rounds: list[Round] = []
    files, seen = past.verified, set(past.verified)
    for event in past.journal.of("round"):
        candidate = applied(files, event["files"])
        seen |= set(candidate)
        change = round_of(event)
        rounds.append(
            Round(
                purpose="optimise",
                status=event["status"],
                reason="" if event["status"] == "ok" else event["why"],
                text=change.said,
                usage=Usage(**event["usage"]),
                seconds=event["seconds"],
                files=dict.fromkeys(sorted(seen)) | _texts(store, candidate),
                kept=change.kept,
                why=change.verdict,
                gain=change.gain,
            )
        )
        files = candidate if change.kept else files
    return tuple(rounds)


def _texts(store: Store, files: Snapshot | dict[str, str | None]) -> dict[str, str | None]:
    return {path: _text(store, name) for path, name in files.items()}


def _text(store: Store, name: str | None) -> str | None:
    try:
        return None if name is None else store.get(name).decode()
    except UnicodeDecodeError as error:
        raise EnvwrightError(
            "the agent wrote a file that is not text; it cannot be recorded"
        ) from error
