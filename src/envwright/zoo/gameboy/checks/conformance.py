"""Conformance ROMs on both sides: what each says of the console that it runs on, and whether the
two are the same. `python -m envwright.zoo.gameboy.checks.conformance FOLDER` prints the table.

A ROM that PyBoy fails must fail here, too: PyBoy is the reference, not the hardware.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

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
CHUNK = 60  # frames between two comparisons; a difference does not go away
LONGEST = 4200  # frames: 70 seconds, as long as the longest of blargg's takes
SILENT = 1200  # a ROM that has said nothing by then, and does not print, will not

FIBONACCI = (3, 5, 8, 13, 21 << 8 | 34)  # B, C, D, E, HL: how mooneye's say that all is well
FAILED = (0x42, 0x42, 0x42, 0x42, 0x4242)
TILE_MAP = slice(0x1800, 0x1C00)  # of VRAM; blargg's print letters there
SIGNATURE = bytes([0xDE, 0xB0, 0x61])  # in cartridge RAM, behind a status; text follows


class Outcome(NamedTuple):
    """One ROM on both sides."""

    rom: str
    reference: str  # "passed", "failed", "refused", or "-" where the ROM does not say
    twin: str
    frames: int
    found: tuple[Mismatch, ...]  # empty: the same registers, cycles, memory and screen

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.found and self.reference == self.twin


def said(capture: Capture) -> str:
    """What a ROM says of its console."""
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
    """A ROM on both sides until it has said something."""
    rom = read_file(path, "ROM")
    if why_not(rom):
        return Outcome(path.name, *_refusals(rom), 0, ())
    sides = PyBoyConsole(rom), Twin(rom)
    try:
        for frames in range(CHUNK, LONGEST + 1, CHUNK):
            try:
                for side in reversed(sides):  # what stops ours with a message hangs PyBoy
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
    """What either side makes of a file that is no ROM."""
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
    """All ROMs, by name of their folder."""
    return sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS)


def outcomes(folder: Path) -> Iterator[Outcome]:
    """All ROMs below a folder."""
    for path in roms_below(folder):
        yield run(path)._replace(rom=str(path.relative_to(folder)))


def _main(folder: Path) -> int:
    table = Table("ROM", "PyBoy", "ours", "frames", "registers, cycles, memory, screen")
    found = list(outcomes(folder))
    for each in found:
        same = "equal" if not each.found else str(each.found[0])
        table.add_row(each.rom, each.reference, each.twin, str(each.frames), same)
    out = Console()
    out.print(table)
    out.print(f"{sum(each.same for each in found)} of {len(found)} as in PyBoy")
    return 0 if found and all(each.same for each in found) else 1


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1])))
