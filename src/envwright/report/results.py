"""Finds stored results below a folder and groups them by environment."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from envwright.core.registry import find, rooms
from envwright.core.room import Room
from envwright.errors import EnvwrightError, UnknownEnvironment
from envwright.report.kinds import READERS, Result, Source, Verification

T = TypeVar("T")
COLLECTION = "collection"  # several results in one file


@dataclass(frozen=True)
class Problem:
    """A file that is not on the page, and why."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path} {self.reason}"


@dataclass
class Environment:
    """Everything that was found about one environment."""

    id: str
    spec: Room | None = None  # None: it is not one of the zoo's
    results: list[Result] = field(default_factory=list)

    @property
    def title(self) -> str:
        return self.spec.title if self.spec else self.id

    def of(self, kind: type[T]) -> list[T]:
        """The results of one kind, in the order of their files."""
        return [r for r in self.results if isinstance(r, kind)]

    @property
    def ours(self) -> list[Verification]:
        """Comparisons of the zoo's own backends."""
        return [v for v in self.of(Verification) if is_ours(v)]

    @property
    def ports(self) -> list[Verification]:
        """Comparisons of other people's ports with the same reference."""
        return [v for v in self.of(Verification) if not is_ours(v)]


@dataclass
class Results:
    """What a folder holds."""

    folder: Path
    environments: list[Environment]
    problems: list[Problem]

    @property
    def sources(self) -> list[Source]:
        """Every file that is on the page."""
        return sorted(
            (r.source for e in self.environments for r in e.results), key=lambda s: s.path
        )


def read_results(folder: Path) -> Results:
    """Every result below `folder`, by environment; the zoo's come first.

    A folder without any is an error; files that are no results are told as problems.
    """
    if not folder.is_dir():
        raise EnvwrightError(
            f"there is no folder {folder}; make results with envwright verify cartpole --json "
            f"{folder}/cartpole-verify.json, or name another folder with --results"
        )
    found: list[Result] = []
    problems: list[Problem] = []
    for path in sorted(folder.rglob("*.json")):
        for result in _read(path):
            (problems if isinstance(result, Problem) else found).append(result)  # type: ignore[arg-type]
    if not found:
        besides = f" ({'; '.join(map(str, problems[:3]))})" if problems else ""
        raise EnvwrightError(
            f"no results below {folder}{besides}; make some with envwright verify cartpole "
            f"--json {folder}/cartpole-verify.json or envwright bench cartpole --json "
            f"{folder}/cartpole.json"
        )
    return Results(folder, _grouped(found), problems)


def is_ours(verification: Verification) -> bool:
    """Whether the twin is one of the zoo's backends."""
    return bool(verification.env) or verification.twin.startswith("envwright:")


def without_options(simulator: str) -> str:
    """`gymnasium:FrozenLake-v1` of `gymnasium:FrozenLake-v1?is_slippery=false`."""
    return simulator.partition("?")[0]


def spec_of(reference: str, twin: str) -> Room | None:
    """The room of the zoo that a comparison is about: ours as the twin, or its reference."""
    for simulator in (twin, reference):
        scheme, _, name = without_options(simulator).partition(":")
        if scheme == "envwright":
            return _known(name)
    return next((s for s in rooms() if s.reference == without_options(reference)), None)


# --- reading ---------------------------------------------------------------------------------


def _read(path: Path) -> list[Result | Problem]:
    """The result in a file, or the results of a collection."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not JSON"
        return [Problem(path, f"cannot be read: {reason}")]
    if isinstance(data, dict) and data.get("kind") == COLLECTION:
        inside = data.get("results")
        if not isinstance(inside, list):
            return [Problem(path, "is a collection without a list of results")]
        return [_parse(path, each) for each in inside]
    return [_parse(path, data)]


def _parse(path: Path, data: Any) -> Result | Problem:
    kind = data.get("kind") if isinstance(data, dict) else None
    if kind is None:
        return Problem(path, "does not say what kind of result it is (no key 'kind')")
    if not isinstance(kind, str) or kind not in READERS:
        return Problem(path, f"is of an unknown kind {kind!r}")
    try:
        return READERS[kind](_source(path, data), data)
    except KeyError as error:
        return Problem(path, f"is not a whole {kind} result: the key {error} is missing")
    except (ValueError, TypeError, AttributeError) as error:
        return Problem(path, f"is not a {kind} result: {error}")


def _source(path: Path, data: dict[str, Any]) -> Source:
    machine = data.get("machine") or {}
    return Source(path, data["kind"], dict(machine), str(data.get("command", "")))


# --- grouping --------------------------------------------------------------------------------


def _grouped(results: Iterable[Result]) -> list[Environment]:
    """One entry per environment of the zoo, with or without results, then all others."""
    groups = {spec.id: Environment(spec.id, spec) for spec in rooms()}
    for result in results:
        spec, name = _environment_of(result)
        name = spec.id if spec else name
        groups.setdefault(name, Environment(name)).results.append(result)
    return sorted(groups.values(), key=lambda e: (e.spec is None, not e.results))


def _environment_of(result: Result) -> tuple[Room | None, str]:
    if not isinstance(result, Verification):
        return _known(result.env), result.env
    spec = _known(result.env) if result.env else spec_of(result.reference, result.twin)
    return spec, result.env or without_options(result.reference)


def _known(name: str) -> Room | None:
    try:
        return find(name)
    except UnknownEnvironment:
        return None
