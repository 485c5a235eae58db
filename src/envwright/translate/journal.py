"""A run's journal, one event per line: enough to resume, replay and display the run.

A line is on disk before anything that depends on it happens. A last line that a power failure or
SIGKILL cut off counts as not written.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from envwright.core.files import read_bytes, write_bytes
from envwright.errors import EnvwrightError
from envwright.schema.json_records import located
from envwright.translate.events import check_event

FORMAT = 1


@dataclass(frozen=True)
class Event:
    """One line of the journal."""

    kind: str
    time: float  # seconds since 1970
    data: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.data[name]


class Journal:
    """Append-only. `clock` is the wall clock except in tests."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path, self._clock = path, clock
        self.events, self._end = _read(path)

    def append(self, kind: str, **data: Any) -> Event:
        """Append an event. It is on disk when this returns."""
        event = Event(kind, round(self._clock(), 3), data)
        # ASCII, whatever the agent named its files.
        line = json.dumps({"kind": kind, "time": event.time, **data})
        with open(self.path, "ab") as file:
            file.truncate(self._end)  # whatever a killed process left unfinished
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
            self._end = file.tell()
        self.events.append(event)
        return event

    def of(self, *kinds: str) -> list[Event]:
        """Return the events of some kinds, in order."""
        return [e for e in self.events if e.kind in kinds]


class Store:
    """Files named by the hash of their contents, so that the journal can refer to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: bytes) -> str:
        """Store `data` and return its name."""
        name = hashlib.sha256(data).hexdigest()[:24]
        path = self.folder / name
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            write_bytes(path, data)
        return name

    def get(self, name: str) -> bytes:
        """Return the data stored under a name."""
        try:
            data = read_bytes(self.folder / name)
        except OSError as error:
            raise EnvwrightError(f"{self.folder / name} is missing: the run is damaged") from error
        if hashlib.sha256(data).hexdigest()[:24] != name:
            raise EnvwrightError(f"{self.folder / name} was changed: the run is damaged")
        return data


def _read(path: Path) -> tuple[list[Event], int]:
    """Return all whole lines and where they end."""
    try:
        raw = read_bytes(path) if path.exists() else b""
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvwrightError(f"{path} cannot be read: {reason}") from error
    whole = raw[: raw.rfind(b"\n") + 1]
    events = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            data = check_event(json.loads(line))
        except (ValueError, RecursionError) as error:
            why = f": {located(error)}" if isinstance(error, msgspec.ValidationError) else ""
            raise EnvwrightError(f"{path}:{number}: this line is not an event{why}") from error
        events.append(Event(data.pop("kind"), data.pop("time"), data))
    return events, len(whole)
