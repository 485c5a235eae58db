"""The fields that events of a journal may have, checked when a journal is read."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from envwright.schema.json_records import check_depth
from envwright.schema.recording import Usage, check_paths
from envwright.translate.verdict import Verdict

StoreName = Annotated[str, Meta(pattern=r"^[0-9a-z]*\Z")]  # a name in the store
Count = Annotated[int, Meta(ge=0)]
Moment = Annotated[float, Meta(ge=0, le=2e11)]  # seconds since 1970, of which a date can be made
Level = Annotated[int, Meta(ge=1, le=4)]


class Line(msgspec.Struct):
    """An event of the recipe or of an optimisation; which fields it has depends on its kind."""

    kind: str
    time: Moment
    turn: Count | UnsetType = UNSET
    number: Count | UnsetType = UNSET  # the number of a round
    purpose: str | UnsetType = UNSET
    task: str | UnsetType = UNSET
    prompt: StoreName | UnsetType | None = UNSET
    status: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    said: str | UnsetType = UNSET
    usage: Usage | UnsetType = UNSET
    seconds: float | UnsetType = UNSET
    judging: float | UnsetType = UNSET
    files: dict[str, StoreName | None] | UnsetType = UNSET
    meddled: list[str] | UnsetType = UNSET
    phase: Count | UnsetType = UNSET
    module: Count | UnsetType = UNSET
    whole: bool | UnsetType = UNSET
    verdicts: list[Verdict] | UnsetType = UNSET
    regressions: list[StoreName] | UnsetType = UNSET
    levels: Annotated[list[Level], Meta(min_length=1)] | UnsetType = UNSET
    agent: dict[str, Any] | UnsetType = UNSET
    budget: dict[str, float | None] | UnsetType | None = UNSET
    machine: dict[str, Any] | UnsetType | None = UNSET
    spec: StoreName | UnsetType = UNSET
    seed: int | UnsetType | None = UNSET
    changed: bool | UnsetType = UNSET
    outcome: str | UnsetType = UNSET
    kept: bool | UnsetType = UNSET
    why: str | UnsetType = UNSET
    base: str | UnsetType = UNSET  # the run whose code a run begins with
    carried: list[str] | UnsetType = UNSET  # modules of it that are not asked for again

    def __post_init__(self) -> None:
        if isinstance(self.files, dict):
            check_paths(self.files)


def check_event(data: Any) -> dict[str, Any]:
    """Return a line's data if it is an event. Raises `ValueError` with what is wrong."""
    check_depth(data)
    msgspec.convert(data, Line)
    return data
