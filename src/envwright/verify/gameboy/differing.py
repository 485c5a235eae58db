"""What a check of the emulator found, in the words that all levels share."""

from __future__ import annotations

from envwright.verify.divergence import Divergence
from envwright.zoo.gameboy.console import Difference
from envwright.zoo.gameboy.reference import PyBoyConsole

TWIN = "envwright's Game Boy"


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
