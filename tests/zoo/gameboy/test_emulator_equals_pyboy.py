"""The emulator against PyBoy, byte by byte of PyBoy's own state: registers, memory, pixels, timers.

Both run PyBoy's boot ROM, so that the logo it leaves in video RAM is there too.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from envwright._native import GameBoys
from envwright.zoo.gameboy.emberkeep import ROM as GAME

pyboy = pytest.importorskip("pyboy", reason="PyBoy is the reference: pip install pyboy==2.8.1")

BOOT_FRAMES = 65
BUTTONS = ("right", "left", "up", "down", "a", "b", "select", "start")
ILLEGAL = {0xD3, 0xDB, 0xDD, 0xE3, 0xE4, 0xEB, 0xEC, 0xED, 0xF4, 0xFC, 0xFD}


def boot_rom(cgb: bool) -> bytes:
    name = "bootrom_cgb.bin" if cgb else "bootrom_dmg.bin"
    return (Path(pyboy.__file__).parent / "core" / name).read_bytes()


def pyboy_state(reference: pyboy.PyBoy) -> bytes:
    stream = io.BytesIO()
    reference.save_state(stream)
    return stream.getvalue()


def started(rom: bytes, cgb: bool) -> pyboy.PyBoy:
    reference = pyboy.PyBoy(
        io.BytesIO(rom), window="null", sound_emulated=True, cgb=cgb, log_level="CRITICAL"
    )
    reference.set_emulation_speed(0)
    for _ in range(BOOT_FRAMES):
        reference.tick(1, True, False)
    return reference


def press(reference: pyboy.PyBoy, before: int, held: int) -> None:
    for bit, name in enumerate(BUTTONS):
        if (before ^ held) >> bit & 1:
            (reference.button_press if held >> bit & 1 else reference.button_release)(name)


def states(rom: bytes, cgb: bool, holds: list[int], frames: int) -> Iterator[tuple[bytes, bytes]]:
    """Of PyBoy and of ours, at the start and after `frames` with each of `holds`."""
    reference, ours = started(rom, cgb), GameBoys(rom, cgb=cgb, boot=boot_rom(cgb))
    before = 0
    yield pyboy_state(reference), ours.save_state(0)
    for held in holds:
        press(reference, before, held)
        before = held
        ours.hold(np.array([held], np.uint8))
        reference.tick(frames, True, False)
        ours.tick(frames)
        yield pyboy_state(reference), ours.save_state(0)
    reference.stop(save=False)


@pytest.mark.parametrize("cgb", [False, True])
@pytest.mark.parametrize("frames", [1, 24])
def test_emberkeep_with_random_buttons(cgb: bool, frames: int) -> None:
    chance = random.Random(frames)
    holds = [chance.choice([0, 1 << chance.randrange(8)]) for _ in range(25)]
    for theirs, ours in states(GAME.read_bytes(), cgb, holds, frames):
        assert theirs == ours


def random_program(chance: random.Random) -> bytes:
    """Random bytes behind a header that is accepted, without illegal opcodes."""
    rom = bytearray(chance.randbytes(0x10000))
    for at, byte in enumerate(rom):
        if byte in ILLEGAL or byte == 0x10:
            rom[at] = chance.choice([0xC9, 0xFB, 0xE0, 0xF0, 0x2A, 0x22])
    rom[0x100:0x104] = [0x00, 0xC3, 0x50, 0x01]
    rom[0x143], rom[0x147], rom[0x149] = chance.choice([0, 0x80]), chance.choice([3, 0x13, 0x1B]), 3
    checksum = 0
    for byte in rom[0x134:0x14D]:
        checksum = (checksum - byte - 1) & 0xFF
    rom[0x14D] = checksum
    return bytes(rom)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int) -> None:
    chance = random.Random(seed)
    rom, cgb = random_program(chance), bool(seed % 2)
    holds = [chance.randrange(256) for _ in range(6)]
    trial = GameBoys(rom, cgb=cgb, boot=boot_rom(cgb))
    for hold in holds:
        trial.hold(np.array([hold], np.uint8))
        trial.tick(2)
    if trial.fault(0):
        pytest.skip("it comes to an illegal opcode in RAM, where PyBoy hangs")
    for theirs, ours in states(rom, cgb, holds, 2):
        assert theirs == ours


def test_a_state_of_pyboys_goes_on_alike() -> None:
    rom = GAME.read_bytes()
    reference, ours = started(rom, False), GameBoys(rom)
    reference.tick(300, True, False)
    state = pyboy_state(reference)
    ours.load_state(0, state)
    assert ours.save_state(0) == state
    for _ in range(10):
        reference.tick(24, True, False)
        ours.tick(24)
        assert ours.save_state(0) == pyboy_state(reference)
    reference.stop(save=False)


def test_a_button_that_is_about_to_be_pressed_survives_a_save() -> None:
    saved, unsaved = GameBoys(GAME.read_bytes()), GameBoys(GAME.read_bytes())
    for boys in (saved, unsaved):
        boys.tick(60)
        boys.hold(np.array([0x80], np.uint8))
    saved.save_state(0)
    for boys in (saved, unsaved):
        boys.tick(60)
    assert saved.memory(0) == unsaved.memory(0)


def test_the_start_without_a_boot_rom_lacks_only_the_logo() -> None:
    rom = GAME.read_bytes()
    booted, started_ = GameBoys(rom, boot=boot_rom(False)), GameBoys(rom)
    assert booted.registers(0) == started_.registers(0)
    assert booted.cycles()[0] == started_.cycles()[0]
    theirs, ours = booted.memory(0), started_.memory(0)
    assert {name for name in theirs if theirs[name] != ours[name]} == {"vram"}


def test_illegal_opcode_stops_one_emulator_and_not_the_others() -> None:
    rom = bytearray(GAME.read_bytes())
    rom[0x100:0x104] = [0x00, 0xC3, 0x50, 0x01]  # NOP; JP 0x0150
    # Reads the buttons until A is held, then an illegal opcode.
    rom[0x150:0x15B] = [0x3E, 0x10, 0xE0, 0x00, 0xF0, 0x00, 0xE6, 0x01, 0x20, 0xF6, 0xDD]
    emulators = GameBoys(bytes(rom), count=2)
    emulators.hold(np.array([0, 1 << BUTTONS.index("a")], np.uint8))
    emulators.tick(10)
    assert emulators.fault(0) is None
    assert emulators.fault(1) == "illegal opcode 0xdd at address 0x015a"
    assert emulators.frames().tolist() == [10, 0]
