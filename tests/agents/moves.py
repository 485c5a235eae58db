"""What a scripted model does, and how each agent's program is told to do it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Say:
    """Say something; the program takes it for the end of its work."""

    text: str


@dataclass(frozen=True)
class Write:
    """Write a file, with the program's own tool."""

    path: str
    text: str


@dataclass(frozen=True)
class Run:
    """Run a shell command, with the program's own tool."""

    command: str


@dataclass(frozen=True)
class Fail:
    """Answer with a status."""

    status: int
    message: str = "scripted failure"


@dataclass(frozen=True)
class Garbage:
    """Answer with bytes that mean nothing."""

    body: bytes = b"\x00\xff<html>not a model\x80</html>"
    status: int = 200


@dataclass(frozen=True)
class Hang:
    """Say nothing for so many seconds."""

    seconds: float = 60.0


@dataclass(frozen=True)
class Cut:
    """Begin to answer, then hang up."""

    text: str = "I was about to"


@dataclass(frozen=True)
class Slow:
    """Say something, and wait in the middle until the test goes on."""

    text: str


Move = Say | Write | Run | Fail | Garbage | Hang | Cut | Slow

# A call of a tool: its name and its arguments.
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Tools:
    """What a program's own tools are called."""

    write: Callable[[str, str], Call]
    run: Callable[[str], Call]
    end: Callable[[str], str | Call] = str  # most take plain words for the end of the work

    def words(self, move: Say | Write | Run) -> str | Call:
        """What the model says to make the program do this."""
        match move:
            case Write(path, text):
                return self.write(path, text)
            case Run(command):
                return self.run(command)
            case Say(text):
                return self.end(text)


def _by_shell(path: str, text: str) -> str:
    return f"printf %s {shlex.quote(text)} > {shlex.quote(path)}"


TOOLS = {
    "gemini": Tools(
        write=lambda path, text: ("write_file", {"file_path": path, "content": text}),
        run=lambda command: ("run_shell_command", {"command": command, "description": "scripted"}),
    ),
    "codex": Tools(
        write=lambda path, text: ("exec_command", {"cmd": _by_shell(path, text)}),
        run=lambda command: ("exec_command", {"cmd": command}),
    ),
    "opencode": Tools(
        write=lambda path, text: ("write", {"filePath": path, "content": text}),
        run=lambda command: ("bash", {"command": command, "description": "scripted"}),
    ),
    "mini-swe-agent": Tools(
        write=lambda path, text: ("bash", {"command": _by_shell(path, text)}),
        run=lambda command: ("bash", {"command": command}),
        end=lambda text: (
            "bash",
            {"command": f"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo {shlex.quote(text)}"},
        ),
    ),
    "toy": Tools(
        write=lambda path, text: ("bash", {"command": _by_shell(path, text)}),
        run=lambda command: ("bash", {"command": command}),
    ),
    "claude": Tools(
        write=lambda path, text: ("Write", {"file_path": path, "content": text}),
        run=lambda command: ("Bash", {"command": command, "description": "scripted"}),
    ),
}


def pieces(value: str | dict[str, Any], size: int = 9) -> list[str]:
    """A text, or arguments as JSON, in the small pieces in which models send them."""
    text = value if isinstance(value, str) else json.dumps(value)
    return [text[start : start + size] for start in range(0, len(text), size)] or [""]
