"""Keep a translation apart from its reference: what its processes see, and may have loaded."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from envwright.core.package import FOLDER
from envwright.sandbox import bare_runtime, interpreter, packages, places_of
from envwright.schema.names import parse_name
from envwright.translate.spec import TranslationSpec

# Distributions that the processes of a JAX translation use. None holds an environment, except for
# Gymnasium, which is there for its spaces.
NEEDED = ("jax", "gymnasium", "msgspec", "typing-extensions")
OURS = ("__init__.py", "errors.py", "adapters", "core", "schema", "sim", "zoo/__init__.py")
SYSTEM = tuple(map(Path, ("/usr", "/lib", "/lib64", "/bin", "/etc", "/dev")))


@cache
def jax_runtime() -> tuple[Path, ...]:
    """Return what a JAX translation sees of this machine: no environment is among it."""
    ours = tuple(FOLDER / part for part in OURS)
    return (*bare_runtime(), *packages(*NEEDED), *ours)


def reference_places(spec: TranslationSpec) -> tuple[Path, ...]:
    """Return the files and folders with the reference's code, and Gymnasium's environments."""
    spec.make_reachable()
    places = {place for module in _modules(spec) for place in _places(module)}
    places |= set(_gymnasium_rooms())
    for name in map(parse_name, _simulators(spec)):
        if name.scheme == "command":
            words = map(Path, _words(name.target))
            places |= {word.resolve() for word in words if word.is_file() and _is_program(word)}
    return tuple(sorted(places))


def strangers(
    report: Mapping[str, Any], spec: TranslationSpec, source: Path, safe: bool
) -> list[str]:
    """Return a sentence for each loaded module or file that a translation must not have loaded.

    The code's process makes this report, so it proves nothing alone: in the jail there is nothing
    of the kind to load.
    """
    banned = (*reference_places(spec), spec.folder)
    names = {module.partition(".")[0] for module in _modules(spec)}
    names -= _shared() | sys.stdlib_module_names
    seen = (*jax_runtime(), *interpreter(), *SYSTEM, source)
    found = []
    for name, file in sorted(dict(report["modules"]).items()):
        path = Path(str(file))
        if str(name).partition(".")[0] in names or (file and _below(path, banned, source)):
            found.append(f"it has loaded {name}, which is the reference's")
        elif safe and file and path.is_absolute() and not _within(path, seen):
            found.append(f"it has loaded {name} from {path}, which is not its own")
    for file in map(str, report["mapped"]):
        path = Path(file.removesuffix(" (deleted)"))
        if path.name.startswith("memfd:"):
            continue
        if _below(path, banned, source) or (safe and not _within(path, seen)):
            found.append(f"it has {path} in its memory")
    return found


def _within(path: Path, folders: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _below(path: Path, folders: tuple[Path, ...], source: Path) -> bool:
    return _within(path, folders) and not path.is_relative_to(source)


def _simulators(spec: TranslationSpec) -> Iterator[str]:
    named = (spec.reference.simulator, *(check.reference for check in spec.checks))
    return filter(None, dict.fromkeys(named))


def _modules(spec: TranslationSpec) -> set[str]:
    """Return the modules that a specification names as the reference's."""
    targets = [spec.reference.source]
    targets += [golden.target for module in spec.modules for golden in module.golden]
    targets += [span for module in spec.modules for span in module.source]
    found = {target.partition(":")[0] for target in targets if ":" in target}
    for name in map(parse_name, _simulators(spec)):
        if name.scheme == "python":
            found.add(name.module)
        elif name.scheme == "gymnax":
            found.add("gymnax")
        elif name.scheme == "gymnasium":
            found |= set(_gymnasium_module(name.target))
        elif name.scheme == "command":
            found |= {after for word, after in pairwise(_words(name.target)) if word == "-m"}
    return {module for module in found if module and "/" not in module and module[0] != "."}


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _gymnasium_module(target: str) -> Iterator[str]:
    """Yield the modules of an environment: `ID`, or `module:ID`."""
    import gymnasium

    module, _, _ = target.rpartition(":")
    yield module
    try:
        entry = gymnasium.spec(target).entry_point
    except (gymnasium.error.Error, ImportError):
        return
    yield entry.partition(":")[0] if isinstance(entry, str) else getattr(entry, "__module__", "")


def _places(module: str) -> Iterator[Path]:
    """Yield where a module lies, unless a translation needs its package too."""
    if module.partition(".")[0] not in _shared():
        yield from places_of(module)


@cache
def _shared() -> frozenset[str]:
    """Return the packages of which a translation sees everything but environments."""
    return frozenset({"envwright", *(place.stem for place in packages(*NEEDED))})


@cache
def _gymnasium_rooms() -> tuple[Path, ...]:
    found = find_spec("gymnasium.envs")
    roots = [Path(place) for place in (found.submodule_search_locations or ())] if found else []
    return tuple(sorted(path for root in roots for path in root.iterdir() if path.is_dir()))


def _is_program(path: Path) -> bool:
    """Return whether a word of a command is more than the interpreter that runs it."""
    return not _within(path.resolve(), (*SYSTEM, *interpreter(), *bare_runtime()))
