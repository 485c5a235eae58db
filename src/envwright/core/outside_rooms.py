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
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import cast

from envwright.core.files import read_text
from envwright.core.room import TRANSLATION, Room, load_attribute
from envwright.core.text import one_line
from envwright.core.toml import LARGEST, parse_toml
from envwright.errors import EnvwrightError

GROUP = "envwright.rooms"
FOLDERS = "ENVWRIGHT_FOLDERS"  # opened by this process's user; child processes inherit them
PROJECT = "pyproject.toml"
TARGET = re.compile(r"\w+(\.\w+)*:\w+(\.\w+)*")
SIMULATORS = ("simulator", "reference", "twin")  # keys of a translation.toml
EVIDENCE = "evidence"  # the folder of a package's stored results
BESIDE = "package"  # where a translation's folder holds its package if it is not one itself


def installed_rooms() -> list[Room]:
    """Return the rooms of installed packages. Warns of those that cannot be loaded."""
    return _loaded({point.name: partial(_room_of, point) for point in entry_points(group=GROUP)})


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
    known = dict.fromkeys([*_opened_folders(), str(folder.resolve())])
    os.environ[FOLDERS] = os.pathsep.join(known)


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
        try:
            found.append(load())
        except Exception as error:  # other people's code must not end every command
            told = one_line(f"the environment of {name} is left out: {error}")
            warnings.warn(told, stacklevel=4)
    return found


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
    return sorted(set(found))


def _room_of(point: EntryPoint) -> Room:
    room = load_attribute(point.value)
    if not isinstance(room, Room):
        raise EnvwrightError(f"{point.value} is a {type(room).__name__}, not a Room")
    return room


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
