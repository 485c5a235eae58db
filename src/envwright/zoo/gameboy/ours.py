"""The emulator in Rust, as a console that can be compared with PyBoy."""

from __future__ import annotations

import numpy as np

from envwright._native import GameBoys
from envwright.errors import EnvwrightError
from envwright.zoo.gameboy.console import HEIGHT, REGISTERS, WIDTH, Capture


class OurConsole:
    """A Game Boy in Rust, after its boot (or after the given boot ROM)."""

    name = "envwright"

    def __init__(self, rom: bytes, cgb: bool | None = None, boot: bytes | None = None) -> None:
        try:
            self.boys = GameBoys(rom, 1, 1, cgb, boot)
        except ValueError as error:
            raise EnvwrightError(str(error)) from error
        self._screen = np.zeros((1, HEIGHT, WIDTH, 3), np.uint8)

    def hold(self, buttons: int) -> None:
        self.boys.hold(np.array([buttons], np.uint8))

    def tick(self, frames: int = 1, render: bool = True) -> None:
        self.boys.tick(frames, render)
        fault = self.boys.fault(0)
        if fault:
            raise EnvwrightError(f"the program stopped the emulator: {fault}")

    def capture(self) -> Capture:
        memory, registers = self.boys.memory(0), self.boys.registers(0)
        self.boys.screens(self._screen, "rgb")
        return Capture(
            cycles=int(self.boys.cycles()[0]),
            registers=tuple(registers[name] for name in REGISTERS),
            **{name: memory[name] for name in ("wram", "hram", "vram", "oam", "cartridge")},
            screen=self._screen[0].copy(),
        )

    def cycles(self) -> int:
        return int(self.boys.cycles()[0])

    def peek_bytes(self, address: int, count: int) -> bytes:
        return self.boys.peek(0, address, count)

    def peek(self, address: int) -> int:
        return self.boys.peek(0, address)[0]

    def poke(self, address: int, value: int) -> None:
        self.boys.poke(0, address, bytes([value]))

    def save(self) -> bytes:
        """Return the state as PyBoy would save it."""
        return self.boys.save_state(0)

    def load(self, state: bytes, held: int = 0) -> None:
        """Continue from a state of PyBoy's, in which these buttons are down."""
        self.boys.load_state(0, state)
        self.hold(held)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
