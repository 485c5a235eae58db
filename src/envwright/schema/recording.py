"""Recordings: `recording.json` repeats a run, and `optimisation.json` the rounds after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

import msgspec

from envwright.core import limits
from envwright.core.files import write_json
from envwright.errors import EnvwrightError
from envwright.schema.json_records import as_json, read_record

Status = Literal["ok", "auth", "budget", "turns", "timeout", "crash"]


@dataclass(frozen=True)
class Usage:
    """Cost of a turn. Add usages to get the cost of several turns."""

    prompt: int = 0  # tokens read, cached ones among them
    cached: int = 0  # of these, tokens the endpoint had already
    output: int = 0  # tokens written, thoughts among them
    calls: int = 0  # requests to the endpoint
    dollars: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt + self.output

    def __add__(self, other: Usage) -> Usage:
        mine, theirs = self.to_json(), other.to_json()
        return Usage(**{name: mine[name] + theirs[name] for name in mine})

    def to_json(self) -> dict[str, Any]:
        """Return plain data for the journal."""
        return asdict(self)


def check_paths(paths: Iterable[str]) -> None:
    """Raise `ValueError` for a path that is not of a file below the agent's workspace."""
    for path in paths:
        # Also not `a//b`: code that removes the beginning `a/` would go on with `/b`.
        if "\0" in path or not {"", ".", ".."}.isdisjoint(path.split("/")):
            raise ValueError(f"{path!r} is not a file below the workspace")


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of the agent."""

    purpose: str  # the title of its task
    status: Status
    reason: str
    text: str  # what the agent said last
    usage: Usage
    seconds: float
    files: dict[str, str | None]  # what it wrote, by path; None: it removed the file

    def __post_init__(self) -> None:
        check_paths(self.files)


class Round(Turn, frozen=True, kw_only=True):
    """One candidate of an optimisation in whole, with its outcome."""

    kept: bool
    why: str
    gain: float | None  # None: it was not raced


class Recording(msgspec.Struct, frozen=True):
    """A stored run. `about` states who made it, when, and what its costs mean."""

    file: ClassVar[str] = "recording.json"

    about: dict[str, Any]
    turns: tuple[Turn, ...]

    def __post_init__(self) -> None:
        levels, seed = self.about.get("levels", ""), self.about.get("seed", 0)
        if not isinstance(levels, str):
            raise ValueError(f"`levels` of `about` is a text such as 1,2,3, not {levels!r:.40}")
        if type(seed) is not int or not 0 <= seed <= limits.SEED:
            raise ValueError(f"`seed` of `about` is a number below 2**32, not {seed!r:.40}")

    def save(self, folder: Path) -> Path:
        """Write it into a folder."""
        return write_json(folder / self.file, as_json(self))


class RecordedOptimisation(Recording, frozen=True):
    """The stored rounds after a run."""

    file: ClassVar[str] = "optimisation.json"

    turns: tuple[Round, ...]

    def __post_init__(self) -> None:
        Recording.__post_init__(self)
        if not isinstance(self.about.get("gain"), int | float):
            raise ValueError("`about` needs a number `gain`")


R = TypeVar("R", bound=Recording)


def load_recording(folder: Path, kind: type[R] = Recording) -> R:
    """Load the recording in a folder. Raises `EnvwrightError` if there is none."""
    if not (folder / kind.file).exists():
        raise EnvwrightError(f"{folder} is not a recording: it has no {kind.file}")
    return read_record(folder / kind.file, kind, "a recording")
