"""A small assembler for the ROMs that check the emulator."""

from __future__ import annotations

from typing import Self

BANK = 0x4000
ENTRY, MAIN = 0x100, 0x150
CARTRIDGE = 0x147  # where the header names its controller
VBLANK, STAT, TIMER, SERIAL, JOYPAD = 0x40, 0x48, 0x50, 0x58, 0x60

# Registers as `LD r,r'` numbers them; [HL] is 6.
B, C, D, E, H, L, HL, A = range(8)


class Code:
    """Bytes at an address, with labels; method names are those of the Game Boy's assembly."""

    def __init__(self, origin: int) -> None:
        self.origin, self.data = origin, bytearray()
        self._labels: dict[str, int] = {}
        self._words: list[tuple[int, str]] = []  # where the address of a label is missing
        self._steps: list[tuple[int, str]] = []  # where the distance to a label is missing

    @property
    def here(self) -> int:
        """The address of the next byte."""
        return self.origin + len(self.data)

    def raw(self, *data: int) -> Self:
        """Add bytes as they are."""
        self.data += bytes(data)
        return self

    def label(self, name: str) -> Self:
        """Name the next byte."""
        self._labels[name] = self.here
        return self

    def word(self, value: int | str) -> Self:
        """Add an address, low byte first; a label may follow later."""
        if isinstance(value, str):
            self._words.append((len(self.data), value))
            value = 0
        return self.raw(value & 0xFF, value >> 8)

    def jp(self, target: int | str) -> Self:
        """Jump."""
        return self.raw(0xC3).word(target)

    def call(self, target: int | str) -> Self:
        """Call."""
        return self.raw(0xCD).word(target)

    def jr(self, target: str, unless: int = 0x18) -> Self:
        """Jump near: 18 always, 20 NZ, 28 Z, 30 NC, 38 C."""
        self._steps.append((len(self.data) + 1, target))
        return self.raw(unless, 0)

    def ld(self, register: int, value: int) -> Self:
        """`LD r,n`."""
        return self.raw(0x06 | register << 3, value)

    def ld_hl(self, value: int | str) -> Self:
        """`LD HL,nn`."""
        return self.raw(0x21).word(value)

    def ld_sp(self, value: int) -> Self:
        """`LD SP,nn`."""
        return self.raw(0x31).word(value)

    def out(self, port: int, value: int | None = None) -> Self:
        """`LDH (n),A`, after `LD A,value` where a value is given."""
        if value is not None:
            self.ld(A, value)
        return self.raw(0xE0, port & 0xFF)

    def read(self, port: int) -> Self:
        """`LDH A,(n)`."""
        return self.raw(0xF0, port & 0xFF)

    def store(self, address: int) -> Self:
        """`LD (nn),A`."""
        return self.raw(0xEA).word(address)

    def log(self) -> Self:
        """`LD (HL+),A`."""
        return self.raw(0x22)

    def nops(self, count: int) -> Self:
        """Wait so many times four cycles."""
        return self.raw(*[0] * count)

    def done(self) -> bytes:
        """Return the bytes, with every label filled in."""
        for at, name in self._words:
            self.data[at : at + 2] = self._labels[name].to_bytes(2, "little")
        for at, name in self._steps:
            step = self._labels[name] - (self.origin + at + 1)
            assert -128 <= step <= 127, f"{name} is too far away"
            self.data[at] = step & 0xFF
        return bytes(self.data)


def rom_of(
    *parts: Code,
    cartridge: int = 0,
    ram: int = 0,
    banks: int = 2,
    cgb: bool = False,
    fill: int = 0,
) -> bytes:
    """Make a ROM with a valid header that begins at `MAIN`; every bank has its number at 4000."""
    rom = bytearray([fill]) * (banks * BANK)
    for bank in range(banks):
        rom[bank * BANK] = bank & 0xFF
        rom[bank * BANK + 1] = bank >> 8
    rom[ENTRY : ENTRY + 4] = [0x00, 0xC3, MAIN & 0xFF, MAIN >> 8]
    rom[0x104:0x14D] = bytes(0x14D - 0x104)
    rom[0x134:0x139] = b"CHECK"
    rom[0x143] = 0x80 if cgb else 0
    rom[CARTRIDGE], rom[0x148], rom[0x149] = cartridge, banks.bit_length() - 2, ram
    rom[0x14D] = -sum(byte + 1 for byte in rom[0x134:0x14D]) & 0xFF
    for part in parts:
        data = part.done()
        # An MBC1 can put every 16th or 32nd bank where the first one is.
        for base in range(0, len(rom), 16 * BANK):
            rom[base + part.origin : base + part.origin + len(data)] = data
    return bytes(rom)
