"""Traces of frames, and their form in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from envwright.sim.records import Fields
from envwright.verify.traces.kinds import Record, RoomTraces
from envwright.verify.traces.shrink import Move, drop_actions, simplify_actions
from envwright.zoo.gameboy.checks.lockstep import Consoles, Presses
from envwright.zoo.gameboy.checks.programs import program
from envwright.zoo.gameboy.checks.twin import Twin
from envwright.zoo.gameboy.checks.workload import Workload
from envwright.zoo.gameboy.checks.workloads import WORKLOADS
from envwright.zoo.gameboy.emberkeep import ROM
from envwright.zoo.gameboy.presses import Frame
from envwright.zoo.gameboy.reference import PyBoyConsole


class FrameTraces(RoomTraces[Presses, Presses]):
    """Traces of buttons on Emberkeep, or on the program of a part of the console."""

    room, name, reference = "gameboy", "frames", PyBoyConsole.name

    @contextmanager
    def recorder(self) -> Iterator[Record[Presses, Presses]]:
        yield lambda presses: presses

    def engines(self, twin: str) -> Sequence[Callable[[], Consoles]]:
        return (lambda: Consoles(PyBoyConsole, Twin),)

    def saved(self, script: Presses) -> tuple[Fields, list[Any]]:
        """Return a program by its part and seed."""
        part = "" if script.part is None else script.part.name
        start = {"part": part, "seed": script.seed, "cgb": script.cgb}
        frames = [[frame.buttons, int(frame.render)] for frame in script.actions]
        return {name: np.array(value) for name, value in start.items()}, frames

    def script(self, start: Fields, actions: list[Any]) -> Presses:
        frames = [Frame(int(buttons), bool(render)) for buttons, render in actions]
        cgb = bool(start["cgb"])
        if not str(start["part"]):
            return emberkeep(cgb, frames)
        (part,) = [one for one in WORKLOADS if one.name == str(start["part"])]
        return of_part(part, int(start["seed"]), cgb, frames)

    def moves(self, record: Record[Presses, Presses]) -> Sequence[Move]:
        """Return moves to fewer frames, then to fewer buttons."""
        return drop_actions, simplify_actions(_released)


FRAME_TRACES = FrameTraces()


def of_part(part: Workload, seed: int, cgb: bool, frames: list[Frame]) -> Presses:
    """Return the program that a seed draws for a part, with buttons."""
    about = f"a program of {part.name!r}, seed {seed}"
    return Presses(about, program(part, seed), cgb, frames, part, seed)


def emberkeep(cgb: bool, frames: list[Frame]) -> Presses:
    """Return the game with buttons."""
    model = "Game Boy Color" if cgb else "Game Boy"
    return Presses(f"Emberkeep on a {model}", ROM.read_bytes(), cgb, frames)


def _released(frame: Frame) -> Iterable[Frame]:
    return [Frame(0, frame.render)] if frame.buttons else []
