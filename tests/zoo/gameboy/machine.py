"""Emberkeep in PyBoy: what the tests and the expert play on."""

from __future__ import annotations

import io

import pytest

from envwright.zoo.gameboy.emberkeep import ROM, Mode, Ram

pyboy = pytest.importorskip("pyboy", reason="PyBoy plays the game: pip install pyboy==2.8.1")

BOOT_FRAMES = 100  # to the title
START_FRAMES = 60  # more than making a keep and drawing its first room take


class PyBoyMachine:
    """One console, its power switched on once; `start` returns to the title by a saved state."""

    def __init__(self, rom=ROM) -> None:
        self.boy = pyboy.PyBoy(str(rom), window="null", sound_emulated=False)
        self.boy.set_emulation_speed(0)
        self.boy.tick(BOOT_FRAMES, True)
        self.title = self.save()

    def save(self) -> bytes:
        state = io.BytesIO()
        self.boy.save_state(state)
        return state.getvalue()

    def load(self, state: bytes) -> None:
        self.boy.load_state(io.BytesIO(state))

    def press(self, buttons: tuple[str, ...], frames: int) -> None:
        for button in buttons:
            self.boy.button_press(button)
        self.boy.tick(frames, False)
        for button in buttons:
            self.boy.button_release(button)

    def peek(self, address: int) -> int:
        return self.boy.memory[address]

    def poke(self, address: int, value: int) -> None:
        self.boy.memory[address] = value

    def word(self, address: int) -> int:
        return self.peek(address) | self.peek(address + 1) << 8

    def start(self, seed: int) -> None:
        """A new game of a seed (0: the game chooses), its first room drawn."""
        self.load(self.title)
        self.poke(Ram.SEED, seed & 0xFF)
        self.poke(Ram.SEED + 1, seed >> 8)
        self.press(("start",), 8)
        for _ in range(START_FRAMES):
            self.press((), 1)
            if self.peek(Ram.MODE) == Mode.PLAY and not self.peek(Ram.WIPE):
                return
        raise AssertionError(f"seed {seed}: no game began within {START_FRAMES} frames")

    def pixels(self):
        """uint8[144, 160] as shown after one more frame."""
        self.boy.tick(1, True)
        return self.boy.screen.ndarray[:, :, 0].copy()

    def stop(self) -> None:
        self.boy.stop(save=False)
