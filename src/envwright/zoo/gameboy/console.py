"""What a Game Boy is to whoever compares two of them: buttons in, frames and memory out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

REGISTERS = ("A", "F", "B", "C", "D", "E", "HL", "SP", "PC")
WIDTH, HEIGHT = 160, 144
BOOT_FRAMES = 65  # of PyBoy's own boot ROM; a comparison begins after them

# Where each memory stands; of banked memory, where its first bank stands.
MEMORIES = {"wram": 0xC000, "hram": 0xFF80, "vram": 0x8000, "oam": 0xFE00, "cartridge": 0xA000}
BANKS = {"wram": 0x1000, "vram": 0x2000, "cartridge": 0x2000}


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


class Difference(NamedTuple):
    """One value that two captures do not share."""

    field: str  # "registers.HL", "wram[C0A2]", "screen[72, 80]"
    reference: str
    twin: str
    more: int  # other values of that field that differ too


class Console(Protocol):
    """One Game Boy, after its boot."""

    name: str

    def hold(self, buttons: int) -> None:
        """The buttons that are down from the next frame on."""

    def tick(self, frames: int = 1, render: bool = True) -> None:
        """Run so many frames; only the last is drawn, if any."""

    def capture(self) -> Capture:
        """What there is to compare. The screen is that of the last frame drawn."""
        ...

    def cycles(self) -> int:
        """Since power-on."""
        ...

    def peek(self, address: int) -> int:
        """A byte as a program would read it."""
        ...

    def peek_bytes(self, address: int, count: int) -> bytes:
        """Several bytes."""
        ...

    def poke(self, address: int, value: int) -> None:
        """Write a byte as a program would."""

    def close(self) -> None:
        """Give back what it holds."""


def differences(reference: Capture, twin: Capture) -> Iterator[Difference]:
    """What differs, one entry to a field; time first, since all else follows from it."""
    if reference.cycles != twin.cycles:
        yield Difference("cycles", str(reference.cycles), str(twin.cycles), 0)
    for name, ours, theirs in zip(REGISTERS, reference.registers, twin.registers, strict=True):
        if ours != theirs:
            yield Difference(f"registers.{name}", f"{ours:02X}", f"{theirs:02X}", 0)
    for name in MEMORIES:
        first, second = getattr(reference, name), getattr(twin, name)
        if first != second:
            yield _memory_difference(name, first, second)
    if not np.array_equal(reference.screen, twin.screen):
        rows, columns = np.nonzero((reference.screen != twin.screen).any(axis=-1))
        y, x = int(rows[0]), int(columns[0])
        colours = (tuple(screen[y, x].tolist()) for screen in (reference.screen, twin.screen))
        yield Difference(f"screen[{y}, {x}]", *map(str, colours), more=len(rows) - 1)


def _memory_difference(name: str, first: bytes, second: bytes) -> Difference:
    if len(first) != len(second):
        return Difference(name, f"{len(first)} bytes", f"{len(second)} bytes", 0)
    ours, theirs = (np.frombuffer(each, np.uint8) for each in (first, second))
    where = np.flatnonzero(ours != theirs)
    at = int(where[0])
    return Difference(
        f"{name}[{place(name, at)}]", f"{ours[at]:02X}", f"{theirs[at]:02X}", len(where) - 1
    )


def place(name: str, offset: int) -> str:
    """The address of an offset, with its bank where there are several: `D012`, `3:D012`."""
    base = MEMORIES[name]
    if name == "wram" and offset >= 0x2000:
        return f"{offset // 0x1000}:{0xD000 + offset % 0x1000:04X}"
    if name != "wram" and name in BANKS and offset >= BANKS[name]:
        return f"{offset // BANKS[name]}:{base + offset % BANKS[name]:04X}"
    return f"{base + offset:04X}"
