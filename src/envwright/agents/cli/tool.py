"""Description of a coding agent's program: how to call it, set it up, and read its output."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.agents.base import Status
from envwright.agents.proxy.events import parsed
from envwright.agents.proxy.protocols import Name


@dataclass(frozen=True)
class Call:
    """Parameters of one turn."""

    model: str
    base: str  # address of the proxy
    token: str  # in place of a key
    prompt: str
    workspace: Path
    home: Path
    turns: int  # most requests to the model, where the program can count them
    confined: bool = True  # in a jail; else the program's own confinement is all there is


@dataclass(frozen=True)
class Ended:
    """Result of a finished program."""

    code: int
    stdout: str
    stderr: str
    home: Path


@dataclass(frozen=True)
class Said:
    """Interpretation of that result: the last message, and the error if it reports one."""

    text: str = ""
    error: str = ""
    status: Status | None = None  # if the output says more than that it failed


@dataclass(frozen=True)
class CliTool:
    """A coding agent's command-line program."""

    name: str
    executable: str
    version: str  # the tested version
    install: str  # the command that installs it
    protocol: Name
    endpoint: str  # the vendor's
    keys: tuple[str, ...]  # environment variables that may hold the user's key
    model: str  # if the user names none
    arguments: Callable[[Call], list[str]]
    environment: Callable[[Call], dict[str, str]]
    said: Callable[[Ended], Said]
    settings: Callable[[Call], dict[str, str]] = lambda call: {}  # files below HOME
    stdin: bool = True  # the prompt comes this way; else the settings hold it
    ask_version: tuple[str, ...] = ("--version",)
    statuses: Mapping[int, Status] = field(default_factory=dict)  # exit codes that give the reason


def lines_of(stdout: str) -> Iterator[dict[str, Any]]:
    """Yield the events that a program printed, one JSON object per line. Skips other lines."""
    for line in stdout.split("\n"):
        if isinstance(event := parsed(line), dict):
            yield event


def text_at(value: Any, *way: str) -> str:
    """Return the text at a path in nested objects, or an empty string."""
    for name in way:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""
