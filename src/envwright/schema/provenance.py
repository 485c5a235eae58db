"""Where a stored result comes from: commit, and fingerprints of the sources that decide it.

A result names its sources in parts (the room, its crates, the code of a layer, the reference's
version), so that a stale result can report which of them changed.
"""

from __future__ import annotations

import copy
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import subprocess
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from envwright.core.files import files_below, read_bytes
from envwright.core.registry import find
from envwright.core.room import TRANSLATION, Room
from envwright.errors import EnvwrightError, UnknownEnvironment
from envwright.schema.names import parse_name
from envwright.schema.translation import Translation, room_translation

SCHEMA = 1
PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parents[1]  # holds crates/ and .git, unless envwright is installed
BINDINGS = ("envwright-python", "envwright-vecenv-python")
SUFFIXES = {".py", ".toml", ".json", ".npz", ".tsv", ".js", ".rs", ".c", ".h", ".s", ".gb"}

PLUG_INS = {"checks", "bench", "commands", "play", "render"}  # of a room: not its game
MEASURED = ("bench", "breakdown")
UPDATE = "update"  # a room's own checks compare the versions
RECIPE = ("ablation", "optimisation")
# Layers that decide a result, by kind; other kinds are verifications.
LAYERS = {
    "bench": ("core", "sim", "bench"),
    "breakdown": ("core", "sim", "bench", "train"),
    "training": ("core", "schema", "sim", "train"),
    "elo": ("core", "schema", "sim", "train"),
    "play": ("core", "schema", "sim", "train"),
    "ablation": ("core", "schema", "sim", "verify", "agents", "translate"),
    "optimisation": ("core", "schema", "sim", "verify", "agents", "translate"),
    "update": ("versions", "sim", "update"),
}
# The parts of a layer that decide, where not all of it does.
DECIDING = {
    "schema": ("schema/translation", "schema/tolerance.py"),
    "versions": ("core/pinned.py",),
    "update": (
        *(f"translate/update/{name}.py" for name in ("record", "recorded", "exact")),
        *(f"translate/update/{name}.py" for name in ("compare", "texts", "versions")),
        "translate/proposal",
        "verify/golden.py",
        "verify/sampling.py",
    ),
}

State = Literal["current", "stale", "unknown"]


class Provenance(msgspec.Struct, kw_only=True, frozen=True):
    """The sources of a result. Schema 0: stored before results had provenance."""

    schema: int = 0
    commit: str = ""  # "" outside of a git checkout
    dirty: bool = False  # sources differed from the commit
    date: str = ""
    folder: str = ""  # of a translation
    sources: dict[str, str] = {}  # part -> fingerprint or version; "" if it cannot be known


@dataclass(frozen=True)
class Standing:
    """Whether a result still describes the sources that are here."""

    state: State
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.state == "current":
            return "current"
        return f"{self.state}: {', '.join(self.reasons)}"


