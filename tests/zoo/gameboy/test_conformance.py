"""Conformance ROMs of others: what PyBoy passes passes here, and what it fails fails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from envwright.zoo.gameboy.checks.conformance import outcomes, roms_below
from envwright.zoo.gameboy.roms import FOLDER

SUITES = ["mooneye", "blargg", "dmg-acid2", "cgb-acid2"]


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_every_rom_ends_as_in_pyboy(suite):
    folder = Path(os.environ.get(FOLDER, "")) / "conformance" / suite
    if FOLDER not in os.environ or not roms_below(folder):
        pytest.skip(f"no conformance/{suite}: set {FOLDER} to a folder that has it")
    different = [outcome for outcome in outcomes(folder) if not outcome.same]
    assert different == []
