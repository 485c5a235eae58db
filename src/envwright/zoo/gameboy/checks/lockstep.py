"""Run two consoles with the same buttons, and compare everything after every frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.errors import EnvwrightError
from envwright.sim.simulator import TwinRaised
from envwright.verify.compare import Mismatch
from envwright.verify.traces.compare import Engine
from envwright.zoo.gameboy.checks.captures import differences
from envwright.zoo.gameboy.checks.saving import check_saving, check_start
from envwright.zoo.gameboy.checks.workload import Workload
from envwright.zoo.gameboy.presses import Frame

PAINTED = 24  # frames for a program to fill the screen's memory, and show it
MakeConsole = Callable[[bytes, bool], Any]  # of a ROM and a model


@dataclass(frozen=True)
class Presses:
    """A ROM and the buttons of every frame.

    Nothing is recorded, since captures are large: the reference plays along.
    """

    about: str
    rom: bytes
    cgb: bool
    actions: list[Frame]
    part: Workload | None = None  # that the ROM is a program of
    seed: int = 0  # of the program

    @property
    def length(self) -> int:
        """The number of frames."""
        return len(self.actions)

    @property
    def paints(self) -> bool:
        """Whether the program fills the screen's memory, without any button."""
        pressed = any(frame.buttons for frame in self.actions)
        return self.part is not None and self.part.paints and self.length >= PAINTED and not pressed


class Consoles(Engine[Presses]):
    """Our console with the reference beside it; at the end of a program, also their states."""

    lanes = 1
    sides: list[Any]  # ours, then the reference before it

    def __init__(
        self,
        reference: MakeConsole,
        twin: MakeConsole,
        watch: Callable[[int], None] = lambda frame: None,
    ) -> None:
        self._makers, self._watch = (reference, twin), watch
        self.sides = []

    def begin(self, traces: Sequence[Presses]) -> None:
        self.close()
        (self.presses,) = traces
        self.sides = [self._makers[1](self.presses.rom, self.presses.cgb)]

    def step(self, step: int, running: np.ndarray) -> None:
        """Run a frame, on ours first: an illegal opcode stops it, but hangs PyBoy for ever."""
        try:
            self._tick(self.sides[1], step)
        except EnvwrightError as error:
            raise TwinRaised(str(error)) from error

    def follow(self, step: int) -> None:
        if step:
            self._tick(self.sides[0], step - 1)
        else:
            self.sides.insert(0, self._makers[0](self.presses.rom, self.presses.cgb))
        self._theirs = self.sides[0].capture()
        self._watch(step)

    def differing(self, step: int) -> np.ndarray:
        self._found = list(differences(self._theirs, self.sides[1].capture()))
        if not self._found and self.presses.part is not None and step == self.presses.length:
            self._found = self._states_differ()
        return np.array([bool(self._found)])

    def mismatches(self, lane: int, step: int) -> list[Mismatch]:
        return self._found

    def action(self, trace: Presses, step: int) -> str:
        return f"frame {step}"

    def close(self) -> None:
        for side in self.sides:
            side.close()
        self.sides = []

    def _tick(self, console: Any, step: int) -> None:
        frame = self.presses.actions[step]
        console.hold(frame.buttons)
        console.tick(1, frame.render)

    def _states_differ(self) -> list[Mismatch]:
        presses = self.presses
        rom, cgb, length = presses.rom, presses.cgb, presses.length
        found = check_start(rom, cgb, self.sides[0], length) if presses.paints else None
        held = presses.actions[-1].buttons if length else 0
        reference, ours = self.sides
        found = found or check_saving(rom, cgb, reference, ours, held)
        return [] if found is None else [found]
