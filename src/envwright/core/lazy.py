"""Exports that are imported on first use, so that a package is cheap to import."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazy(package: str, exports: dict[str, str]) -> Callable[[str], Any]:
    """Make `__getattr__` of a package from its modules and the names that each exports."""
    homes = {name: module for module, names in exports.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return get
