"""Store the results of commands, with machine, command line and provenance."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import msgspec

from envwright.bench.machine import describe_machine
from envwright.core.files import check_target
from envwright.schema.provenance import Sources
from envwright.schema.results import RoomFindings, Stored, as_json, write_results

arguments: ContextVar[Sequence[str] | None] = ContextVar("arguments", default=None)


class Store:
    """A file for results. It fingerprints the sources when it is made: before the work."""

    def __init__(self, path: Path | None, folder: Path | None = None) -> None:
        check_target(path)
        self._path = path
        self._sources = None if path is None else Sources(folder)

    def __call__(self, *results: Stored | dict[str, Any]) -> None:
        """Write the results if a file was named. A dict is a room's own result."""
        if self._path is not None and self._sources is not None:
            write_results(self._path, [_document(each, self._sources) for each in results])


def _document(result: Stored | dict[str, Any], sources: Sources) -> dict[str, Any]:
    if isinstance(result, dict):
        about = {name: result.get(name, "") for name in ("env", "backend")}
        record = RoomFindings(name=result["kind"], **about)
        data = result
    else:
        record, data = result, as_json(result)
    return {
        **data,
        "machine": record.machine or describe_machine(),
        "command": record.command or command_line(),
        "provenance": msgspec.to_builtins(sources.provenance(record)),
    }


def command_line() -> str:
    """Return the running command as a user types it."""
    words = arguments.get()
    return shlex.join(["envwright", *(sys.argv[1:] if words is None else words)])
