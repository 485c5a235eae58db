"""Compare saved states of two consoles, which hold what no program reads, such as timer phases.

They are compared byte by byte in PyBoy's format; then both sides go back to one of them and run on,
and so does a new console with a snapshot of ours.
"""

from __future__ import annotations

from envwright.verify.compare import Mismatch
from envwright.zoo.gameboy.checks.assembler import CARTRIDGE
from envwright.zoo.gameboy.ours import OurConsole
from envwright.zoo.gameboy.reference import PyBoyConsole

Saving = PyBoyConsole | OurConsole
CLOCKS = (0x0F, 0x10)  # cartridges with a clock
MORE_FRAMES = 2  # frames to run after a state
# Behind the cartridge's clock stand its buttons, the link port and a Super Game Boy that is off.
_BEHIND_CLOCK = 2 + 36 + 7 + 4 + 0x2000 + 0x800 + 0x80
_CLOCK, _HOST_TIME = 33, 8  # bytes; a clock begins and ends with the host's time


def has_clock(rom: bytes) -> bool:
    """Return whether a cartridge has a clock."""
    return rom[CARTRIDGE] in CLOCKS


def states_differ(rom: bytes, what: str, reference: bytes, twin: bytes) -> Mismatch | None:
    """Return the first byte of two states that differs, except for the host's time."""
    if len(reference) != len(twin):
        return Mismatch(f"{what}, its length", str(len(reference)), str(len(twin)))
    ours, theirs = bytearray(reference), bytearray(twin)
    if has_clock(rom):
        end = len(reference) - _BEHIND_CLOCK
        for begin in (end - _CLOCK, end - _HOST_TIME):
            ours[begin : begin + _HOST_TIME] = theirs[begin : begin + _HOST_TIME]
    where = [at for at in range(len(ours)) if ours[at] != theirs[at]] if ours != theirs else []
    if not where:
        return None
    at = where[0]
    values = f"{ours[at]:02X}", f"{theirs[at]:02X}"
    return Mismatch(f"{what}[{at}]", *values, more=len(where) - 1)


def check_saving(
    rom: bytes, cgb: bool, reference: Saving, twin: Saving, buttons: int
) -> Mismatch | None:
    """Compare both sides now, two frames later, and after going back; None if all is equal.

    `buttons` are those that are down.
    """
    state = reference.save()
    kept = twin.boys.snapshot(0) if isinstance(twin, OurConsole) else None
    found = states_differ(rom, "state", state, twin.save())
    if found is not None:
        return found
    after = _run(reference)
    found = states_differ(rom, "state, two frames later", after, _run(twin))
    if found is not None:
        return found
    if kept is not None:
        restored = OurConsole(rom, cgb)
        restored.boys.restore(0, kept)
        if restored.boys.snapshot(0) != kept:
            return Mismatch("snapshot", "as it was taken", "another after restoring it")
        found = states_differ(rom, "state after a snapshot", after, _run(restored))
        if found is not None:
            return found
    if has_clock(rom):
        return None  # loading a state, PyBoy adds the host's time that has passed
    for side in (reference, twin):
        side.load(state, buttons)
    found = states_differ(rom, "state as loaded", reference.save(), twin.save())
    return found or states_differ(rom, "state after loading", _run(reference), _run(twin))


def check_start(rom: bytes, cgb: bool, reference: Saving, frames: int) -> Mismatch | None:
    """Compare ours without a boot ROM, on a program that fills the screen's memory without buttons.

    By then the logo is gone, and so are the lines that a Color machine's boot ROM makes wave.
    """
    started = OurConsole(rom, cgb)
    started.tick(frames)
    return states_differ(rom, "state without a boot ROM", reference.save(), started.save())


def _run(console: Saving) -> bytes:
    for _ in range(MORE_FRAMES):
        console.tick()
    return console.save()
