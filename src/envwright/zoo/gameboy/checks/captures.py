"""Compare what two consoles show after a frame."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from envwright.verify.compare import Mismatch
from envwright.zoo.gameboy.console import REGISTERS, Capture

# The address of each memory, and of the first bank of banked memory.
MEMORIES = {"wram": 0xC000, "hram": 0xFF80, "vram": 0x8000, "oam": 0xFE00, "cartridge": 0xA000}
BANKS = {"wram": 0x1000, "vram": 0x2000, "cartridge": 0x2000}


def differences(reference: Capture, twin: Capture) -> Iterator[Mismatch]:
    """Yield the differences, one for each field; time first, since all else follows from it."""
    if reference.cycles != twin.cycles:
        yield Mismatch("cycles", str(reference.cycles), str(twin.cycles))
    for name, ours, theirs in zip(REGISTERS, reference.registers, twin.registers, strict=True):
        if ours != theirs:
            yield Mismatch(f"registers.{name}", f"{ours:02X}", f"{theirs:02X}")
    for name in MEMORIES:
        first, second = getattr(reference, name), getattr(twin, name)
        if first != second:
            yield _memory_difference(name, first, second)
    if not np.array_equal(reference.screen, twin.screen):
        rows, columns = np.nonzero((reference.screen != twin.screen).any(axis=-1))
        y, x = int(rows[0]), int(columns[0])
        colours = (tuple(screen[y, x].tolist()) for screen in (reference.screen, twin.screen))
        yield Mismatch(f"screen[{y}, {x}]", *map(str, colours), more=len(rows) - 1)


def _memory_difference(name: str, first: bytes, second: bytes) -> Mismatch:
    if len(first) != len(second):
        return Mismatch(name, f"{len(first)} bytes", f"{len(second)} bytes")
    ours, theirs = (np.frombuffer(each, np.uint8) for each in (first, second))
    where = np.flatnonzero(ours != theirs)
    at = int(where[0])
    values = f"{ours[at]:02X}", f"{theirs[at]:02X}"
    return Mismatch(f"{name}[{place(name, at)}]", *values, more=len(where) - 1)


def place(name: str, offset: int) -> str:
    """Return the address of an offset, with its bank if there are several: `D012`, `3:D012`."""
    base = MEMORIES[name]
    if name == "wram" and offset >= 0x2000:
        return f"{offset // 0x1000}:{0xD000 + offset % 0x1000:04X}"
    if name != "wram" and name in BANKS and offset >= BANKS[name]:
        return f"{offset // BANKS[name]}:{base + offset % BANKS[name]:04X}"
    return f"{base + offset:04X}"
