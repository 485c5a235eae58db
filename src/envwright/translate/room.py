"""Open a finished translation as a room."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

from envwright.core.room import Room
from envwright.errors import EnvwrightError
from envwright.translate.jailed import last_module
from envwright.translate.spec import TranslationSpec, load_spec
from envwright.translate.stored_runs import last_run


def open_room(folder: Path) -> Room:
    """Return the room of a folder with a translation.toml and verified code.

    The code is that of the newest verified run, or else `src/` beside the file. It becomes
    importable; making the environment runs it, opening the room does not.
    """
    spec = load_spec(folder)
    if spec.target.backend != "jax":
        raise EnvwrightError(
            f"{folder} is a translation to {spec.target.backend}; only JAX ones open as rooms"
        )
    source = str(_source(spec).resolve())
    if source not in sys.path:
        sys.path.append(source)  # after installed packages: it replaces none of them
        importlib.invalidate_caches()
    _require_found_in(source, spec.target.package)
    return Room(
        id=spec.id,
        version=spec.version,
        title=spec.target.entry,
        summary=f"translated from {spec.reference.simulator or spec.reference.specification}",
        backends={spec.target.backend: f"{spec.target.package}.{last_module(spec)}"},
        package=spec.target.package,
        reference=spec.reference.simulator,
        folder=spec.folder,
    )


def _require_found_in(source: str, package: str) -> None:
    """Reject a package of the same name elsewhere, which Python would import instead."""
    found = importlib.util.find_spec(package)
    places = [*(found.submodule_search_locations or ())] if found else []
    if not any(Path(place).resolve().is_relative_to(source) for place in places):
        raise EnvwrightError(
            f"Python finds {package} in {', '.join(places) or 'no folder'}, not in {source}; "
            "uninstall the other one, or start a new process"
        )


def _source(spec: TranslationSpec) -> Path:
    run = last_run(spec, ended="verified")
    if run is not None:
        return run / "workspace" / "src"
    if (spec.folder / "src" / spec.target.package).is_dir():
        return spec.folder / "src"
    raise EnvwrightError(
        f"{spec.folder} has no verified run; run envwright translate {spec.folder}"
    )
