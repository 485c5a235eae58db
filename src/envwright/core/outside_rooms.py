"""Rooms outside of the zoo: of installed packages, and of packages in a folder.

A package declares its rooms as entry points of the group `envwright.rooms`:

    [project.entry-points."envwright.rooms"]
    fast_mountaincar = "fast_mountaincar._room:ROOM"

`envwright translate` writes such packages.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
import warnings
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, cast, get_origin, get_type_hints

from envwright.core.files import read_text
from envwright.core.room import TRANSLATION, Demo, Handler, Option, Room, load_attribute
from envwright.core.source_files import is_file
from envwright.core.text import one_line
from envwright.core.toml import LARGEST, parse_toml
from envwright.errors import EnvwrightError

GROUP = "envwright.rooms"
FOLDERS = "ENVWRIGHT_FOLDERS"  # opened by this process's user; child processes inherit them
PROJECT = "pyproject.toml"
TARGET = re.compile(r"\w+(\.\w+)*:\w+(\.\w+)*")
LONGEST_NAME = 100  # letters of a room's id, which becomes part of file names
NAME = re.compile(r"\w[\w.-]*")
FLAG = re.compile(r"--[a-z][a-z0-9-]*(/--[a-z][a-z0-9-]*)?")
NEWEST = 10**6  # version
SIMULATORS = ("simulator", "reference", "twin")  # keys of a translation.toml
EVIDENCE = "evidence"  # the folder of a package's stored results
BESIDE = "package"  # where a translation's folder holds its package if it is not one itself


def installed_rooms() -> list[Room]:
    """Return the rooms of installed packages. Warns of those that cannot be loaded."""
    points: list[EntryPoint] = []
    with _leaving_out("every installed environment"):
        points = [*entry_points(group=GROUP)]
    return _loaded({point.name: partial(_room_of, point) for point in points})


def opened_rooms() -> list[Room]:
    """Return the rooms of folders that a parent process opened. Warns of those that are gone."""
    return _loaded({folder: partial(room_in, Path(folder)) for folder in _opened_folders()})


def package_in(folder: Path) -> Path | None:
    """Return the folder of the package that declares rooms: this one, or `package` in it."""
    return next((place for place in (folder, folder / BESIDE) if _points(place)), None)


def room_in(folder: Path) -> Room:
    """Return the room of a package that is not installed, and make its code importable."""
    place = package_in(folder)
    if place is None:
        raise EnvwrightError(
            f"{folder} is not a package with a room; make one with envwright export"
        )
    source = (place / "src").resolve()
    _append_to_path(source)
    _make_own_code_importable(folder.resolve())
    point = _points(place)[0]
    _require_found_in(source, point.module.partition(".")[0])
    return _room_of(point)


def remember_folder(folder: Path) -> None:
    """Let child processes find the room of a folder."""
    place = str(folder.resolve())
    if os.pathsep in place:
        raise EnvwrightError(
            f"{folder} cannot be opened: its path contains {os.pathsep!r}, which separates folders "
            f"in {FOLDERS}; rename it"
        )
    os.environ[FOLDERS] = os.pathsep.join(dict.fromkeys([*_opened_folders(), place]))


def folder_of(room: Room) -> Path | None:
    """Return the opened folder that holds a room's package; None if it is installed."""
    places = [Path(folder) for folder in _opened_folders()]
    return next((place for place in places if _holds(place, room)), None)


def _holds(folder: Path, room: Room) -> bool:
    place = package_in(folder)
    return place is not None and any(p.value.startswith(f"{room.package}.") for p in _points(place))


def _opened_folders() -> list[str]:
    return [folder for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]


def _loaded(openers: Mapping[str, Callable[[], Room]]) -> list[Room]:
    found: list[Room] = []
    for name, load in openers.items():
        with _leaving_out(f"the environment of {name}"):
            found.append(load())
    return found


@contextmanager
def _leaving_out(what: str) -> Generator[None]:
    """Warn of what fails: other people's code must not end every command."""
    try:
        yield
    except (Exception, SystemExit) as error:
        reason = str(error) or type(error).__name__
        warnings.warn(one_line(f"{what} is left out: {reason}"), stacklevel=5)


def _points(folder: Path) -> list[EntryPoint]:
    path = folder / PROJECT
    if not path.is_file():
        return []
    try:
        project = parse_toml(read_text(path, LARGEST)).get("project", {})
        listed = project.get("entry-points", {}).get(GROUP, {})
        return [EntryPoint(name, _target(value), GROUP) for name, value in listed.items()]
    except UnicodeDecodeError as error:
        raise EnvwrightError(f"{path} is not a valid pyproject.toml: it is not UTF-8") from error
    except (ValueError, AttributeError) as error:
        raise EnvwrightError(f"{path} is not a valid pyproject.toml: {error}") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvwrightError(f"{path} cannot be read: {reason}") from error


