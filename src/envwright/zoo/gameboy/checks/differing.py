"""What a check of the emulator found, in the words that all levels share."""

from __future__ import annotations

from envwright.verify.divergence import Divergence
from envwright.zoo.gameboy.console import Difference
from envwright.zoo.gameboy.ours import OurConsole
from envwright.zoo.gameboy.reference import PyBoyConsole, boot_rom
from envwright.zoo.gameboy.roms import wants_cgb

TWIN = "envwright's Game Boy"


class Twin(OurConsole):
    """Ours, started by PyBoy's boot ROM, so that nothing may differ, not even the logo."""

    def __init__(self, rom: bytes, cgb: bool | None = None) -> None:
        super().__init__(rom, cgb, boot_rom(wants_cgb(rom) if cgb is None else cgb))


def divergence(
    level: int, found: Difference, origin: str, *, step: int, seed: int = 0, raised: str = ""
) -> Divergence:
    """A difference of two consoles. It is found again by running the check again."""
    more = f"and {found.more} more of that field" if found.more else ""
    return Divergence(
        level=level,
        reference=PyBoyConsole.name,
        twin=TWIN,
        field=found.field,
        reference_value=found.reference,
        twin_value=found.twin,
        tolerance="exact",
        step=step,
        seed=seed,
        actions=[],
        start=None,
        origin=origin,
        raised=raised,
        hint=more,
        kind="golden",
    )
