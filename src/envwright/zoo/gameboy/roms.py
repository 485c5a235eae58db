"""Find ROMs and check their header, so that a wrong file is reported in one sentence."""

from __future__ import annotations

import os
from pathlib import Path

from envwright.errors import EnvwrightError
from envwright.zoo.gameboy import emberkeep

FOLDER = "ENVWRIGHT_ROMS"  # the environment variable with the folder of the user's ROMs
BANK = 16 * 1024
LARGEST = 512 * BANK  # bytes; no cartridge has more
TITLE = slice(0x134, 0x143)
CHECKED, CHECKSUM = slice(0x134, 0x14D), 0x14D
CGB_FLAG, CARTRIDGE, RAM_SIZE = 0x143, 0x147, 0x149
KINDS = (
    *(0x00, 0x01, 0x02, 0x03, 0x05, 0x06, 0x08, 0x09, 0x0F, 0x10, 0x11, 0x12, 0x13),
    *(0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E),
)  # cartridges that PyBoy supports
LARGEST_RAM = 5  # of the header's codes


def read_rom(path: str | os.PathLike[str]) -> bytes:
    """Read the bytes of a ROM file. Raises `EnvwrightError` if it is not one."""
    rom = read_file(path, "ROM")
    why = why_not(rom)
    if why:
        raise EnvwrightError(f"{path} is not a Game Boy ROM: {why}")
    return rom


def read_file(path: str | os.PathLike[str], what: str) -> bytes:
    """Read the bytes of a file that the user named."""
    try:
        # A pipe or a device may have no end.
        if not Path(path).is_file() and Path(path).exists():
            raise EnvwrightError(f"the {what} {path} is not a file; give the path of its file")
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise EnvwrightError(f"there is no {what} {path}; give the path of its file") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvwrightError(f"the {what} {path} cannot be read: {reason}") from error
    if len(data) > LARGEST:
        raise EnvwrightError(f"the {what} {path} has more than {LARGEST:,} bytes; is it the file?")
    return data


def why_not(rom: bytes) -> str:
    """Return what is wrong with a ROM; empty if it is valid."""
    if len(rom) < BANK or len(rom) % BANK:
        return f"it has {len(rom)} bytes, and a ROM is a multiple of {BANK}"
    checksum = -sum(byte + 1 for byte in rom[CHECKED]) & 0xFF
    if checksum != rom[CHECKSUM]:
        return f"the checksum of its header is {rom[CHECKSUM]:02X} and should be {checksum:02X}"
    if rom[CARTRIDGE] not in KINDS:
        return f"its kind of cartridge, {rom[CARTRIDGE]:02X}, is not known"
    if rom[RAM_SIZE] > LARGEST_RAM:
        return f"its size of RAM, {rom[RAM_SIZE]:02X}, is not known"
    return ""


def title_of(rom: bytes) -> str:
    """Return the title in the header."""
    return rom[TITLE].split(b"\0")[0].decode("ascii", "replace").strip()


def wants_cgb(rom: bytes) -> bool:
    """Return whether PyBoy would run it as a Game Boy Color."""
    return bool(rom[CGB_FLAG] & 0x80)


def find_rom(names: tuple[str, ...], told: str = "") -> Path:
    """Find a ROM by file name: Emberkeep's own, or one in the user's folder (or a folder below).

    `told` describes it for the user who has to supply it.
    """
    if emberkeep.ROM.name in names:
        return emberkeep.ROM
    wanted = " or ".join(names)
    folder = os.environ.get(FOLDER)
    supply = f"set {FOLDER} to the folder that holds it, or give rom=FILE"
    if not folder:
        raise EnvwrightError(f"the ROM {wanted}{told} is not part of envwright; {supply}")
    if not Path(folder).is_dir():
        raise EnvwrightError(f"{FOLDER} is {folder!r}, which is not a folder; {supply}")
    for name in names:
        found = sorted(Path(folder).rglob(name))
        if found:
            return found[0]
    raise EnvwrightError(f"there is no {wanted}{told} in {folder}; {supply}")
