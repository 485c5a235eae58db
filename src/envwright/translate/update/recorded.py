"""What one version of a reference did: written by a process of its own, compared by another."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from envwright.errors import EnvwrightError
from envwright.translate.update.exact import Texts

T = TypeVar("T")


class Episode(msgspec.Struct):
    """A start from a seed, and the actions after it."""

    seed: int
    actions: list[str]


class Plan(msgspec.Struct):
    """What both versions are asked to do. The old version chose it while it was played."""

    episodes: list[Episode]
    states: list[Texts] = []  # to step from
    actions: list[str] = []  # an action for each state
    draws: bool = False  # steps draw random numbers


class Moment(msgspec.Struct):
    """The answer to a reset or a step."""

    fields: Texts = {}
    info: Texts = {}
    raised: str = ""


class Call(msgspec.Struct):
    """A call of a recorded function."""

    at: int  # the number of the reset or step that it was made in
    inputs: Texts
    outputs: Texts


class Function(msgspec.Struct):
    """A recorded function of the reference."""

    target: str
    parameters: str = ""
    missing: str = ""  # why it cannot be recorded
    calls: list[Call] = []


class Source(msgspec.Struct):
    """Source of the reference, as a specification names it."""

    title: str
    text: str = ""
    missing: str = ""  # why there is none


class Recorded(msgspec.Struct):
    """Everything that is compared of one version."""

    about: dict[str, str]  # spaces, time limit, fields of the state
    sources: dict[str, list[Source]]  # by module
    functions: dict[str, Function]  # by module and function, as golden pairs are named
    starts: list[Moment]
    steps: list[Moment]
    episodes: list[list[Moment]]
    file: Source | None = None  # the file of the reference's class, as a whole
    imported: str = ""  # the file of the package that was really imported


def read(path: Path, kind: type[T]) -> T:
    """Read what a process has recorded."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError) as error:
        raise EnvwrightError(f"{path} was not recorded as a whole: {error}") from error
