"""The ROM that is shipped is the one its sources make."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from envwright.zoo.gameboy.emberkeep import ROM, draw

GAME = ROM.parent
TOOLS = ("sdcc", "sdasgb", "makebin")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def recorded_sha256() -> str:
    return (GAME / "emberkeep.gb.sha256").read_text().split()[0]


def test_rom_is_the_recorded_one():
    assert sha256(ROM) == recorded_sha256()


def test_sources_build_the_recorded_rom_in_any_folder(tmp_path):
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} missing: apt-get install sdcc")
    version = subprocess.run(["sdcc", "--version"], capture_output=True, text=True).stdout
    if " 4.2.0 " not in version:
        pytest.skip(f"the ROM is made by sdcc 4.2.0, here is {version.splitlines()[0]!r}")
    sources = tmp_path / "a folder of another name"
    shutil.copytree(GAME, sources, ignore=shutil.ignore_patterns("*.gb", "__pycache__"))
    subprocess.run([sources / "build.sh"], check=True, capture_output=True, cwd=tmp_path)
    assert sha256(sources / "emberkeep.gb") == recorded_sha256()


def test_pictures_in_c_are_those_of_art_txt():
    sheet = draw.build((GAME / "art.txt").read_text())
    for name, text in draw.sources(sheet).items():
        assert (GAME / name).read_text() == text, "run draw.py, then build.sh"


def test_header_is_that_of_a_plain_32_kib_cartridge():
    rom = ROM.read_bytes()
    assert len(rom) == 32768
    assert rom[0x134:0x13D] == b"EMBERKEEP"
    kind, rom_size, ram_size = rom[0x147:0x14A]
    assert (kind, rom_size, ram_size) == (0, 0, 0)
    colour = rom[0x143]
    assert colour & 0x80 == 0
    checksum = 0
    for byte in rom[0x134:0x14D]:
        checksum = (checksum - byte - 1) & 0xFF
    assert rom[0x14D] == checksum
    assert int.from_bytes(rom[0x14E:0x150], "big") == (sum(rom) - sum(rom[0x14E:0x150])) & 0xFFFF


def test_nobody_elses_logo_is_in_the_header():
    assert re.fullmatch(rb"[A-Z:. ]{48}", ROM.read_bytes()[0x104:0x134])
