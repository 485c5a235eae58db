"""The protocol of consoles to compare: buttons in, frames and memory out."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

REGISTERS = ("A", "F", "B", "C", "D", "E", "HL", "SP", "PC")
WIDTH, HEIGHT = 160, 144
BOOT_FRAMES = 65  # of PyBoy's own boot ROM; a comparison begins after them


class Capture(NamedTuple):
    """Everything that is compared after a frame."""

    cycles: int  # since power-on
    registers: tuple[int, ...]  # as REGISTERS names them
    wram: bytes  # 8 KiB, or 32 KiB of a Game Boy Color
    hram: bytes  # FF80-FFFE
    vram: bytes  # 8 KiB, or 16 KiB
    oam: bytes  # 160
    cartridge: bytes  # 8 KiB a bank
    screen: np.ndarray  # uint8[144, 160, 3]


class Console(Protocol):
    """One Game Boy, after its boot."""

    name: str

    def hold(self, buttons: int) -> None:
        """Set the buttons that are down from the next frame on."""

    def tick(self, frames: int = 1, render: bool = True) -> None:
        """Run so many frames; only the last is drawn, if any."""

    def capture(self) -> Capture:
        """Return everything to compare. The screen is that of the last drawn frame."""
        ...

    def cycles(self) -> int:
        """Return the cycles since power-on."""
        ...

    def peek(self, address: int) -> int:
        """Return a byte as a program would read it."""
        ...

    def peek_bytes(self, address: int, count: int) -> bytes:
        """Return several bytes."""
        ...

    def poke(self, address: int, value: int) -> None:
        """Write a byte as a program would."""

    def close(self) -> None:
        """Release what it holds."""
