"""ROMs that tests may use: made here, Emberkeep, or the user's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from envwright.zoo.gameboy.roms import FOLDER

HOMEBREW = [
    "2048gb.gb",
    "crossconnect.gbc",
    "flooder.gb",
    "gbhack.gbc",
    "libbet.gb",
    "plantboy.gb",
    "porklike-gb.gb",
    "rebound.gbc",
    "renegade-rush.gb",
    "rex-runner-gb.gb",
    "shock-lobster.gb",
    "snake.gb",
    "tobutobugirl.gb",
    "wyrmhole.gb",
]


def homebrew(name: str) -> Path:
    """A ROM in the user's folder; the test is skipped where it is not."""
    folder = os.environ.get(FOLDER)
    found = sorted(Path(folder).rglob(name)) if folder else []
    if not found:
        pytest.skip(f"no {name}: set {FOLDER} to a folder with homebrew ROMs")
    return found[0]
