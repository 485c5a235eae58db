"""Fingerprints of the code of an evaluation, so that none is reused after a change."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
from pathlib import Path

from envwright.bench.machine import installed_version
from envwright.core.package import FOLDER
from envwright.core.registry import find, rooms
from envwright.core.room import import_named
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name
from envwright.schema.provenance import SUFFIXES
from envwright.schema.translation import room_translation
from envwright.sim.gymnasium_env import import_registering
from envwright.verify.room import load_room


def fingerprint(simulator: str) -> str | None:
    """Return eight hex digits of a simulator's name and code; None if its code is out of reach."""
    name = parse_name(simulator)
    files = _files(name.scheme, name.target)
    if files is None:
        return None
    digest = hashlib.sha256(simulator.encode())
    for path in sorted([*files, *(FOLDER / "train").rglob("*.py")]):
        digest.update(path.name.encode() + path.read_bytes())
    for package in ("gymnasium", "jax", "gymnax", *_pinned(name.bare)):
        digest.update((installed_version(package) or "").encode())
    return digest.hexdigest()[:8]


def _files(scheme: str, target: str) -> list[Path] | None:
    """Return the Python sources that decide how a simulator behaves."""
    core = list((FOLDER / "core").glob("*.py"))
    if scheme == "envwright":
        rooms = [importlib.util.find_spec(package) for package in _packages(target)]
        folders = [Path(room.origin).parent for room in rooms if room and room.origin]
        if len(folders) < len(rooms):
            return None
        sources = [p for folder in folders for p in folder.rglob("*") if p.suffix in SUFFIXES]
        return [*sources, *core, *FOLDER.glob("_native*")]
    if scheme == "gymnasium":
        import gymnasium

        import_registering(target)
        try:
            env = gymnasium.make(target)
        except gymnasium.error.Error as error:
            raise EnvwrightError(f"Gymnasium cannot make {target!r}: {error}") from error
        source = inspect.getsourcefile(type(env.unwrapped))
        env.close()
        return [Path(source)] if source else None
    if scheme == "python":
        try:
            module = import_named(target.partition(":")[0]).__spec__
        except ModuleNotFoundError:
            return None
        if module is None or module.origin is None:
            return None
        return [*Path(module.origin).parent.glob("*.py"), *core]
    return None


def _pinned(simulator: str) -> list[str]:
    """Return the package that a room's reference comes from, as `translation.toml` pins it."""
    translations = (room_translation(room) for room in rooms() if room.owns(simulator))
    return [t.reference.package.partition("==")[0] for t in translations if t is not None]


def _packages(target: str) -> tuple[str, ...]:
    """Return the room of an environment, and the packages that its translation.toml builds on."""
    try:
        return load_room(target).packages
    except EnvwrightError:
        return (find(target).package,)
