"""Python files that are named by their path, such as `envs/grid.py`, rather than as modules."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from envwright.errors import EnvwrightError

ENDING = ".py"
_PATHS: dict[str, str] = {}  # module -> path as it was named


def is_file(module: str) -> bool:
    """Whether a name is the path of a Python file rather than a module's."""
    return module.endswith(ENDING) and module != ENDING


def module_name(module: str) -> str:
    """Return how others can name a loaded module: by its path if it came from a file."""
    return _PATHS.get(module, module)


def import_file(path: str) -> ModuleType:
    """Import a Python file, once; with its package if its folder is one.

    Its folder, or that of its package, is put at the end of Python's path, so that it finds the
    files beside it.
    """
    file = Path(path).resolve()
    if not file.is_file():
        raise EnvwrightError(f"there is no file {path}; name it from the current folder")
    root, name = file.parent, file.stem
    while (root / "__init__.py").is_file():
        root, name = root.parent, f"{root.name}.{name}"
    name = name.removesuffix(".__init__")
    if str(root) not in sys.path:
        sys.path.append(str(root))
        importlib.invalidate_caches()
    if not _leads_to(name, file):
        name = f"{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    module = sys.modules.get(name) or _imported(name, file)
    _PATHS[name] = path
    return module


def _leads_to(name: str, file: Path) -> bool:
    """Whether importing a name imports this file, and not another one of the same name."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == file


def _imported(name: str, file: Path) -> ModuleType:
    if _leads_to(name, file):
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look it up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
