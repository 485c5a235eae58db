"""Level 2 of the emulator: its parts in combination, in programs drawn from seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from envwright.core.progress import Progress, quiet
from envwright.verify.recall import recalled
from envwright.verify.results import LevelResult
from envwright.verify.tally import Tally
from envwright.verify.traces.compare import differences
from envwright.zoo.gameboy.checks.frame_traces import FRAME_TRACES, of_part
from envwright.zoo.gameboy.checks.lockstep import PAINTED, Consoles
from envwright.zoo.gameboy.checks.saving import Saving
from envwright.zoo.gameboy.checks.twin import TWIN, Twin
from envwright.zoo.gameboy.checks.workload import Workload
from envwright.zoo.gameboy.checks.workloads import WORKLOADS
from envwright.zoo.gameboy.presses import Frame, random_frames
from envwright.zoo.gameboy.reference import PyBoyConsole

FRAMES, PROGRAMS = 24, 4


def check_scenarios(
    seed: int = 0,
    progress: Progress = quiet,
    twin: type[Saving] = Twin,
    frames: int = FRAMES,
    programs: int = PROGRAMS,
    most: int = len(WORKLOADS),
    parts: Sequence[Workload] = WORKLOADS,
) -> LevelResult:
    """Run every part's programs with random buttons; report the first differing one of each part.

    Every second program runs on the model that it was not written for. It stops after `most`
    differing parts.
    """
    result = LevelResult(2, Tally())
    engine = Consoles(partial(recalled, PyBoyConsole), twin)
    for number, part in enumerate(parts):
        for which in range(programs):
            pressed = list(random_frames(which, frames))
            if part.paints:  # one of these is also started without a boot ROM, and without buttons
                pressed = [Frame()] * max(frames, PAINTED)
            script = of_part(part, seed + which, part.cgb != (which % 2 == 1), pressed)
            found = differences(engine, [script])
            engine.close()
            result.tally.cases += 1
            result.tally.steps += found[0].step if found else script.length
            if found:
                shown = replace(script, actions=pressed[: found[0].step])
                result.divergences.append(FRAME_TRACES.divergence(2, found[0], shown, TWIN))
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
