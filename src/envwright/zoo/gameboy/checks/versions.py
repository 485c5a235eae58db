"""Two versions of PyBoy on the same games and buttons: everything is compared after every frame."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envwright.core.pinned import Pin, newest, python_with
from envwright.core.progress import Progress, Say, quiet
from envwright.errors import EnvwrightError, SameVersion
from envwright.schema.results import Part, Update
from envwright.zoo.gameboy import emberkeep
from envwright.zoo.gameboy.reference import PINNED
from envwright.zoo.gameboy.roms import FOLDER, read_rom, why_not

Side = tuple[Path, Pin]  # an interpreter, and the version that it imports
CHILD = "envwright.zoo.gameboy.checks.version_frames"
SEEDS, FRAMES = 2, 1500  # of every game; an even seed draws every frame, an odd one about half
SUFFIXES = (".gb", ".gbc")


def compare(
    old: str | None, new: str | None, say: Say = quiet, progress: Progress = quiet
) -> Update:
    """Play Emberkeep, and the games in the user's folder, on both versions."""
    pin = Pin("pyboy", PINNED)
    pins = [pin if old is None else pin.at(old), pin.at(new or newest(pin.name))]
    if pins[0] == pins[1]:
        raise SameVersion(pins[0])
    games = list(_games())
    pythons = [python_with(each, say) for each in pins]
    parts = []
    for done, game in enumerate(games):
        progress("games", done, len(games))
        sides = list(zip(pythons, pins, strict=True))
        parts.append(_compared(game, *sides))
    progress("games", len(games), len(games))
    notes = [f"{len(games)} games, {SEEDS} times {FRAMES} frames each, after the boot ROM"]
    return Update(
        env="gameboy",
        package=pin.name,
        old=pins[0].version,
        new=pins[1].version,
        parts=parts,
        notes=notes,
    )


def _games() -> Iterator[Path]:
    """Yield Emberkeep, and what can be played of the user's folder."""
    yield emberkeep.ROM
    folder = os.environ.get(FOLDER)
    if not folder:
        return
    for path in sorted(Path(folder).rglob("*")):
        if path.suffix in SUFFIXES and path.is_file() and not why_not(path.read_bytes()):
            yield path


def _compared(game: Path, old: Side, new: Side) -> Part:
    """Play a game on both. Where they differ, the old version must reproduce itself."""
    before = _played(*old, game)
    part = _part(game, before, _played(*new, game))
    if part.differ and _played(*old, game) != before:
        raise EnvwrightError(f"{old[1]} does not reproduce itself in {game.name}; nothing is known")
    return part


def _played(python: Path, pin: Pin, game: Path) -> list[list[dict[str, str]]]:
    """Return the digests of every frame, by seed."""
    read_rom(game)
    with tempfile.TemporaryDirectory(prefix="envwright-frames-") as scratch:
        result = Path(scratch, "frames.json")
        asked = [str(pin), str(game), str(SEEDS), str(FRAMES), str(result)]
        done = subprocess.run(
            [str(python), "-P", "-m", CHILD, *asked], capture_output=True, text=True, check=False
        )
        if done.returncode:
            last = " ".join(done.stderr.strip().splitlines()[-1:])
            raise EnvwrightError(f"{game.name} cannot be played on {pin}: {last}")
        return json.loads(result.read_text())


def _part(game: Path, old: list[list[dict[str, str]]], new: list[Any]) -> Part:
    found = Part(name=game.name, compared=0, unit="frames", differ=0)
    for seed, (before, after) in enumerate(zip(old, new, strict=True)):
        for frame, (then, now) in enumerate(zip(before, after, strict=True), 1):
            found.compared += 1
            apart = [name for name in then if then[name] != now[name]]
            if apart:
                found.first = found.first or f"seed {seed}, frame {frame}: {', '.join(apart)}"
                found.differ += 1
    return found