class Sources:
    """Fingerprints of all source files, taken at one moment."""

    def __init__(self, folder: str | Path | None = None) -> None:
        roots = (PACKAGE, CHECKOUT / "crates")
        self.files = _hashes(file for root in roots for file in root.rglob("*"))
        self.commit, self.dirty = _commit()
        self.folder: Path | None = None
        self._code: Path | None = None
        if folder is not None:
            self._add(folder)

    def of(self, folder: str | Path) -> Sources:
        """Return these sources with those of a translation."""
        other = copy.copy(self)
        other._add(folder)
        return other

    def _add(self, folder: str | Path) -> None:
        self.folder, self._code = Path(folder), _translation(folder)
        if self._code is not None:
            self.files = self.files | _hashes(_code_in(self._code))

    def provenance(self, record: Any) -> Provenance:
        """Return the provenance of a result that these sources made."""
        return Provenance(
            schema=SCHEMA,
            commit=self.commit,
            dirty=self.dirty,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            folder="" if self.folder is None else str(self.folder),
            sources=self.parts(record),
        )

    def standing(self, record: Any) -> Standing:
        """Compare a stored result with these sources."""
        stored = record.provenance
        if not stored.schema:
            return Standing("unknown", ("stored without provenance",))
        now = self.parts(record)
        pairs = {part: (then, now.get(part, "")) for part, then in stored.sources.items()}
        known = {part: both for part, both in pairs.items() if all(both)}
        changed = [_change(part, *both) for part, both in known.items() if both[0] != both[1]]
        changed += [f"{part} is new" for part in now if part not in pairs]
        if changed:
            return Standing("stale", tuple(changed))
        lost = [f"cannot fingerprint {part}" for part in pairs if part not in known]
        return Standing("unknown", tuple(lost)) if lost else Standing("current")

    def parts(self, record: Any) -> dict[str, str]:
        """Return the fingerprints of everything that decides a result."""
        kind, env = record.kind, record.env
        found = {
            layer: self._below(*(PACKAGE / place for place in DECIDING.get(layer, (layer,))))
            for layer in _layers(record)
        }
        if self.folder is not None or kind in RECIPE:
            code = "" if self._code is None else self._below(self._code)
            return {"translation": code, **found}
        if env:
            return {**self._room(kind, env, _backend(record)), **found}
        for side in () if kind == UPDATE else ("reference", "twin"):
            found |= self._simulator(side, getattr(record, side, ""))
        return found

    def _room(self, kind: str, env: str, backend: str) -> dict[str, str]:
        try:
            room = find(env)
        except UnknownEnvironment:
            return {"room": ""}
        folder = _folder_of(room.package)
        if folder is None:
            return {"room": ""}
        if not folder.is_relative_to(PACKAGE):  # an installed package, or one in a folder
            self.files = self.files | _hashes(files_below(folder, ""))
        backend = backend or room.default_backend
        found = {"room": self._digest(self._game(folder, whole=kind == "play"))}
        if (kind not in LAYERS or kind == UPDATE) and (checks := self._below(folder / "checks")):
            found["checks"] = checks
        if kind in MEASURED and room.bench:
            name = room.bench.partition(".")[0]
            found["peers"] = self._below(folder / name, folder / f"{name}.py")
        if backend == "rust" or (kind in MEASURED and "rust" in room.backends):
            found |= self._native(room)
        return {**found, "reference": _reference_of(room)}

    def _game(self, folder: Path, whole: bool) -> list[str]:
        """The files of a room's game, and of the packages beside it that it is built on."""
        game = [f for f in self._in(folder) if whole or _top(f, folder) not in PLUG_INS]
        imported = re.compile(rf"\b{folder.parent.name}\.(\w+)")
        beside = {folder.name}
        for file in [file for file in game if file.endswith(".py")]:
            for name in imported.findall(Path(file).read_text(encoding="utf-8")):
                if name not in beside:
                    beside.add(name)
                    game += self._in(folder.parent / name)
        return game

    def _native(self, room: Room) -> dict[str, str]:
        """The room's crates with the crates they depend on, and the Python bindings."""
        manifests = [Path(f) for f in self.files if f.endswith("/Cargo.toml")]
        crates = {_crate_name(manifest): manifest for manifest in manifests}
        translation = _translation_of(room)
        named = translation.adequacy.crates if translation else ()
        own = f"envwright-{room.id}-"
        wanted = [n for n in crates if n in named or f"{n}-".startswith(own)]
        for name in wanted:  # it grows while it is read
            needed = crates[name].read_text(encoding="utf-8")
            wanted += [n for n in crates if f"\n{n}." in needed and n not in wanted]
        folders = [crates[name].parent for name in wanted]
        bindings = [crates[n].parent for n in BINDINGS if n in crates]
        return {"crates": self._below(*folders), "bindings": self._below(*bindings)}

    def _simulator(self, side: str, name: str) -> dict[str, str]:
        scheme, target, options = parse_name(name)
        if scheme == "envwright":
            backend = "rust" if "backend=rust" in options else ""
            parts = self._room("verify", target, backend)
            return {f"{side} {part}": value for part, value in parts.items() if part != "reference"}
        known = scheme in ("gymnasium", "gymnax")
        return {side: _installed(scheme) if known else ""}

    def _below(self, *places: Path) -> str:
        """The fingerprint of files or folders; "" if there are none."""
        return self._digest(file for place in places for file in self._in(place))

    def _in(self, place: Path) -> list[str]:
        """The files in a folder, or the file itself."""
        exact, below = place.as_posix(), f"{place.as_posix()}/"
        return [file for file in self.files if file == exact or file.startswith(below)]

    def _digest(self, files: Iterable[str]) -> str:
        lines = sorted(f"{self.files[file]} {_relative(file)}" for file in set(files))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] if lines else ""


