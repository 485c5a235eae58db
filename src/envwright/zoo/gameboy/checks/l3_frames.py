"""Level 3 of the emulator: whole games with random buttons, everything after every frame."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.errors import Exit
from envwright.verify.results import LevelResult, Progress, quiet
from envwright.verify.tally import Tally
from envwright.zoo.gameboy import game
from envwright.zoo.gameboy.checks.differing import TWIN, Twin, divergence
from envwright.zoo.gameboy.checks.lockstep import Parting, compare
from envwright.zoo.gameboy.console import Console, Difference
from envwright.zoo.gameboy.presses import random_frames
from envwright.zoo.gameboy.reference import PyBoyConsole
from envwright.zoo.gameboy.roms import read_rom, title_of, wants_cgb

EMBERKEEP_SEEDS, EMBERKEEP_FRAMES = 4, 600


@dataclass
class RomReport:
    """A ROM on both sides."""

    rom: str
    title: str
    cgb: bool
    seeds: int
    frames: int  # of each seed
    compared: int = 0  # frames, all seeds together
    seconds: float = 0.0
    partings: list[Parting] = field(default_factory=list)

    @property
    def exit_code(self) -> Exit:
        """Different or equal."""
        return Exit.DIFFERENT if self.partings else Exit.EQUAL

    def to_json(self) -> dict[str, Any]:
        """The documented schema of `envwright verify gameboy --rom … --json`."""
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
    """Any ROM with random buttons; stops at the first frame that differs."""
    rom = read_rom(path)
    kind = wants_cgb(rom) if cgb is None else cgb
    report = RomReport(path.name, title_of(rom), kind, seeds, frames)
    began = time.monotonic()
    for seed in range(first_seed, first_seed + seeds):
        done, parted = _play(rom, kind, seed, frames, twin, progress, report)
        report.compared += done
        if parted is not None:
            report.partings.append(parted)
            break
    report.seconds = time.monotonic() - began
    return report


def _play(
    rom: bytes,
    cgb: bool,
    seed: int,
    frames: int,
    twin: type[Console],
    progress: Progress,
    report: RomReport,
) -> tuple[int, Parting | None]:
    sides = PyBoyConsole(rom, cgb), twin(rom, cgb)  # type: ignore[call-arg]

    def told() -> Any:
        for done, frame in enumerate(random_frames(seed, frames)):
            if done % 50 == 0:
                progress(f"{report.rom}: frames", report.compared + done, report.seeds * frames)
            yield frame

    try:
        result = compare(*sides, told(), seed)
    finally:
        for side in sides:
            side.close()
    progress(f"{report.rom}: frames", report.compared + result[0], report.seeds * frames)
    return result


def check_emberkeep(
    seed: int = 0,
    progress: Progress = quiet,
    twin: type[Console] = Twin,  # type: ignore[type-abstract]
    seeds: int = EMBERKEEP_SEEDS,
    frames: int = EMBERKEEP_FRAMES,
    models: Sequence[bool] = (False, True),
) -> LevelResult:
    """Emberkeep on both models of the Game Boy."""
    result = LevelResult(3, Tally())
    for cgb in models:
        report = verify_rom(game.ROM, frames, seeds, cgb, seed, progress, twin)
        result.tally.episodes += seeds
        result.tally.steps += report.compared
        for parted in report.partings:
            found = (*parted.found, Difference("frame", "an answer", "none", 0))[0]
            model = "Game Boy Color" if cgb else "Game Boy"
            origin = f"Emberkeep on a {model}, frame {parted.frame}; buttons {parted.recent}"
            result.divergences.append(
                divergence(
                    3, found, origin, step=parted.frame, seed=parted.seed, raised=parted.raised
                )
            )
    result.notes.append(
        f"Emberkeep, {seeds} times {frames} frames on either model of the Game Boy: registers, "
        "cycles, all memory and the screen after every frame"
    )
    return result
