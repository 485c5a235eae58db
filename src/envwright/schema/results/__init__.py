"""Stored results: one class for each kind, read and written here only."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec

from envwright.core.files import write_json
from envwright.errors import SchemaError
from envwright.schema.json_records import as_json, located, read_json
from envwright.schema.results.adequacy import (
    Coverage,
    Decision,
    FileCoverage,
    Impossible,
    LevelCoverage,
    Mutation,
    Noticed,
    Proved,
    Survivor,
)
from envwright.schema.results.base import RoomFindings, Stored
from envwright.schema.results.recipe import Ablation, Arm, Optimisation, Race, Raced, Round, Trial
from envwright.schema.results.speed import (
    Bench,
    BenchRow,
    Breakdown,
    BreakdownRow,
    Comparison,
    Skipped,
)
from envwright.schema.results.training import Elo, FinalReturn, Play, Rating, Training
from envwright.schema.results.update import (
    FunctionUpdate,
    ModuleUpdate,
    Part,
    TextChange,
    Update,
)
from envwright.schema.results.verification import (
    Apart,
    Correlation,
    Direction,
    Level,
    MarginProposal,
    PolicyReturns,
    Transfer,
    Verification,
    Visitation,
)

COLLECTION = "collection"  # several results in one file
MOST = 10_000  # results of a collection
Result: TypeAlias = (
    Verification
    | Mutation
    | Coverage
    | Bench
    | Breakdown
    | Training
    | Elo
    | Play
    | Ablation
    | Optimisation
    | Update
)
KINDS: dict[str, type[Stored]] = {str(each.__struct_config__.tag): each for each in Result.__args__}  # type: ignore[attr-defined]
Json = dict[str, Any]


def write_results(path: str | os.PathLike[str], documents: Sequence[Mapping[str, Any]]) -> Path:
    """Write one result, or several as a collection; all of it or nothing."""
    if len(documents) == 1:
        return write_json(path, documents[0])
    return write_json(path, {"kind": COLLECTION, "results": documents})


def read_results(path: Path) -> Iterator[Stored | SchemaError]:
    """Read the results in a file; yields a `SchemaError` in place of each malformed one."""
    try:
        data = read_json(path, "a result")
    except SchemaError as error:
        yield error
        return
    inside = _field(data, "results") if _field(data, "kind") == COLLECTION else [data]
    if not isinstance(inside, list):
        yield SchemaError(path, "is a collection without a list of results")
        return
    if len(cast("list[Any]", inside)) > MOST:
        yield SchemaError(path, f"is a collection of more than {MOST:,} results")
        return
    for each in cast("list[Any]", inside):
        try:
            yield parse_result(path, each)
        except SchemaError as error:
            yield error


def parse_result(path: Path, data: Any) -> Stored:
    """Parse a stored result. Raises `SchemaError` if it is malformed."""
    kind = _field(data, "kind")
    if kind is None:
        raise SchemaError(path, "does not say what kind of result it is (no key 'kind')")
    try:
        if isinstance(kind, str) and kind in KINDS:
            # Not strict: JSON spells NaN and infinity as texts.
            return msgspec.convert(data, KINDS[kind], strict=False, str_keys=True)
        if isinstance(kind, str) and "provenance" in data:
            return msgspec.convert({**data, "name": kind}, RoomFindings, strict=False)
    except msgspec.ValidationError as error:
        raise SchemaError(path, f"is not a {kind} result: {located(error)}") from error
    raise SchemaError(path, f"is of an unknown kind {kind!r}")


def _field(data: Any, name: str) -> Any:
    return cast("Json", data).get(name) if isinstance(data, dict) else None


__all__ = [
    "COLLECTION",
    "KINDS",
    "Ablation",
    "Apart",
    "Arm",
    "Bench",
    "BenchRow",
    "Breakdown",
    "BreakdownRow",
    "Comparison",
    "Correlation",
    "Coverage",
    "Decision",
    "Direction",
    "Elo",
    "FileCoverage",
    "FinalReturn",
    "FunctionUpdate",
    "Impossible",
    "Level",
    "LevelCoverage",
    "MarginProposal",
    "ModuleUpdate",
    "Mutation",
    "Noticed",
    "Optimisation",
    "Part",
    "Play",
    "PolicyReturns",
    "Proved",
    "Race",
    "Raced",
    "Rating",
    "Result",
    "RoomFindings",
    "Round",
    "Skipped",
    "Stored",
    "Survivor",
    "TextChange",
    "Training",
    "Transfer",
    "Trial",
    "Update",
    "Verification",
    "Visitation",
    "as_json",
    "parse_result",
    "read_results",
    "write_results",
]