def _translation(folder: str | Path) -> Path | None:
    """Return the folder if it is a translation: a result may come with any path."""
    try:
        place = Path(folder).resolve()
        return place if (place / TRANSLATION).is_file() else None
    except (OSError, ValueError, RuntimeError):  # not a path, or one that leads to itself
        return None


def _code_in(translation: Path) -> list[Path]:
    """Return the files of a translation. No link leads out of its folder."""
    roots = [translation / "src", *translation.glob("runs/*/workspace/src")]
    inside = [root for root in roots if Path(os.path.realpath(root)) == root]
    files = [*translation.glob("*"), *(file for root in inside for file in files_below(root, ""))]
    return [file for file in files if not file.is_symlink()]


def _hashes(files: Iterable[Path]) -> dict[str, str]:
    """Return the fingerprints of all source files among these."""
    sources = (file for file in files if file.suffix in SUFFIXES and file.is_file())
    return {file.as_posix(): _hash(file) for file in sources}


def _hash(file: Path) -> str:
    try:
        return hashlib.sha256(read_bytes(file)).hexdigest()
    except OSError:  # another user's, or larger than any source
        return ""


def _layers(record: Any) -> list[str]:
    layers = list(LAYERS.get(record.kind, ("core", "schema", "sim", "verify")))
    if record.kind == UPDATE and not record.simulator:
        return ["versions"]  # the room's own checks compare them
    levels = [level.level for level in getattr(record, "levels", ())]
    policy = record.kind == "bench" and record.settings.get("kind", "random") != "random"
    if policy or (record.kind == "verify" and 4 in levels):
        layers.append("train")
    return layers


def _backend(record: Any) -> str:
    options = parse_name(getattr(record, "simulator", "")).query
    return getattr(record, "backend", "") or ("rust" if "backend=rust" in options else "")


def _relative(file: str) -> str:
    """The path below the package or the checkout; of other files the name."""
    for root in (PACKAGE, CHECKOUT):
        if file.startswith(f"{root.as_posix()}/"):
            return Path(file).relative_to(root).as_posix()
    return Path(file).name


def _top(file: str, folder: Path) -> str:
    return Path(file).relative_to(folder).parts[0].removesuffix(".py")


def _folder_of(package: str) -> Path | None:
    found = importlib.util.find_spec(package) if package else None
    places = found.submodule_search_locations if found else None
    return Path(places[0]).resolve() if places else None


def _crate_name(manifest: Path) -> str:
    return tomllib.loads(manifest.read_text(encoding="utf-8")).get("package", {}).get("name", "")


def _translation_of(room: Room) -> Translation | None:
    try:
        return room_translation(room)
    except EnvwrightError:  # an installed room may be of another version
        return None


def _reference_of(room: Room) -> str:
    """Name and version, as installed or else as translation.toml pins it."""
    translation = _translation_of(room)
    pinned = (translation.reference.package if translation else "") or room.reference
    name, _, version = pinned.partition("==")
    return (_installed(name) or f"{name} {version}") if version else pinned


def _installed(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return ""


def _change(part: str, then: str, now: str) -> str:
    if " " in then:  # a version rather than a fingerprint
        return f"{part} changed from {then} to {now}"
    return f"{part} changed"


def _commit() -> tuple[str, bool]:
    """The commit of the checkout, and whether its sources differ from it."""
    if not (CHECKOUT / ".git").exists():
        return "", False
    try:
        commit = _git("rev-parse", "HEAD")
        return commit, bool(
            _git("status", "--porcelain", "--untracked-files=no", "--", "src", "crates")
        )
    except (OSError, subprocess.SubprocessError):
        return "", False


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(CHECKOUT), *words], capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout.strip()
