"""Level 2 of the emulator: its parts together, in programs drawn from seeds."""

from __future__ import annotations

from collections.abc import Sequence

from envwright.verify.recall import recalled
from envwright.verify.results import LevelResult, Progress, quiet
from envwright.verify.tally import Tally
from envwright.zoo.gameboy.checks.differing import Twin, divergence
from envwright.zoo.gameboy.checks.lockstep import Parting, compare
from envwright.zoo.gameboy.checks.programs import program
from envwright.zoo.gameboy.checks.saving import Saving, check_saving, check_start
from envwright.zoo.gameboy.checks.workload import Workload
from envwright.zoo.gameboy.checks.workloads import WORKLOADS
from envwright.zoo.gameboy.console import Difference
from envwright.zoo.gameboy.presses import Frame, random_frames
from envwright.zoo.gameboy.reference import PyBoyConsole

FRAMES, PROGRAMS = 24, 4
PAINTED = 24  # frames in which a program has filled the screen's memory, and shown it
Sides = tuple[Saving, Saving]


def check_scenarios(
    seed: int = 0,
    progress: Progress = quiet,
    twin: type[Saving] = Twin,
    frames: int = FRAMES,
    programs: int = PROGRAMS,
    most: int = len(WORKLOADS),
    parts: Sequence[Workload] = WORKLOADS,
) -> LevelResult:
    """Every part's programs with random buttons; the first of each part that differs is told.

    Every second program runs on the model that it was not written for. `most` parts that differ
    are enough.
    """
    result = LevelResult(2, Tally())
    for number, part in enumerate(parts):
        for which in range(programs):
            rom, cgb = program(part, seed + which), part.cgb != (which % 2 == 1)
            sides = recalled(PyBoyConsole, rom, cgb), twin(rom, cgb)
            done, parted = _compare(rom, cgb, part, sides, which, frames)
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
        progress("level 2: programs", number + 1, len(parts))
        if len(result.divergences) >= most:
            break
    result.notes.append(
        f"{len(parts)} parts of the console, {programs} programs each, on either model: registers, "
        "cycles, all memory and the screen after every frame; at the end a saved state of PyBoy's, "
        "to which both go back"
    )
    return result


def _compare(
    rom: bytes, cgb: bool, part: Workload, sides: Sides, which: int, frames: int
) -> tuple[int, Parting | None]:
    """Frames, then states."""
    pressed = list(random_frames(which, frames))
    if part.paints:  # one of these is also started without a boot ROM, and nobody presses
        pressed = [Frame()] * max(frames, PAINTED)
    done, parted = compare(*sides, pressed, which)
    if parted is not None:
        return done, parted
    found = check_start(rom, cgb, sides[0], done) if part.paints else None
    found = found or check_saving(rom, cgb, *sides, pressed[-1].buttons)
    return done, found and Parting(which, done, (found,), tuple(pressed))