def _target(value: object) -> str:
    if not isinstance(value, str) or TARGET.fullmatch(value) is None:
        raise ValueError(f"the entry point {value!r} is not of the form 'module:attribute'")
    return value


def _append_to_path(folder: Path) -> None:
    """Let Python import from a folder, after installed packages: it replaces none of them."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()


def _make_own_code_importable(folder: Path) -> None:
    """Let Python import a reference that lies beside a user's own translation.toml."""
    for module in _modules_of_simulators(folder / TRANSLATION):
        top = module.partition(".")[0]
        if (folder / f"{top}.py").is_file() or (folder / top / "__init__.py").is_file():
            _append_to_path(folder)
            _require_found_in(folder, top)


def _modules_of_simulators(toml: Path) -> list[str]:
    """Return the modules of `python:` simulators in a toml; [] if there is no such file."""
    if not toml.is_file():
        return []
    try:
        waiting: list[tuple[str, object]] = [("", parse_toml(read_text(toml, LARGEST)))]
    except (OSError, ValueError, RecursionError):
        return []  # whoever needs the file reports it
    found: list[str] = []
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += cast("dict[str, object]", value).items()
        elif isinstance(value, list):
            waiting += [(key, inside) for inside in cast("list[object]", value)]
        elif isinstance(value, str) and key in SIMULATORS and value.startswith("python:"):
            found.append(value.split(":")[1])
    return sorted({module for module in found if not is_file(module)})


def _room_of(point: EntryPoint) -> Room:
    room = load_attribute(point.value)
    if not isinstance(room, Room):
        raise EnvwrightError(f"{point.value} is a {type(room).__name__}, not a Room")
    _check(room, point.value)
    return room


def _check(room: Any, source: str) -> None:
    """Reject a room whose fields commands could not use, whatever its types promise."""
    kinds = get_type_hints(Room)
    for each in fields(Room):
        kind, value = kinds[each.name], getattr(room, each.name)
        wanted = Demo | None if each.name == "demo" else get_origin(kind) or kind
        if not isinstance(value, wanted):
            wanted = getattr(wanted, "__name__", "Demo")
            raise EnvwrightError(
                f"{source} has a {each.name} of type {type(value).__name__}, not {wanted}"
            )
    if NAME.fullmatch(room.id) is None or len(room.id) > LONGEST_NAME:
        told = one_line(repr(room.id), 80)
        raise EnvwrightError(f"{source} has the id {told}; use letters, digits, _, . and -")
    if not 1 <= room.version <= NEWEST:
        raise EnvwrightError(f"{source} has a version that is not between 1 and {NEWEST:,}")
    texts = [*room.backends, *room.backends.values(), *room.words, *room.handlers]
    if not room.backends or not all(isinstance(text, str) for text in texts):
        raise EnvwrightError(f"{source} needs backends such as {{'jax': 'module:Class'}}")
    if not all(isinstance(handler, Handler) for handler in room.handlers.values()):
        raise EnvwrightError(f"{source} has a handler that is not a Handler")
    for option in room.options:
        if not _is_usable(option):
            raise EnvwrightError(f"{source} has an option that no command line can have: {option}")


def _is_usable(option: object) -> bool:
    """Return whether commands can offer an option."""
    its: dict[str, Any] = vars(option) if isinstance(option, Option) else {}
    if not its or not isinstance(its["name"], str) or not its["name"].isidentifier():
        return False
    lists = (its["verbs"], its["choices"])
    if not all(isinstance(each, tuple) for each in lists):
        return False
    texts = (its["help"], its["flag"], its["needs"], *its["verbs"], *its["choices"])
    if not all(isinstance(text, str) for text in texts):
        return False
    ends = (its["least"], its["most"])
    return (
        (not its["flag"] or FLAG.fullmatch(its["flag"]) is not None)
        and its["type"] in (str, int, bool, Path)
        and all(end is None or isinstance(end, int) for end in ends)
    )


def _require_found_in(source: Path, package: str) -> None:
    """Reject a package of the same name elsewhere, which Python would import instead."""
    try:
        found = importlib.util.find_spec(package)
    except ValueError:  # of a module without one, such as __main__
        found = None
    places = [*(found.submodule_search_locations or ())] if found else []
    places += [found.origin] if found and not places and found.origin else []
    if not any(Path(place).resolve().is_relative_to(source) for place in places):
        raise EnvwrightError(
            f"Python finds {package} in {', '.join(places) or 'no folder'}, not in {source}; "
            "uninstall the other one, or start a new process"
        )
