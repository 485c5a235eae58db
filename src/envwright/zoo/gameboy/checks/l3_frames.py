"""Level 3 of the emulator: whole games with random buttons, compared after every frame."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from envwright.core.progress import Progress, quiet
from envwright.errors import Exit
from envwright.verify.compare import Mismatch
from envwright.verify.results import LevelResult
from envwright.verify.tally import Tally
from envwright.verify.traces.compare import Difference, differences
from envwright.zoo.gameboy.buttons import described
from envwright.zoo.gameboy.checks.frame_traces import FRAME_TRACES, emberkeep
from envwright.zoo.gameboy.checks.lockstep import Consoles, Presses
from envwright.zoo.gameboy.checks.twin import TWIN, Twin
from envwright.zoo.gameboy.console import Console
from envwright.zoo.gameboy.emberkeep import ROM
from envwright.zoo.gameboy.presses import Frame, random_frames
from envwright.zoo.gameboy.reference import PyBoyConsole
from envwright.zoo.gameboy.roms import read_rom, title_of, wants_cgb

RECENT = 12  # runs of buttons that a report shows
EMBERKEEP_SEEDS, EMBERKEEP_FRAMES = 4, 600


@dataclass(frozen=True)
class Parting:
    """The first frame after which two consoles differ."""

    seed: int
    difference: Difference
    frames: tuple[Frame, ...]  # all of them, including that frame's

    @property
    def found(self) -> tuple[Mismatch, ...]:
        """One value of each differing field; empty if the twin raised."""
        return () if self.difference.raised else self.difference.mismatches

    def __str__(self) -> str:
        lines = [f"they part at frame {self.difference.step} of seed {self.seed}"]
        if self.difference.raised:
            lines.append(f"  the twin raised  {self.difference.raised}")
        for each in self.found:
            more = f", and {each.more} more" if each.more else ""
            lines.append(f"  {each.field}: reference {each.reference}, twin {each.twin}{more}")
        lines.append(f"  last buttons  {self._recent}")
        return "\n".join(lines)

    @property
    def _recent(self) -> str:
        """Describe the last buttons, with the number of frames they were held."""
        runs = [(mask, len(list(held))) for mask, held in groupby(f.buttons for f in self.frames)]
        return ", ".join(f"{described(mask)} ({count})" for mask, count in runs[-RECENT:]) or "none"

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("field", "reference", "twin", "more")
        return {
            "seed": self.seed,
            "frame": self.difference.step,
            "raised": self.difference.raised,
            "differences": [{name: getattr(one, name) for name in names} for one in self.found],
            "buttons": [frame.buttons for frame in self.frames],
            "rendered": [frame.render for frame in self.frames],
        }


@dataclass
class RomReport:
    """The result of a ROM on both sides."""

    rom: str
    title: str
    cgb: bool
    seeds: int
    frames: int  # of each seed
    compared: int = 0  # frames over all seeds
    seconds: float = 0.0
    partings: list[Parting] = field(default_factory=list)

    @property
    def exit_code(self) -> Exit:
        """Different or equal."""
        return Exit.DIFFERENT if self.partings else Exit.EQUAL

    def to_json(self) -> dict[str, Any]:
        """Return the documented schema of `envwright verify gameboy --rom … --json`."""
        return {
            "kind": "verify-rom",
            "env": "gameboy",
            "reference": PyBoyConsole.name,
            "twin": TWIN,
            **{k: v for k, v in self.__dict__.items() if k != "partings"},
            "passed": not self.partings,
            "partings": [parting.to_json() for parting in self.partings],
        }


def verify_rom(
    path: Path,
    frames: int = 3000,
    seeds: int = 10,
    cgb: bool | None = None,
    first_seed: int = 0,
    progress: Progress = quiet,
    twin: type[Console] = Twin,  # type: ignore[type-abstract]
) -> RomReport:
    """Compare any ROM with random buttons; stop at the first frame that differs."""
    rom = read_rom(path)
    kind = wants_cgb(rom) if cgb is None else cgb
    report = RomReport(path.name, title_of(rom), kind, seeds, frames)
    began = time.monotonic()

    def watch(frame: int) -> None:
        if frame % 50 == 0 or frame == frames:
            progress(f"{report.rom}: frames", report.compared + frame, seeds * frames)

    with closing(Consoles(PyBoyConsole, twin, watch)) as engine:
        for seed in range(first_seed, first_seed + seeds):
            pressed = list(random_frames(seed, frames))
            found = differences(engine, [Presses(path.name, rom, kind, pressed)])
            report.compared += found[0].step if found else frames
            if found:
                report.partings.append(Parting(seed, found[0], tuple(pressed[: found[0].step])))
                break
    report.seconds = time.monotonic() - began
    return report


def check_emberkeep(
    seed: int = 0,
    progress: Progress = quiet,
    twin: type[Console] = Twin,  # type: ignore[type-abstract]
    seeds: int = EMBERKEEP_SEEDS,
    frames: int = EMBERKEEP_FRAMES,
    models: Sequence[bool] = (False, True),
) -> LevelResult:
    """Compare Emberkeep on both models of the Game Boy."""
    result = LevelResult(3, Tally())
    for cgb in models:
        report = verify_rom(ROM, frames, seeds, cgb, seed, progress, twin)
        result.tally.episodes += seeds
        result.tally.steps += report.compared
        result.divergences += [
            FRAME_TRACES.divergence(3, parted.difference, emberkeep(cgb, list(parted.frames)), TWIN)
            for parted in report.partings
        ]
    result.notes.append(
        f"Emberkeep, {seeds} times {frames} frames on either model of the Game Boy: registers, "
        "cycles, all memory and the screen after every frame"
    )
    return result
