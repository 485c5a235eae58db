"""Find stored results below a folder and group them by environment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from envwright.core.files import files_below
from envwright.core.registry import find, rooms
from envwright.core.room import Room
from envwright.errors import EnvwrightError, SchemaError, UnknownEnvironment
from envwright.schema.divergence import Divergence, PairDivergence
from envwright.schema.names import parse_name
from envwright.schema.provenance import Sources, Standing
from envwright.schema.results import Play, RoomFindings, Stored, Update, Verification
from envwright.schema.results import read_results as read_file
from envwright.schema.tolerance import Tolerances

T = TypeVar("T", bound=Stored)
MOST_PICTURES = 1 << 27  # bytes of the pictures of all results


@dataclass(frozen=True)
class Found(Generic[T]):
    """A stored result: where it was read, and whether it is current."""

    path: Path
    record: T
    standing: Standing


@dataclass
class Environment:
    """All results of one environment."""

    id: str
    spec: Room | None = None  # None: it is not one of the zoo's
    results: list[Found[Any]] = field(default_factory=list)

    @property
    def title(self) -> str:
        return self.spec.title if self.spec else self.id

    def found(self, kind: type[T]) -> list[Found[T]]:
        """The results of one kind, in the order of their files."""
        return [each for each in self.results if isinstance(each.record, kind)]

    def of(self, kind: type[T]) -> list[T]:
        """The records of one kind, in the order of their files."""
        return [each.record for each in self.found(kind)]

    @property
    def ours(self) -> list[Verification]:
        """The comparisons of the zoo's own backends."""
        return [v for v in self.of(Verification) if is_ours(v)]

    @property
    def ports(self) -> list[Verification]:
        """The comparisons of other people's ports with the same reference."""
        return [v for v in self.of(Verification) if not is_ours(v)]


@dataclass
class Results:
    """The results in a folder."""

    folder: Path
    environments: list[Environment]
    problems: list[SchemaError]
    only: str = ""  # the one environment that was asked for

    @property
    def sources(self) -> list[Found[Any]]:
        """Every result that is on the page."""
        return sorted((r for e in self.environments for r in e.results), key=lambda r: r.path)


def read_results(folder: Path, only: str = "") -> Results:
    """Read every result below `folder`, by environment; the zoo's come first.

    `only` is the id of a room whose results are to be shown alone. Raises if there are none.
    Files that are not results are listed as problems.
    """
    found, problems = find_results(folder)
    shown = [each for each in found if not isinstance(each.record, RoomFindings)]
    if only:
        shown = [each for each in shown if _id_of(each.record) == only]
        if not shown:
            raise EnvwrightError(
                f"no results of {only} below {folder}; make some with envwright verify {only} "
                f"--json {folder}/{only}-verify.json, or name another folder with --results"
            )
    for each in [each for each in found if isinstance(each.record, RoomFindings)]:
        problems.append(
            SchemaError(each.path, f"is a {each.record.kind} result, which has no chart")
        )
    if not shown:
        besides = f" ({'; '.join(map(str, problems[:3]))})" if problems else ""
        raise EnvwrightError(
            f"no results below {folder}{besides}; make some with envwright verify cartpole "
            f"--json {folder}/cartpole-verify.json or envwright bench cartpole --json "
            f"{folder}/cartpole.json"
        )
    groups = _grouped(shown)
    if only:
        groups = [each for each in groups if each.id == only]
    return Results(folder, groups, problems, only)


def find_results(folder: Path) -> tuple[list[Found[Any]], list[SchemaError]]:
    """Return every result below `folder` with its standing, and every malformed file."""
    if not folder.is_dir():
        raise EnvwrightError(
            f"there is no folder {folder}; make results with envwright verify cartpole --json "
            f"{folder}/cartpole-verify.json, or name another folder"
        )
    here = Sources()
    found: list[Found[Any]] = []
    problems: list[SchemaError] = []
    pictures = 0
    for path in files_below(folder, ".json"):
        for record in read_file(path):
            try:
                if isinstance(record, SchemaError):
                    raise record
                pictures += _check(path, record)
                if pictures > MOST_PICTURES:
                    raise SchemaError(
                        path,
                        "is left out: the pictures of these results are larger than "
                        f"{MOST_PICTURES >> 20} MB together",
                    )
            except SchemaError as error:
                problems.append(error)
                continue
            translated = record.provenance.folder
            sources = here.of(translated) if translated else here
            found.append(Found(path, record, sources.standing(record)))
    return found, problems


def divergences_of(verification: Verification) -> list[Divergence]:
    """Return the divergences of all levels, in order."""
    return [Divergence.from_json(d) for level in verification.levels for d in level.divergences]


def image_of(path: Path, play: Play) -> Path:
    """Return the image beside a stored result."""
    return (path.parent / play.image).resolve()


def is_ours(verification: Verification) -> bool:
    """Return whether the twin is one of the zoo's backends."""
    return bool(verification.env) or verification.twin.startswith("envwright:")


def without_options(simulator: str) -> str:
    """Return `gymnasium:FrozenLake-v1` for `gymnasium:FrozenLake-v1?is_slippery=false`."""
    name = parse_name(simulator)
    return name.bare if name.query else simulator


def spec_of(reference: str, twin: str) -> Room | None:
    """Return the room that a comparison is about: ours as the twin, or its reference."""
    for simulator in (twin, reference):
        name = parse_name(simulator)
        if name.scheme == "envwright":
            return _known(name.target)
    return next((s for s in rooms() if s.reference == without_options(reference)), None)


# --- reading ---------------------------------------------------------------------------------


def _check(path: Path, record: Stored) -> int:
    """Return the bytes of its image, if it has one.

    Rejects divergences that cannot be replayed, and images that are not beside the file.
    """
    if isinstance(record, Verification):
        try:
            for each in divergences_of(record):
                if isinstance(each, PairDivergence):
                    Tolerances.from_json(each.tolerances)
        except (EnvwrightError, KeyError, ValueError, TypeError, AttributeError) as error:
            raise SchemaError(path, f"is not a verify result: {error}") from error
    return _checked_image(path, record) if isinstance(record, Play) else 0


def _checked_image(path: Path, play: Play) -> int:
    try:
        image = image_of(path, play)
        if not image.is_relative_to(path.parent.resolve()):
            raise SchemaError(path, "is not a play result: its image lies outside of its folder")
        size = image.stat().st_size if image.is_file() else None
    except (OSError, RuntimeError, ValueError):  # too long, a link to itself, or with a NUL
        size = None
    if size is None:
        raise SchemaError(path, f"is not a play result: its image {play.image} is missing")
    return size


# --- grouping --------------------------------------------------------------------------------


def _grouped(results: Iterable[Found[Any]]) -> list[Environment]:
    """Group by environment: those of the zoo, with or without results, then all others."""
    groups = {spec.id: Environment(spec.id, spec) for spec in rooms()}
    for result in results:
        name = _id_of(result.record)
        groups.setdefault(name, Environment(name)).results.append(result)
    return sorted(groups.values(), key=lambda e: (e.spec is None, not e.results))


def _id_of(result: Stored) -> str:
    spec, name = _environment_of(result)
    return spec.id if spec else name


def _environment_of(result: Stored) -> tuple[Room | None, str]:
    if isinstance(result, Update):
        return _known(result.env), result.env or without_options(result.simulator)
    if not isinstance(result, Verification):
        return _known(result.env), result.env
    spec = _known(result.env) if result.env else spec_of(result.reference, result.twin)
    return spec, result.env or without_options(result.reference)


def _known(name: str) -> Room | None:
    try:
        return find(name)
    except UnknownEnvironment:
        return None
