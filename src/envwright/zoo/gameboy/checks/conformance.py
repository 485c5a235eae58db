"""Run conformance ROMs on both sides: what each reports about its console, and whether both agree.

A ROM that PyBoy fails must fail here, too: PyBoy is the reference, not the hardware.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from envwright._native import GameBoys
from envwright.errors import EnvwrightError
from envwright.verify.compare import Mismatch
from envwright.zoo.gameboy.checks.captures import differences
from envwright.zoo.gameboy.checks.twin import Twin
from envwright.zoo.gameboy.console import Capture
from envwright.zoo.gameboy.reference import PyBoyConsole
from envwright.zoo.gameboy.reference.pyboy_console import pyboy
from envwright.zoo.gameboy.roms import read_file, why_not

ENDINGS = (".gb", ".gbc")
CHUNK = 60  # frames between two comparisons; differences persist
LONGEST = 4200  # frames: 70 seconds, for the longest of blargg's
SILENT = 1200  # a ROM without a verdict by then that does not print has none

FIBONACCI = (3, 5, 8, 13, 21 << 8 | 34)  # B, C, D, E, HL: the sign of success of mooneye's
FAILED = (0x42, 0x42, 0x42, 0x42, 0x4242)
TILE_MAP = slice(0x1800, 0x1C00)  # of VRAM; blargg's print letters there
SIGNATURE = bytes([0xDE, 0xB0, 0x61])  # in cartridge RAM, behind a status; text follows


class Outcome(NamedTuple):
    """The outcome of one ROM on both sides."""

    rom: str
    reference: str  # "passed", "failed", "refused", or "-" if the ROM does not report it
    twin: str
    frames: int
    found: tuple[Mismatch, ...]  # empty: the same registers, cycles, memory and screen

    @property
    def same(self) -> bool:
        """Whether both sides are equal."""
        return not self.found and self.reference == self.twin


def said(capture: Capture) -> str:
    """Return what a ROM reports about its console."""
    numbers = capture.registers[2:7]
    if numbers == FIBONACCI:
        return "passed"
    if numbers == FAILED:
        return "failed"
    text = capture.vram[TILE_MAP]
    if capture.cartridge[1:4] == SIGNATURE and capture.cartridge[0] != 0x80:
        return "failed" if capture.cartridge[0] else "passed"
    if b"Passed" in text:
        return "passed"
    return "failed" if b"Failed" in text else "-"


def run(path: Path) -> Outcome:
    """Run a ROM on both sides until it reports something."""
    rom = read_file(path, "ROM")
    if why_not(rom):
        return Outcome(path.name, *_refusals(rom), 0, ())
    sides = PyBoyConsole(rom), Twin(rom)
    try:
        for frames in range(CHUNK, LONGEST + 1, CHUNK):
            try:
                for side in reversed(sides):  # ours stops with a message where PyBoy hangs
                    side.tick(CHUNK, True)
            except EnvwrightError as error:
                stopped = Mismatch("frame", "an answer", str(error))
                return Outcome(path.name, said(sides[0].capture()), "-", frames, (stopped,))
            reference, twin = (side.capture() for side in sides)
            found = tuple(differences(reference, twin))
            prints = any(reference.vram[TILE_MAP])
            over = said(reference) != "-" or (frames >= SILENT and not prints)
            if found or over or frames == LONGEST:
                return Outcome(path.name, said(reference), said(twin), frames, found)
    finally:
        for side in sides:
            side.close()
    raise AssertionError("the last chunk returns")


def _refusals(rom: bytes) -> tuple[str, str]:
    """Return how either side rejects a file that is not a ROM."""
    made: list[Callable[[], object]] = [
        lambda: pyboy().PyBoy(io.BytesIO(rom), window="null", log_level="CRITICAL"),
        lambda: GameBoys(rom),
    ]
    found = []
    for make in made:
        try:
            make()
            found.append("taken")
        except Exception:
            found.append("refused")
    return found[0], found[1]


def roms_below(folder: Path) -> list[Path]:
    """Return all ROMs, by name of their folder."""
    return sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS)


def outcomes(folder: Path) -> Iterator[Outcome]:
    """Run all ROMs below a folder."""
    for path in roms_below(folder):
        yield run(path)._replace(rom=str(path.relative_to(folder)))
