"""Runs and recordings as rows of a table: who translated what, in how many turns."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from envwright.agents.base import TaskKind
from envwright.core.files import folders_below
from envwright.errors import EnvwrightError
from envwright.schema.recording import Recording, Usage, load_recording
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import DEEPEST, all_runs, as_damage, open_run


@dataclass(frozen=True)
class Row:
    """A translation, run or recorded."""

    name: str
    env: str
    agent: str
    turns: int
    repairs: int
    usage: Usage
    ended: str


@dataclass(frozen=True)
class Unreadable:
    """A run or a recording that is damaged, and why."""

    name: str
    reason: str


def all_rows(below: Path) -> list[Row | Unreadable]:
    """Return recordings first, then runs, oldest first."""
    recorded = [_read(_recorded, f, f"recording {f.name}") for f in _recordings(below)]
    return recorded + [_read(_run, f, f.name) for f in all_runs(below)]


def _read(row: Callable[[Path], Row], folder: Path, name: str) -> Row | Unreadable:
    try:
        return row(folder)
    except EnvwrightError as error:
        return Unreadable(name, str(error))


def _recordings(below: Path) -> list[Path]:
    places = folders_below(below, DEEPEST - 1)
    return [place for place in places if os.path.lexists(place / Recording.file)]


def _recorded(folder: Path) -> Row:
    recording = load_recording(folder)
    usage = sum((turn.usage for turn in recording.turns), Usage())
    repairs = sum(turn.purpose.startswith("repair") for turn in recording.turns)
    about = recording.about
    return Row(
        f"recording {folder.name}",
        load_spec(folder).id,
        str(about.get("made by", "not known")),
        len(recording.turns),
        repairs,
        usage,
        str(about.get("ended", "not known")),
    )


def _run(folder: Path) -> Row:
    kept = open_run(folder)
    at = kept.position
    with as_damage(folder):
        agent = str(kept.journal.of("begun", "resumed")[-1]["agent"]["kind"])
        repairs = sum(event["purpose"] == TaskKind.REPAIR for event in kept.journal.of("answered"))
    where = at.ended or f"phase {at.phase}"
    return Row(kept.id, kept.spec.id, agent, at.turns, repairs, at.usage, where)
