"""Some of the installed packages, for `Jail.readable`: those named, with what they require.

`python_runtime` shows all packages. A program that must not find one of them gets only its own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

BORROWED = "envwright-borrowed.pth"  # in an environment that finds packages of another one
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@cache
def packages(*names: str) -> tuple[Path, ...]:
    """Return the files and folders of distributions and of all that they require."""
    found = {_canonical(d.name): d for name in names for d in _with_requirements(name)}
    places = {place for each in found.values() for place in _places(each)}
    return tuple(sorted(places))


@cache
def bare_runtime() -> tuple[Path, ...]:
    """Return what a virtual environment's interpreter needs, without any package."""
    prefix = Path(sys.prefix)
    parts = (prefix / "pyvenv.cfg", prefix / "bin", *prefix.glob(f"lib/*/*/{BORROWED}"))
    return tuple(part for part in parts if part.exists()) if sys.prefix != sys.base_prefix else ()


def places_of(module: str) -> tuple[Path, ...]:
    """Return the folders, or the file, of a top-level module that is not Python's own."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return ()
    try:
        found = find_spec(top)
    except (ImportError, ValueError):
        return ()
    if found is None:
        return ()
    if found.submodule_search_locations:
        return tuple(Path(place) for place in found.submodule_search_locations)
    return (Path(found.origin),) if found.origin else ()


def _with_requirements(name: str) -> Iterator[Distribution]:
    waiting, seen = [name], set()
    while waiting:
        name = _canonical(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue  # for another platform
        yield found
        waiting += _required(found.requires or ())


def _required(requirements: Iterable[str]) -> Iterator[str]:
    for requirement in requirements:
        named = _NAME.match(requirement)
        if named and "extra ==" not in requirement:
            yield named[0]


def _places(found: Distribution) -> Iterator[Path]:
    """Yield the top-level entries of a distribution in its folder of packages."""
    root = Path(str(found.locate_file("")))
    for file in found.files or ():
        top = file.parts[0]
        if ".." not in file.parts and top != "__pycache__" and (root / top).exists():
            yield root / top


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
