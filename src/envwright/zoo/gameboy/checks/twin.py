"""Our console, started so that the levels can compare it with PyBoy."""

from __future__ import annotations

from envwright.zoo.gameboy.ours import OurConsole
from envwright.zoo.gameboy.reference import boot_rom
from envwright.zoo.gameboy.roms import wants_cgb

TWIN = "envwright's Game Boy"


class Twin(OurConsole):
    """Our console, started by PyBoy's boot ROM, so that nothing may differ, not even the logo."""

    def __init__(self, rom: bytes, cgb: bool | None = None) -> None:
        super().__init__(rom, cgb, boot_rom(wants_cgb(rom) if cgb is None else cgb))
