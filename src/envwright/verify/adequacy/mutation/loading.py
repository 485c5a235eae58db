"""Import packages with some of their modules changed, beside the originals.

::

    with load_mutant_package("envwright.zoo.pong", {"envwright.zoo.pong.rules": source}) as pong:
        env = pong["envwright.zoo.pong.env"].Pong()

Inside the `with` block the package's modules are fresh copies that see one another, however they
import each other, and `sys.modules` holds them. Afterwards the originals are back. Functions are
new objects, so that no jit cache mixes the two. Imports by other threads meanwhile get the copies.

Where a package is built on another one (a robot on its engine), name both: modules of either are
copied, and see the copies of the other.
"""

from __future__ import annotations

import importlib
import linecache
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from types import ModuleType

_one_at_a_time = threading.RLock()


class MutantImportError(ImportError):
    """The changed package cannot be imported: the bug is noticed without any test."""


@contextmanager
def load_mutant_package(
    package: str | Sequence[str], replaced: Mapping[str, str], label: str = ""
) -> Iterator[dict[str, ModuleType]]:
    """Import fresh copies of a package's modules, with the given sources for some of them.

    Copied are the package (or packages), the modules of it that are imported already, and the
    replaced ones. Tracebacks and `inspect` show a changed source as "<mutant rules.py>", or with
    the label (the mutant's id, say) instead of the file's name. An import that fails is a
    `MutantImportError`.
    """
    packages = (package,) if isinstance(package, str) else tuple(package)
    if label and len(replaced) > 1:
        raise ValueError("a label is for one changed module; leave it out for several")
    outside = [name for name in replaced if not _belongs(name, packages)]
    if outside:
        said = " or ".join(packages)
        raise ValueError(f"{outside[0]} is not a module of {said}; name the package it is in")
    with _one_at_a_time:
        # The originals come first, so that what they need from outside is imported with them.
        specs = {name: importlib.import_module(name).__spec__ for name in (*packages, *replaced)}
        finder = _ChangedModules({n: _changed(specs[n], replaced[n], label) for n in replaced})
        originals = {n: m for n, m in sys.modules.items() if _belongs(n, packages)}
        attributes = _taken_from_parents(packages)
        outer = set(sys.modules)
        for name in originals:
            del sys.modules[name]
        sys.meta_path.insert(0, finder)
        try:
            yield _import_all([*packages, *originals, *replaced])
        finally:
            sys.meta_path.remove(finder)
            for name in [n for n in sys.modules if _is_tainted(n, packages, outer)]:
                del sys.modules[name]
            sys.modules.update(originals)
            for parent, child, original in attributes:
                setattr(parent, child, original)
            finder.forget()


def _taken_from_parents(packages: Sequence[str]) -> list[tuple[ModuleType, str, ModuleType]]:
    """Remove packages from their parents, where `import a.b.c as c` looks first."""
    taken = []
    for package in packages:
        parent, _, child = package.rpartition(".")
        if parent:
            taken.append((sys.modules[parent], child, getattr(sys.modules[parent], child)))
            delattr(sys.modules[parent], child)
    return taken


def _belongs(name: str, packages: Sequence[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def _is_tainted(name: str, packages: Sequence[str], outer: set[str]) -> bool:
    """Return whether a module is a copy, or was first imported with copies beside it."""
    beside = _belongs(name, [package.partition(".")[0] for package in packages])
    return _belongs(name, packages) or (beside and name not in outer)


def _import_all(names: list[str]) -> dict[str, ModuleType]:
    try:
        return {name: importlib.import_module(name) for name in names}
    except (Exception, SystemExit) as error:
        raise MutantImportError(f"{type(error).__name__}: {error}") from error


def _changed(spec: ModuleSpec | None, source: str, label: str) -> ModuleSpec:
    if spec is None or spec.origin is None or not spec.has_location:
        raise ValueError(f"{spec and spec.name} has no source file that could be changed")
    folder, file = os.path.split(spec.origin)
    shown = f"<mutant {label or file}>".replace(os.sep, "÷")
    path = os.path.join(folder, shown)  # there the module finds its data as before
    changed = spec_from_file_location(
        spec.name,
        path,
        loader=_ChangedSource(spec.name, path, source),
        submodule_search_locations=spec.submodule_search_locations,
    )
    assert changed is not None
    return changed


class _ChangedSource(SourceFileLoader):
    def __init__(self, name: str, path: str, source: str):
        super().__init__(name, path)
        self.source = source

    def get_source(self, fullname: str) -> str:
        return self.source

    def get_code(self, fullname: str):
        lines = self.source.splitlines(keepends=True)
        linecache.cache[self.path] = (len(self.source), None, lines, self.path)
        return compile(self.source, self.path, "exec", dont_inherit=True)


class _ChangedModules(MetaPathFinder):
    def __init__(self, specs: dict[str, ModuleSpec]):
        self.specs = specs

    def find_spec(self, fullname, path=None, target=None):
        return self.specs.get(fullname)

    def forget(self) -> None:
        for spec in self.specs.values():
            linecache.cache.pop(str(spec.origin), None)
