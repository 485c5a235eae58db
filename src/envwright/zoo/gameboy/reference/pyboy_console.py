"""PyBoy without a window, one frame at a time."""

from __future__ import annotations

import io
import warnings
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from envwright.errors import EnvwrightError, MissingPackage
from envwright.zoo.gameboy.buttons import NAMES
from envwright.zoo.gameboy.console import BOOT_FRAMES, REGISTERS, Capture
from envwright.zoo.gameboy.roms import RAM_SIZE, wants_cgb, why_not

PINNED = "2.8.1"
RAM_BANKS = {0: 1, 1: 1, 2: 1, 3: 4, 4: 16, 5: 8}  # PyBoy has one even if the cartridge has none
WRAM_BANKS = 8
OAM, OAM_SIZE = 0xFE00, 0xA0


_expected = PINNED


def expect(other: str) -> None:
    """Let another version answer in this process, to be compared with the pinned one."""
    global _expected
    _expected = other


@cache
def pyboy() -> Any:
    """Return the package, if it is the version whose behaviour is the specification."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its window library
            import pyboy
    except ImportError as error:
        raise MissingPackage(
            "the reference of gameboy needs PyBoy; install envwright[reference]"
        ) from error
    if version("pyboy") != _expected:
        raise MissingPackage(
            f"the reference of gameboy is PyBoy {_expected}, and {version('pyboy')} is installed; "
            "install envwright[reference]"
        )
    return pyboy


def boot_rom(cgb: bool) -> bytes:
    """Read PyBoy's boot ROM from its installation: it is not part of envwright."""
    name = "bootrom_cgb.bin" if cgb else "bootrom_dmg.bin"
    return (Path(pyboy().__file__).parent / "core" / name).read_bytes()


def new_pyboy(rom: bytes, cgb: bool | None = None, sound: bool = True) -> Any:
    """Make a PyBoy at power-on, without window, sound output and its own files."""
    why = why_not(rom)
    if why:
        raise EnvwrightError(f"these bytes are not a Game Boy ROM: {why}")
    boy = pyboy().PyBoy(
        io.BytesIO(rom),
        window="null",
        sound_volume=0,
        sound_emulated=sound,
        cgb=cgb,
        log_level="CRITICAL",
    )
    boy.set_emulation_speed(0)
    return boy


def _oam_offset(rom: bytes, cgb: bool) -> int:
    """Find OAM in a saved state by what was written to it."""
    boy = new_pyboy(rom, cgb, sound=False)
    pattern = bytes(range(OAM_SIZE))
    boy.memory[OAM : OAM + OAM_SIZE] = list(pattern)
    file = io.BytesIO()
    boy.save_state(file)
    boy.stop(save=False)
    return file.getvalue().index(pattern)


class PyBoyConsole:
    """One PyBoy, after its boot.

    Its sound is emulated and not sampled. Sampling cuts time at odd cycles, and rounds down what
    the Color's noise counts by halves in each cut; nothing else depends on it.
    """

    name = f"PyBoy {PINNED}"

    def __init__(self, rom: bytes, cgb: bool | None = None, sound: bool = True) -> None:
        self.boy = new_pyboy(rom, cgb, sound)
        self.cgb = wants_cgb(rom) if cgb is None else cgb
        self.ram_banks = RAM_BANKS[rom[RAM_SIZE]]
        self.memory, self.screen = self.boy.memory, self.boy.screen.ndarray
        self._registers = self.boy.register_file
        self.held = 0  # buttons, as bits
        self._rom = rom
        self._oam_at: int | None = None
        self.boy.tick(BOOT_FRAMES, True, sound=False)

    def hold(self, buttons: int) -> None:
        for bit, button in enumerate(NAMES):
            now, before = buttons >> bit & 1, self.held >> bit & 1
            if now > before:
                self.boy.button_press(button)
            elif now < before:
                self.boy.button_release(button)
        self.held = buttons

    def tick(self, frames: int = 1, render: bool = True) -> None:
        self.boy.tick(frames, render, sound=False)

    def capture(self) -> Capture:
        # Banks are read directly; mapped addresses would be read as by a program.
        return Capture(
            cycles=self.boy._cycles(),
            registers=tuple(getattr(self._registers, name) for name in REGISTERS),
            wram=self._wram(),
            hram=bytes(self.memory[0xFF80:0xFFFF]),
            vram=b"".join(self._bank(b, 0x8000, 0x2000) for b in range(1 + self.cgb)),
            oam=self._oam(),
            cartridge=b"".join(self._bank(b, 0xA000, 0x2000) for b in range(self.ram_banks)),
            screen=self.screen[..., :3].copy(),
        )

    def cycles(self) -> int:
        return self.boy._cycles()

    def peek_bytes(self, address: int, count: int) -> bytes:
        return bytes(self.memory[address : address + count])

    def peek(self, address: int) -> int:
        return self.memory[address]

    def poke(self, address: int, value: int) -> None:
        self.memory[address] = value

    def rgb(self) -> np.ndarray:
        """Return a copy of the screen, uint8[144, 160, 3]."""
        return self.screen[..., :3].copy()

    def save(self) -> bytes:
        """Return PyBoy's saved state."""
        file = io.BytesIO()
        self.boy.save_state(file)
        return file.getvalue()

    def load(self, state: bytes, held: int = 0) -> None:
        """Continue from a saved state, in which these buttons are down."""
        self.boy.load_state(io.BytesIO(state))
        self.held = held

    def close(self) -> None:
        self.boy.stop(save=False)

    def _wram(self) -> bytes:
        if not self.cgb:
            return bytes(self.memory[0xC000:0xE000])
        return b"".join(self._bank(bank, 0xC000, 0x1000) for bank in range(WRAM_BANKS))

    def _oam(self) -> bytes:
        """Read OAM directly: during a DMA, a program reads FF, and speeds it up through HL."""
        if self._registers.HL not in range(OAM, OAM + OAM_SIZE):
            oam = self.peek_bytes(OAM, OAM_SIZE)
            if oam != bytes([0xFF]) * OAM_SIZE:
                return oam
        if self._oam_at is None:
            self._oam_at = _oam_offset(self._rom, self.cgb)
        return self.save()[self._oam_at :][:OAM_SIZE]

    def _bank(self, bank: int, base: int, size: int) -> bytes:
        last = base + size - 1  # a slice may not reach the end of a bank
        return bytes([*self.memory[bank, base:last], self.memory[bank, last]])
