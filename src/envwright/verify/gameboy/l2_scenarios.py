"""Level 2 of the emulator: its parts together, in programs drawn from seeds."""

from __future__ import annotations

from envwright.verify.gameboy.differing import Twin, divergence
from envwright.verify.gameboy.lockstep import compare
from envwright.verify.gameboy.programs import PARTS, program
from envwright.verify.results import LevelResult, Progress, quiet
from envwright.verify.tally import Tally
from envwright.zoo.gameboy.console import Console, Difference
from envwright.zoo.gameboy.presses import random_frames
from envwright.zoo.gameboy.reference import PyBoyConsole

FRAMES, PROGRAMS = 24, 4


def check_scenarios(
    seed: int = 0,
    progress: Progress = quiet,
    twin: type[Console] = Twin,  # type: ignore[type-abstract]
    frames: int = FRAMES,
    programs: int = PROGRAMS,
) -> LevelResult:
    """Every part's programs with random buttons; the first of each part that differs is told."""
    result = LevelResult(2, Tally())
    for number, part in enumerate(PARTS):
        for which in range(programs):
            rom = program(part, seed + which)
            sides = PyBoyConsole(rom, part.cgb), twin(rom, part.cgb)  # type: ignore[call-arg]
            done, parted = compare(*sides, random_frames(which, frames), which)
            for side in sides:
                side.close()
            result.tally.cases += 1
            result.tally.steps += done
            if parted is not None:
                found = (*parted.found, Difference("frame", "an answer", "none", 0))[0]
                origin = f"a program of {part.name!r}, seed {seed + which}"
                result.divergences.append(
                    divergence(2, found, origin, step=parted.frame, seed=seed, raised=parted.raised)
                )
                break
        progress("level 2: programs", number + 1, len(PARTS))
    result.notes.append(
        f"{len(PARTS)} parts of the console, {programs} programs each: registers, cycles, all "
        "memory and the screen after every frame"
    )
    return result
